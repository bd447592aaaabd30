//! Distance tables: building them, their files, and reading them back.
//!
//! This module knows rows, entries and bytes, not cubes. [`build`] fills a table by breadth-first
//! search over a [`RowGraph`]; [`Store`] keeps tables as files in a directory; [`Table`] is an open
//! one, read into memory or mapped as a [`Mapping`] says.

mod breadth_first;
mod builder;
mod distribution;
mod encoding;
mod file;
mod graph;
mod header;
mod map;
mod nibbles;
mod spec;
mod store;
mod two_bits;

pub(crate) use breadth_first::distances;
pub use builder::{BuildError, BuildProgress, build};
pub use distribution::{Distribution, Unreachable};
pub use encoding::Encoding;
pub use file::{FileError, Problem, Table};
pub use graph::{Images, RowGraph, RowStep};
pub use header::{FORMAT_VERSION, Header, Identity};
pub use map::Mapping;
pub(crate) use map::prefetch;
pub use nibbles::NibbleTable;
pub use spec::TableSpec;
pub use store::{Built, Store, StoreError, WriteLock};
pub use two_bits::TwoBitTable;
#[cfg(test)]
pub(crate) use two_bits::tests::table_of;
