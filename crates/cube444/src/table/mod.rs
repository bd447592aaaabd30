//! Pruning tables, and the files in which they are kept.
//!
//! A [`Store`] keeps tables as files in a directory. A [`Table`] is an open table, read into memory or mapped; see
//! [`Mapping`].

pub(crate) mod builder;
mod error;
#[cfg(feature = "files")]
mod file;
mod filter;
pub(crate) mod graph;
mod header;
mod levels;
pub(crate) mod lookup;
mod map;
mod opened;
pub(crate) mod spec;
#[cfg(feature = "files")]
mod store;

pub use builder::{BuildError, BuildProgress};
pub(crate) use builder::{Monitor, build, build_near, check_positions};
pub use error::{TableError, TableProblem};
pub(crate) use filter::{Filter, NearGoalFilter, Probe};
pub(crate) use graph::{RowGraph, RowStep, distances};
pub use header::{Distribution, Encoding, Header, Identity, Unreachable};
pub(crate) use levels::{KeyGraph, near_distances};
#[cfg(test)]
pub(crate) use lookup::tests::table_of;
pub(crate) use lookup::{Bounds, NibbleTable, RangeTable};
#[cfg(feature = "files")]
pub use map::Mapping;
pub(crate) use map::prefetch;
pub use opened::Table;
pub(crate) use spec::{Built, TableSpec, build_in_memory};
#[cfg(feature = "files")]
pub use store::{Store, WriteLock};
