//! Opening, building and checking the pruning tables of a chain.

mod build;
mod required;
mod set;

pub use build::{TableProgress, open_or_build};
pub use required::verify_fully;
pub use set::TableSet;
