//! What a table is of, and how it is built.

use super::builder::{BuildError, BuildProgress};
use super::encoding::Encoding;
use super::file::Table;
use super::header::Identity;
use super::store::Built;

/// A table that can be built, and recognised when it is read back.
pub trait TableSpec: Sync {
    /// A label for people, which is also the name of the file. Tables with the same label in the same
    /// metric are the same.
    fn label(&self) -> String;

    /// The number of entries.
    fn entries(&self) -> u64;

    /// How they are stored.
    fn encoding(&self) -> Encoding;

    /// A hash of everything on which the meaning of the entries depends. It takes some milliseconds of
    /// work, so it is only asked for when there is a file to compare, or to write.
    fn fingerprint(&self) -> u128;

    /// Whether the table is read into large pages, whatever its size. Lookups in it must be so frequent that
    /// this pays for a private copy.
    fn prefers_memory(&self) -> bool {
        false
    }

    /// The number of positions that the distribution must add up to, if it is declared.
    fn expected_positions(&self) -> Option<u64> {
        None
    }

    /// Builds the table on the current rayon thread pool.
    ///
    /// # Errors
    ///
    /// If an entry cannot be reached or a distance is too large.
    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError>;

    /// Whether the entries are as the distribution in the header says.
    fn is_as_counted(&self, table: &Table) -> bool;

    /// What the table's file must say that it is.
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
