//! The engine for C. `include/scramble444.h` is made from this file, and describes the interface.
//!
//! `unsafe` is needed for texts, which C passes by address. Other pointers are optional references and boxes.

#![allow(
    clippy::missing_safety_doc,
    reason = "the head of the header has the rules, in the words of C"
)]

#[path = "../../common.rs"]
mod common;

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::time::Duration;

use common::{Failure, internal, invalid};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

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

/// Options to open a scrambler. Members that are zero have their defaults.
#[repr(C)]
pub struct OpenOptions<'a> {
    /// The size of this structure, which later versions may extend.
    pub size: usize,
    /// Where tables are kept: opens those in this directory, and builds those that are missing. If it is NULL, small ones
    /// are made in memory in one or two seconds, unless another scrambler of the process has them.
    pub tables_dir: *const c_char,
    /// "reduction" or "five-stage"; NULL is "reduction".
    pub method: *const c_char,
    /// "pocket", which uses no files, "compact" or "full"; NULL is "pocket" without `tables_dir`, otherwise "full" if all
    /// its files exist, otherwise "compact".
    pub profile: *const c_char,
    /// Called while tables are built, with the part that is built, from 0 to 1, in any thread, perhaps in several at once; may
    /// be NULL. It must return: no exception of C++ may leave it.
    pub progress: Option<extern "C" fn(part: f64, context: *mut c_void)>,
    /// For `progress`.
    pub context: *mut c_void,
    /// Cancels opening; files of tables that are finished stay. NULL if nothing does.
    pub cancel: Option<&'a CancelFlag>,
}

/// Options of a scramble. Members that are zero have their defaults.
#[repr(C)]
pub struct ScrambleOptions<'a> {
    /// The size of this structure, which later versions may extend.
    pub size: usize,
    /// "444" or "444bf", whose scrambles end in a random orientation; NULL is "444".
    pub event: *const c_char,
    /// "centers", "wings", "reduced" (corners, and wings in pairs), "last-layer" (corners and paired wings of the U layer),
    /// "pll" (these, with their U stickers on top) or "last-eight-edges" (corners, and all wings but those of the D layer):
    /// only these pieces are scrambled, and the state may be the solved one. Such scrambles have about 70 turns, which do not
    /// reveal the subset. NULL is all states at least two turns from solved. Only for "444".
    pub subset: *const c_char,
    /// The state that the scramble leads to, 96 facelets, up to rotations of the whole cube, which "444bf" has at its end.
    /// The same state gives the same scramble, with the same version, method, tables and effort, unless time is short: pass
    /// the state of a scramble on to have it elsewhere. Not with `subset` or `padded`. NULL is a random state.
    pub state: *const c_char,
    /// 1 for a scramble that begins and ends with R' U' F, as in the fewest moves event. Only for "444".
    pub padded: i32,
    /// From 1 (fastest) to 10 (fewest moves); 0 is the default, 4.
    pub effort: i32,
    /// After this time, the search ends with the best scramble that it has; if it has none, with one of effort 1, some
    /// milliseconds later. 0 is no limit.
    pub milliseconds: i32,
    /// Cancels the search; NULL if nothing does.
    pub cancel: Option<&'a CancelFlag>,
}

/// Options of a solution. Members that are zero have their defaults.
#[repr(C)]
pub struct SolveOptions<'a> {
    /// The size of this structure, which later versions may extend.
    pub size: usize,
    /// From 1 (fastest) to 10 (fewest moves); 0 is the default, 4.
    pub effort: i32,
    /// The limit of time, as for a scramble; 0 is none.
    pub milliseconds: i32,
    /// Cancels the search; NULL if nothing does.
    pub cancel: Option<&'a CancelFlag>,
}

/// A scramble.
#[repr(C)]
pub struct Scramble {
    /// The number of turns in outer block turns. Rotations of the whole cube do not count.
    pub moves: i32,
    /// 1 if the limit of time cut the search short, otherwise 0.
    pub hurried: i32,
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
    /// 1 if the limit of time cut the search short, otherwise 0.
    pub hurried: i32,
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

/// The version of the library, such as "0.5.0".
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

/// Opens a scrambler. If `options` is NULL, they have their defaults. If there is an error, `*scrambler` is set to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_open(
    options: *const OpenOptions<'_>,
    mut scrambler: Option<&mut MaybeUninit<Option<Box<Scrambler>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    if let Some(scrambler) = &mut scrambler {
        scrambler.write(None);
    }
    run("scrambler", scrambler, error, || {
        // SAFETY: the caller gives options that begin with their size, and texts that end with a zero byte.
        let (options, [tables_dir, method, profile]) = unsafe {
            let options = given_options(options)?;
            let tables_dir = text("tables_dir", options.tables_dir)?;
            let method = text("method", options.method)?;
            let profile = text("profile", options.profile)?;
            (options, [tables_dir, method, profile])
        };
        // As a number, since any thread may need it.
        let (function, context) = (options.progress, options.context as usize);
        let progress = |part| {
            if let Some(function) = function {
                function(part, context as *mut c_void);
            }
        };
        let (tables_dir, cancel) = (tables_dir.map(Into::into), flag(options.cancel));
        let opened = common::open(method, tables_dir, profile, &progress, &cancel)?;
        Ok(Some(Box::new(Scrambler(opened))))
    })
}

/// Makes a scramble to a random state, or to that of the options. If `options` is NULL, they have their defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_scramble(
    scrambler: Option<&Scrambler>,
    options: *const ScrambleOptions<'_>,
    scramble: Option<&mut MaybeUninit<Scramble>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run("scramble", scramble, error, || {
        // SAFETY: the caller gives options that begin with their size, and texts that end with a zero byte.
        let (options, [event, subset, state]) = unsafe {
            let options = given_options(options)?;
            let event = text("event", options.event)?;
            let subset = text("subset", options.subset)?;
            let state = text("state", options.state)?;
            (options, [event, subset, state])
        };
        let (effort, time) = (options.effort, options.milliseconds);
        let scrambler = limited(scrambler, effort, time, options.cancel)?;
        let (padded, rng) = (options.padded != 0, &mut UnwrapErr(SysRng));
        let made = common::scramble(&scrambler, event, subset, padded, state, rng)?;
        Ok(Scramble {
            moves: made.moves as i32,
            hurried: made.hurried.into(),
            scramble: chars(made.turns),
            state: chars(made.state),
        })
    })
}

/// Solves the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
/// If `options` is NULL, they have their defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_solve(
    scrambler: Option<&Scrambler>,
    scramble: *const c_char,
    state: *const c_char,
    options: *const SolveOptions<'_>,
    solution: Option<&mut MaybeUninit<Solution>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run("solution", solution, error, || {
        // SAFETY: the caller gives options that begin with their size, and texts that end with a zero byte.
        let (options, scramble, state) = unsafe {
            let (scramble, state) = (text("scramble", scramble)?, text("state", state)?);
            (given_options(options)?, scramble, state)
        };
        let (effort, time) = (options.effort, options.milliseconds);
        let scrambler = limited(scrambler, effort, time, options.cancel)?;
        let found = common::solve(&scrambler, scramble, state)?;
        Ok(Solution {
            moves: found.moves as i32,
            hurried: found.hurried.into(),
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
    run("verdict", verdict, error, || {
        // SAFETY: the caller gives texts that end with a zero byte.
        let (scramble, state) = unsafe { (text("scramble", scramble)?, text("state", state)?) };
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
    run("picture", picture, error, || {
        // SAFETY: the caller gives texts that end with a zero byte.
        let [scramble, state, format, scheme] = unsafe {
            let [scramble, state] = [text("scramble", scramble)?, text("state", state)?];
            let [format, scheme] = [text("format", format)?, text("scheme", scheme)?];
            [scramble, state, format, scheme]
        };
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

/// The options that the caller gives; all for NULL are zero. No earlier version has others: once one has, its size is
/// allowed, too, and what it lacks is zero.
///
/// # Safety
///
/// They must begin with their size, and consist of what may be zero.
unsafe fn given_options<T>(pointer: *const T) -> Result<T, Failure> {
    let mut options = MaybeUninit::<T>::zeroed();
    if !pointer.is_null() {
        // SAFETY: they begin with their size.
        if unsafe { pointer.cast::<usize>().read() } != size_of::<T>() {
            return Err(invalid("options.size must be sizeof *options"));
        }
        // SAFETY: they have this size.
        unsafe { pointer.copy_to_nonoverlapping(options.as_mut_ptr(), 1) };
    }
    // SAFETY: all of its members may be zero.
    Ok(unsafe { options.assume_init() })
}

/// A scrambler with these limits of its searches.
fn limited(
    scrambler: Option<&Scrambler>,
    effort: i32,
    milliseconds: i32,
    cancel: Option<&CancelFlag>,
) -> Result<cube444::Scrambler, Failure> {
    let scrambler = scrambler.ok_or_else(|| invalid("scrambler is NULL"))?;
    let time = given(milliseconds).map(u64::try_from).transpose();
    let time = time.map_err(|_| invalid("milliseconds must be 0 or more"))?;
    let time = time.map(Duration::from_millis);
    common::limited(&scrambler.0, given(effort), time, &flag(cancel))
}

fn flag(cancel: Option<&CancelFlag>) -> cube444::CancelFlag {
    cancel.map_or_else(Default::default, |CancelFlag(flag)| flag.clone())
}

/// Writes the result of `work` or its error. Catches panics, which must not reach C.
fn run<T>(
    name: &str,
    result: Option<&mut MaybeUninit<T>>,
    error: Option<&mut MaybeUninit<Error>>,
    work: impl FnOnce() -> Result<T, Failure>,
) -> i32 {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let result = result.ok_or_else(|| invalid(format!("{name} is NULL")))?;
        result.write(work()?);
        Ok((S444_OK, String::new()))
    }));
    let caught = caught.unwrap_or_else(|_| Err(internal("internal error: a panic")));
    let (code, mut message) =
        caught.unwrap_or_else(|failure| (failure.kind as i32, failure.message));
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
unsafe fn text<'a>(name: &str, pointer: *const c_char) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not NULL, and ends with a zero byte.
    let found = unsafe { CStr::from_ptr(pointer) };
    let found = found.to_str().map(Some);
    found.map_err(|error| invalid(format!("{name} is not UTF-8: {error}")))
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
        let code = run("result", Some(&mut result), Some(&mut error), work);
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
                outcome(|| Err(Failure {
                    kind,
                    ..internal("why")
                })),
                (code, -1, "why".to_owned())
            );
        }
        assert_eq!(run("result", None, None, || Ok(7)), S444_INVALID);
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        // The prime has three bytes; two of them would fit.
        let start = "R".repeat(S444_MESSAGE_SIZE - 3);
        let cut = outcome(|| Err(invalid(format!("{start}’"))));
        assert_eq!(cut, (S444_INVALID, -1, start));
    }
}
