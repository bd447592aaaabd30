//! The engine for C. `include/scramble444.h` is made from this file, and describes the interface.
//!
//! `unsafe` is needed for texts, which C passes by address. Other pointers are optional references and boxes.

#[path = "../../common.rs"]
mod common;

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{Failure, internal, invalid};

/// There is no error.
pub const S444_OK: i32 = 0;
/// An argument is not allowed. The message says what is.
pub const S444_INVALID: i32 = 1;
/// A table is bad, or cannot be built or written.
pub const S444_TABLES: i32 = 2;
/// A defect of the library.
pub const S444_INTERNAL: i32 = 3;

/// The size of the message of an error, with the zero byte.
pub const S444_MESSAGE_SIZE: usize = 1024;
/// The size of the turns of an answer, with the zero byte.
pub const S444_TURNS_SIZE: usize = 512;
/// The size of facelets, with the zero byte.
pub const S444_STATE_SIZE: usize = 97;

/// Makes scrambles and solutions.
pub struct Scrambler(cube444::Scrambler);

/// What is wrong.
#[repr(C)]
pub struct Error {
    /// A message in English; empty if there is no error. What does not fit is cut off.
    pub message: [c_char; S444_MESSAGE_SIZE],
}

/// A scramble or a solution.
#[repr(C)]
pub struct Answer {
    /// The number of turns in outer block turns. Rotations of the whole cube do not count.
    pub moves: i32,
    /// The turns in WCA notation.
    pub turns: [c_char; S444_TURNS_SIZE],
    /// The scrambled state: 96 facelets, faces in the order U R F D L B.
    pub state: [c_char; S444_STATE_SIZE],
}

/// Facts about a position. They are 1 if true, and 0 if not.
#[repr(C)]
pub struct Verdict {
    /// The number of turns in outer block turns; -1 if the position was given by facelets.
    pub moves: i32,
    /// Whether the turns conform to WCA regulation 12a; -1 if the position was given by facelets.
    pub wca_notation: i32,
    /// Whether every face has one colour.
    pub solved: i32,
    /// Whether the position is at least two turns from solved, as WCA regulation 4b3 requires.
    pub far_enough: i32,
    /// 96 facelets, faces in the order U R F D L B.
    pub state: [c_char; S444_STATE_SIZE],
}

/// The version of the library, such as "0.3.0".
#[unsafe(no_mangle)]
pub extern "C" fn s444_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Opens the tables in `directory`, and builds those that are missing there. If it is NULL, small tables are made in
/// memory, which takes one or two seconds.
///
/// `method` is "reduction" or "five-stage"; NULL is "reduction". `profile` is "pocket", "compact" or "full"; NULL is
/// "pocket" without a directory, otherwise "full" if all its files exist, otherwise "compact".
///
/// # Safety
///
/// Texts must end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_open(
    directory: *const c_char,
    method: *const c_char,
    profile: *const c_char,
    scrambler: Option<&mut MaybeUninit<Box<Scrambler>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run(scrambler, error, || {
        // SAFETY: the caller gives texts that end with a zero byte.
        let (directory, method, profile) =
            unsafe { (text(directory)?, text(method)?, text(profile)?) };
        let opened = common::open(method, directory.map(Into::into), profile)?;
        Ok(Box::new(Scrambler(opened)))
    })
}

/// Makes a scramble to a state drawn uniformly from all states at least two turns from solved.
///
/// `event` is "444" or "444bf", whose scrambles end in a random orientation; NULL is "444". `effort` is from 1 (fastest) to
/// 10 (fewest moves); 0 is the default, 4.
///
/// # Safety
///
/// Texts must end with a zero byte. The scrambler must be open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_scramble(
    scrambler: Option<&Scrambler>,
    event: *const c_char,
    effort: i32,
    answer: Option<&mut MaybeUninit<Answer>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run(answer, error, || {
        // SAFETY: the caller gives a text that ends with a zero byte.
        let event = unsafe { text(event) }?;
        let scrambler = &scrambler.ok_or_else(|| invalid("the scrambler is NULL"))?.0;
        common::scramble(scrambler, event, level(effort)).map(Answer::from)
    })
}

/// Solves the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
/// For `effort` see s444_scramble.
///
/// # Safety
///
/// Texts must end with a zero byte. The scrambler must be open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_solve(
    scrambler: Option<&Scrambler>,
    scramble: *const c_char,
    state: *const c_char,
    effort: i32,
    answer: Option<&mut MaybeUninit<Answer>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> i32 {
    run(answer, error, || {
        // SAFETY: the caller gives texts that end with a zero byte.
        let (scramble, state) = unsafe { (text(scramble)?, text(state)?) };
        let scrambler = &scrambler.ok_or_else(|| invalid("the scrambler is NULL"))?.0;
        common::solve(scrambler, scramble, state, level(effort)).map(Answer::from)
    })
}

/// Examines the position that the turns `scramble` lead to, or the one with the 96 facelets `state`; the other one is NULL.
/// A scramble followed by its solution is solved.
///
/// # Safety
///
/// Texts must end with a zero byte.
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
            state: chars(&found.state),
        })
    })
}

/// Frees a scrambler. NULL is ignored.
///
/// # Safety
///
/// It must come from s444_open, and must not be used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s444_close(scrambler: Option<Box<Scrambler>>) {
    drop(scrambler);
}

impl From<common::Answer> for Answer {
    fn from(answer: common::Answer) -> Answer {
        Answer {
            moves: answer.moves as i32,
            turns: chars(&answer.turns),
            state: chars(&answer.state),
        }
    }
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

/// The text with zero bytes after it.
fn chars<const N: usize>(text: &str) -> [c_char; N] {
    assert!(text.len() < N, "a text of {} bytes is too long", text.len());
    let mut bytes = text.bytes();
    std::array::from_fn(|_| bytes.next().unwrap_or(0) as c_char)
}

fn level(effort: i32) -> Option<i64> {
    (effort != 0).then_some(effort.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::Kind;

    /// The code, the result and the message of work.
    fn outcome(work: impl FnOnce() -> Result<i32, Failure>) -> (i32, i32, String) {
        let (mut result, mut error) = (MaybeUninit::new(-1), MaybeUninit::uninit());
        let code = run(Some(&mut result), Some(&mut error), work);
        // SAFETY: `run` always writes the error, and the result is initialised.
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
            (Kind::Invalid, S444_INVALID),
            (Kind::Tables, S444_TABLES),
            (Kind::Internal, S444_INTERNAL),
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
