//! Pruning tables: building, storing and opening them.
//!
//! This module knows rows, entries and bytes, not cubes. [`build`] fills a table by breadth-first
//! search over a [`RowGraph`]. A [`Store`] keeps tables as files in a directory. A [`Table`] is an open
//! table, read into memory or mapped; see [`Mapping`].

mod breadth_first;
mod builder;
mod distribution;
mod encoding;
mod error;
mod file;
mod filter;
mod graph;
mod header;
mod map;
mod nibbles;
mod ranges;
mod spec;
mod store;

pub(crate) use breadth_first::distances;
pub use builder::{BuildError, BuildProgress, build};
pub use distribution::{Distribution, Unreachable};
pub use encoding::Encoding;
pub use error::{FileError, TableError, TableProblem};
pub use file::Table;
pub(crate) use filter::{Filter, FilterBuilder, PROBES, Probe, is_entered};
pub use graph::{Images, RowGraph, RowStep};
pub use header::{Header, Identity};
pub use map::Mapping;
pub(crate) use map::prefetch;
pub use nibbles::NibbleTable;
pub(crate) use ranges::RangeTable;
#[cfg(test)]
pub(crate) use ranges::tests::table_of;
pub use spec::TableSpec;
pub(crate) use store::built;
pub use store::{Built, Store, WriteLock};
