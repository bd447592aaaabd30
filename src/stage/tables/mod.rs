//! The pruning tables of a chain of stages: which there are, looking them up, building and checking
//! them.

mod build;
mod lookup;
mod profile;
mod wanted;

pub use build::{TableProgress, open_or_build};
pub use lookup::{StageTables, TableSet};
pub use profile::{Profile, ProfileChoice, UnknownProfile};
pub use wanted::{TableError, verify_fully};
