//! Checking files with scrambles. Each scramble is replayed and compared with what the file states.

mod fault;
mod input;
mod report;
mod turns;

pub use fault::{ExpectedCount, Fault, Finding};
pub use input::CheckError;
pub use report::{Report, check};
