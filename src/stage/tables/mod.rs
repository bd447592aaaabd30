//! The pruning tables of a chain of stages: which there are, looking them up, building and checking
//! them.

mod build;
mod lookup;
mod wanted;

pub use build::{TableProgress, open_or_build};
pub use lookup::{StageTables, TableSet};
pub use wanted::{TableError, verify_fully};
