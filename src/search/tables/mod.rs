//! The pruning tables of a chain: which ones there are, and opening, building and checking them.

mod build;
mod required;
mod set;

pub use build::{TableProgress, open_or_build};
pub use required::{TableError, verify_fully};
pub use set::TableSet;
