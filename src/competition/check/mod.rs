//! Checking files with scrambles: each is replayed, and what a file says of itself is compared.

mod fault;
mod input;
mod report;
mod turns;

pub use fault::{Expected, Fault, Finding};
pub use input::CheckError;
pub use report::{Report, check};
