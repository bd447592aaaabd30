//! Pruning tables: building, storing and opening them.
//!
//! This module knows rows, entries and bytes, not cubes. [`build`] fills a table by breadth-first
//! search over a [`RowGraph`]. A [`Store`] keeps tables as files in a directory. A [`Table`] is an open
//! table, read into memory or mapped; see [`Mapping`].

mod builder;
mod distribution;
mod encoding;
mod error;
mod file;
mod filter;
mod graph;
mod header;
mod levels;
mod lookup;
mod map;
mod spec;
mod store;

pub(crate) use builder::build_near;
pub use builder::{BuildError, BuildProgress, Monitor, build};
pub use distribution::{Distribution, Unreachable};
pub use encoding::Encoding;
pub use error::{TableError, TableProblem};
pub use file::Table;
pub(crate) use filter::{Filter, NearGoalFilter, Probe};
pub(crate) use graph::distances;
pub use graph::{RowGraph, RowStep};
pub use header::{Header, Identity};
pub(crate) use levels::{KeyGraph, near_distances};
pub use lookup::NibbleTable;
#[cfg(test)]
pub(crate) use lookup::tests::table_of;
pub(crate) use lookup::{Bounds, RangeTable};
pub use map::Mapping;
pub(crate) use map::prefetch;
pub use spec::TableSpec;
pub(crate) use store::build_in_memory;
pub use store::{Built, Store, WriteLock};
