//! The header of a table file, and what a table is made from.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::builder::{BuildError, BuildProgress};
use super::distribution::Distribution;
use super::encoding::Encoding;
use super::file::Table;
use super::store::Built;

/// Version of the file layout; see `docs/table-format.md`.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// The identity of a table. Tables with equal identities are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Method, stage and projection; also the name of the file.
    pub label: String,
    /// The metric's name.
    pub metric: String,
    /// A hash of everything that the meaning of the entries depends on: 32 hexadecimal digits.
    pub fingerprint: String,
    /// The number of entries.
    pub entries: u64,
    /// How the entries are stored.
    #[serde(flatten)]
    pub encoding: Encoding,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Identity {
            label,
            metric,
            fingerprint,
            entries,
            encoding,
        } = self;
        write!(
            f,
            "{label} in {metric} of {entries} entries of {} bits from {} to {}, fingerprint {fingerprint}",
            encoding.entry_bits, encoding.least_code, encoding.largest_code
        )
    }
}

/// The header of a table file, stored as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// The identity of the table.
    #[serde(flatten)]
    pub identity: Identity,
    /// The distribution of the exact distances, before they are encoded.
    pub distribution: Distribution,
    /// The XXH3 hash (64 bits) of the payload: 16 hexadecimal digits.
    pub payload_checksum: String,
    /// The time that building took, in seconds.
    pub build_seconds: f64,
}

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
    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError>;

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
