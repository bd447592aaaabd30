//! What a table is made from.

use super::builder::{BuildError, Monitor};
use super::encoding::Encoding;
use super::file::Table;
use super::header::Identity;
use super::store::Built;

/// The specification of a table: how to build it, and how to recognise its file.
pub trait TableSpec: Sync {
    /// The name of the table and of its file. Tables with equal labels in the same metric are equal.
    fn label(&self) -> String;

    /// The number of entries.
    fn entries(&self) -> u64;

    /// How the entries are stored.
    fn encoding(&self) -> Encoding;

    /// A hash of everything that the meaning of the entries depends on. Computing it takes milliseconds, so
    /// it is only called to compare or write a file.
    fn fingerprint(&self) -> u128;

    /// Whether the table is read into large pages, whatever its size. Lookups in it must be so frequent that
    /// this pays for a private copy.
    fn prefers_memory(&self) -> bool {
        false
    }

    /// The declared number of positions, if any, which is the sum of the distribution.
    fn expected_positions(&self) -> Option<u64> {
        None
    }

    /// Builds the table on the current rayon thread pool.
    ///
    /// # Errors
    ///
    /// If an entry is unreachable or a distance is too large.
    fn build(&self, monitor: &Monitor<'_>) -> Result<Built, BuildError>;

    /// Whether the entries agree with the distribution in the header.
    fn is_as_counted(&self, table: &Table) -> bool;

    /// The identity that the table's file must have.
    fn identity(&self, metric: &str) -> Identity {
        Identity {
            label: self.label(),
            metric: metric.to_owned(),
            fingerprint: format!("{:032x}", self.fingerprint()),
            entries: self.entries(),
            encoding: self.encoding(),
        }
    }
}
