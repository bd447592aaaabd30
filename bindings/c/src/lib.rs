//! The engine for C. `include/scramble444.h` is made from this file, and describes the interface.
//!
//! `unsafe` is needed for texts, which C passes by address. Other pointers are optional references and boxes.

#![allow(
    clippy::missing_safety_doc,
    reason = "the head of the header has the rules, in the words of C"
)]

#[path = "../../common.rs"]
mod common;

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use common::{Failure, internal, invalid};

/// There is no error.
pub const S444_OK: i32 = 0;
/// An argument is not allowed. The message says what is.
pub const S444_INVALID: i32 = 1;
/// A table is bad, or cannot be built or written.
pub const S444_TABLES: i32 = 2;
/// A defect of the library.
pub const S444_INTERNAL: i32 = 3;
/// The work was cancelled; see s444_cancel.
pub const S444_CANCELLED: i32 = 4;

/// The size of the message of an error, with the zero byte.
pub const S444_MESSAGE_SIZE: usize = 1024;
/// The size of the turns of a scramble or a solution, with the zero byte.
pub const S444_TURNS_SIZE: usize = 512;
/// The size of facelets, with the zero byte.
pub const S444_STATE_SIZE: usize = 97;
/// The size of the largest picture, with the zero byte.
pub const S444_PICTURE_SIZE: usize = 32768;

/// Makes scrambles and solutions.
pub struct Scrambler(cube444::Scrambler);

/// Cancels work from a signal handler or another thread.
pub struct CancelFlag(cube444::CancelFlag);

/// What is wrong.
#[repr(C)]
pub struct Error {
    /// A message in English; empty if there is no error. What does not fit is cut off.
    pub message: [c_char; S444_MESSAGE_SIZE],
}

/// Options of a scramble. Set to zero, they have their defaults.
#[repr(C)]
pub struct ScrambleOptions<'a> {
    /// "444" or "444bf", whose scrambles end in a random orientation; NULL is "444".
    pub event: *const c_char,
    /// "centers", "wings", "reduced" (corners, and wings in pairs), "last-layer" (corners and paired wings of the U layer),
    /// "pll" (these, with their U stickers on top) or "last-eight-edges" (corners, and all wings but those of the D layer):
    /// only these pieces are scrambled, and the state may be the solved one. NULL is all states at least two turns from
    /// solved.
    pub subset: *const c_char,
    /// 1 for a scramble that begins and ends with R' U' F, as in the fewest moves event.
    pub padded: i32,
    /// From 1 (fastest) to 10 (fewest moves); 0 is the default, 4.
    pub effort: i32,
    /// Cancels the search; NULL if nothing does.
    pub cancel: Option<&'a CancelFlag>,
}

/// A scramble.
#[repr(C)]
pub struct Scramble {
    /// The number of turns in outer block turns. Rotations of the whole cube do not count.
    pub moves: i32,
    /// The turns in WCA notation.
    pub scramble: [c_char; S444_TURNS_SIZE],
    /// The scrambled state: 96 facelets, faces in the order U R F D L B, each row by row.
    pub state: [c_char; S444_STATE_SIZE],
}

/// A solution.
#[repr(C)]
pub struct Solution {
    /// The number of turns in outer block turns.
    pub moves: i32,
    /// The turns in WCA notation.
    pub solution: [c_char; S444_TURNS_SIZE],
    /// The position: 96 facelets, faces in the order U R F D L B, each row by row.
    pub state: [c_char; S444_STATE_SIZE],
}

/// Facts about a position. They are 1 if true, and 0 if not.
#[repr(C)]
pub struct Verdict {
    /// The number of turns in outer block turns; -1 if the position was given by facelets.
    pub moves: i32,
    /// Whether the turns conform to WCA regulation 12a; -1 if the position was given by facelets.
    pub wca_notation: i32,
    /// Whether every face has one color.
    pub solved: i32,
    /// Whether the position is at least two turns from solved, as WCA regulation 4b3 requires.
    pub far_enough: i32,
    /// 96 facelets, faces in the order U R F D L B, each row by row.
    pub state: [c_char; S444_STATE_SIZE],
}

/// A picture.
#[repr(C)]
pub struct Picture {
    /// The number of bytes, without the zero byte that follows them.
    pub size: usize,
    /// The SVG text, or the bytes of the PNG file.
    pub bytes: [c_char; S444_PICTURE_SIZE],
}

/// The version of the library, such as "0.4.0".
#[unsafe(no_mangle)]
pub extern "C" fn s444_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Makes a flag for s444_cancel. s444_cancel_flag_free frees it.
#[unsafe(no_mangle)]
pub extern "C" fn s444_cancel_flag_new() -> Box<CancelFlag> {
    Box::new(CancelFlag(cube444::CancelFlag::default()))
}

/// Sets a flag: functions that have it soon return S444_CANCELLED, also if they are called later: searches within
/// milliseconds, s444_open within about a second, but it finishes writing a table to its file. NULL is ignored.
///
/// Signal handlers may call this. It cannot be undone: other work needs another flag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_cancel(cancel: Option<NonNull<CancelFlag>>) {
    if let Some(flag) = cancel {
        // SAFETY: the caller gives a flag of s444_cancel_flag_new that is not freed.
        unsafe { flag.as_ref() }.0.cancel();
    }
}

/// Frees a flag. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_cancel_flag_free(cancel: Option<Box<CancelFlag>>) {
    drop(cancel);
}

/// Opens the tables in the directory `tables_dir`, and builds those that are missing there. If it is NULL, small tables
/// are made in memory, which takes one or two seconds; the profile "pocket" uses no files. If there is an error,
/// `*scrambler` is set to NULL.
///
/// `method` is "reduction" or "five-stage"; NULL is "reduction". `profile` is "pocket", "compact" or "full"; NULL is
/// "pocket" without `tables_dir`, otherwise "full" if all its files exist, otherwise "compact". `cancel` cancels opening;
/// files of tables that are finished stay. It may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_open(
    tables_dir: *const c_char,
    method: *const c_char,
    profile: *const c_char,
    cancel: Option<&CancelFlag>,
    mut scrambler: Option<&mut MaybeUninit<Option<Box<Scrambler>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    if let Some(scrambler) = &mut scrambler {
        scrambler.write(None);
    }
    run(scrambler, error, || {
        // SAFETY: the caller gives texts that end with a zero byte.
        let (tables_dir, method, profile) =
            unsafe { (text(tables_dir)?, text(method)?, text(profile)?) };
        let opened = common::open(method, tables_dir.map(Into::into), profile, &flag(cancel))?;
        Ok(Some(Box::new(Scrambler(opened))))
    })
}

/// Makes a scramble to a random state. If `options` is NULL, they have their defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_scramble(
    scrambler: Option<&Scrambler>,
    options: Option<&ScrambleOptions<'_>>,
    scramble: Option<&mut MaybeUninit<Scramble>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run(scramble, error, || {
        let options = options.unwrap_or(&ScrambleOptions {
            event: std::ptr::null(),
            subset: std::ptr::null(),
            padded: 0,
            effort: 0,
            cancel: None,
        });
        // SAFETY: the caller gives texts that end with a zero byte.
        let (event, subset) = unsafe { (text(options.event)?, text(options.subset)?) };
        let scrambler = cancellable(scrambler, options.cancel)?;
        let (padded, effort) = (options.padded != 0, given(options.effort));
        let made = common::scramble(&scrambler, event, subset, padded, effort)?;
        Ok(Scramble {
            moves: made.moves as i32,
            scramble: chars(made.turns),
            state: chars(made.state),
        })
    })
}

/// Solves the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
///
/// `effort` is from 1 (fastest) to 10 (fewest moves); 0 is the default, 4. `cancel` cancels the search; it may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_solve(
    scrambler: Option<&Scrambler>,
    scramble: *const c_char,
    state: *const c_char,
    effort: i32,
    cancel: Option<&CancelFlag>,
    solution: Option<&mut MaybeUninit<Solution>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run(solution, error, || {
        // SAFETY: the caller gives texts that end with a zero byte.
        let (scramble, state) = unsafe { (text(scramble)?, text(state)?) };
        let scrambler = cancellable(scrambler, cancel)?;
        let found = common::solve(&scrambler, scramble, state, given(effort))?;
        Ok(Solution {
            moves: found.moves as i32,
            solution: chars(found.turns),
            state: chars(found.state),
        })
    })
}

/// Examines the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
/// A scramble followed by its solution is solved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_verify(
    scramble: *const c_char,
    state: *const c_char,
    verdict: Option<&mut MaybeUninit<Verdict>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run(verdict, error, || {
        // SAFETY: the caller gives texts that end with a zero byte.
        let (scramble, state) = unsafe { (text(scramble)?, text(state)?) };
        let found = common::position(scramble, state)?.verdict();
        Ok(Verdict {
            moves: found.length.map_or(-1, |length| length.obtm as i32),
            wca_notation: found.wca_notation.map_or(-1, i32::from),
            solved: found.solved.into(),
            far_enough: found.far_enough.into(),
            state: chars(found.state),
        })
    })
}

/// Draws the net of the position that the turns `scramble` lead to, or of the one with the 96 facelets `state`; the other
/// one is NULL.
///
/// `format` is "svg" or "png"; NULL is "svg". `scheme` is the colors of the faces B, D, F, L, R and U, such as
/// "00f,ff0,0f0,f80,f00,fff"; NULL is these, with white on top and green in front. `scale` of a PNG is from 1, which has
/// 170 by 128 pixels, to 8; 0 is 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_picture(
    scramble: *const c_char,
    state: *const c_char,
    format: *const c_char,
    scheme: *const c_char,
    scale: i32,
    picture: Option<&mut MaybeUninit<Picture>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run(picture, error, || {
        // SAFETY: the caller gives texts that end with a zero byte.
        let (scramble, state, format, scheme) =
            unsafe { (text(scramble)?, text(state)?, text(format)?, text(scheme)?) };
        let scale = given(scale);
        let bytes = match common::picture(scramble, state, format, scheme, scale)? {
            common::Picture::Svg(text) => text.into_bytes(),
            common::Picture::Png(file) => file,
        };
        Ok(Picture {
            size: bytes.len(),
            bytes: chars(bytes),
        })
    })
}

/// Frees a scrambler. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_close(scrambler: Option<Box<Scrambler>>) {
    drop(scrambler);
}

/// A scrambler whose searches the flag cancels.
fn cancellable(
    scrambler: Option<&Scrambler>,
    cancel: Option<&CancelFlag>,
) -> Result<cube444::Scrambler, Failure> {
    let scrambler = scrambler.ok_or_else(|| invalid("the scrambler is NULL"))?;
    Ok(scrambler.0.cancelled_by(&flag(cancel)))
}

fn flag(cancel: Option<&CancelFlag>) -> cube444::CancelFlag {
    cancel.map_or_else(Default::default, |CancelFlag(flag)| flag.clone())
}

/// Writes the result of `work` or its error. Catches panics, which must not reach C.
fn run<T>(
    result: Option<&mut MaybeUninit<T>>,
    error: Option<&mut MaybeUninit<Error>>,
    work: impl FnOnce() -> Result<T, Failure>,
) -> i32 {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let result = result.ok_or_else(|| invalid("the pointer to the result is NULL"))?;
        result.write(work()?);
        Ok((S444_OK, String::new()))
    }));
    let caught = caught.unwrap_or_else(|_| Err(internal("internal error: a panic")));
    let (code, mut message) = caught.unwrap_or_else(|(kind, message)| (kind as i32, message));
    while message.len() >= S444_MESSAGE_SIZE {
        message.pop();
    }
    if let Some(error) = error {
        let message = chars(&message);
        error.write(Error { message });
    }
    code
}

/// The text; `None` for NULL.
///
/// # Safety
///
/// It must end with a zero byte, and not change as long as it is used.
unsafe fn text<'a>(pointer: *const c_char) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not NULL, and ends with a zero byte.
    let found = unsafe { CStr::from_ptr(pointer) };
    found.to_str().map(Some).map_err(invalid)
}

/// The bytes with zero bytes after them.
fn chars<const N: usize>(bytes: impl AsRef<[u8]>) -> [c_char; N] {
    let bytes = bytes.as_ref();
    assert!(bytes.len() < N, "{} bytes are too many", bytes.len());
    std::array::from_fn(|index| bytes.get(index).map_or(0, |&byte| byte as c_char))
}

/// The number; `None` for 0, which stands for a default.
fn given(number: i32) -> Option<i32> {
    (number != 0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::FailureKind;

    /// The code, the result and the message of work.
    fn outcome(work: impl FnOnce() -> Result<i32, Failure>) -> (i32, i32, String) {
        let (mut result, mut error) = (MaybeUninit::new(-1), MaybeUninit::uninit());
        let code = run(Some(&mut result), Some(&mut error), work);
        // SAFETY: `run` always writes the error, and the result is initialized.
        let (result, Error { message }) = unsafe { (result.assume_init(), error.assume_init()) };
        let text = message
            .iter()
            .map_while(|&char| (char != 0).then_some(char as u8));
        (code, result, String::from_utf8(text.collect()).unwrap())
    }

    #[test]
    fn panics_are_errors() {
        let expected = (S444_INTERNAL, -1, "internal error: a panic".to_owned());
        assert_eq!(outcome(|| panic!("of the test")), expected);
        // This one is too long for its buffer.
        assert_eq!(outcome(|| Ok(chars::<2>("R2")[0].into())), expected);
    }

    #[test]
    fn errors_have_a_code_and_a_message() {
        assert_eq!(outcome(|| Ok(7)), (S444_OK, 7, String::new()));
        for (kind, code) in [
            (FailureKind::Invalid, S444_INVALID),
            (FailureKind::Tables, S444_TABLES),
            (FailureKind::Internal, S444_INTERNAL),
            (FailureKind::Cancelled, S444_CANCELLED),
        ] {
            assert_eq!(
                outcome(|| Err((kind, "why".to_owned()))),
                (code, -1, "why".to_owned())
            );
        }
        assert_eq!(run(None, None, || Ok(7)), S444_INVALID);
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        // The prime has three bytes; two of them would fit.
        let start = "R".repeat(S444_MESSAGE_SIZE - 3);
        let cut = outcome(|| Err(invalid(format!("{start}’"))));
        assert_eq!(cut, (S444_INVALID, -1, start));
    }
}
