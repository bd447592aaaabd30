//! The headers of table files.

use super::distribution::Distribution;
use super::encoding::Encoding;

/// Version of the file layout; see `docs/table-format.md`.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// The identity of a table. Tables with equal identities are equal.
#[derive(Clone, Debug, derive_more::Display, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[display(
    "{label} in {metric} of {entries} entries of {} bits from {} to {}, fingerprint {fingerprint}",
    encoding.entry_bits, encoding.least_code, encoding.largest_code
)]
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
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub encoding: Encoding,
}

/// The header of a table file, stored as JSON.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Header {
    /// The identity of the table.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub identity: Identity,
    /// The distribution of the exact distances, before they are encoded.
    pub distribution: Distribution,
    /// The XXH3 hash (64 bits) of the payload: 16 hexadecimal digits.
    pub payload_checksum: String,
    /// The time that building took, in seconds.
    pub build_seconds: f64,
}
