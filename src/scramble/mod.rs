//! From random states to scrambles that have been checked.

mod canonical;
mod scrambler;

pub use canonical::written;
pub use scrambler::{Scramble, ScrambleError, Scrambler};
