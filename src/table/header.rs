//! The header of a table file.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::distribution::Distribution;
use super::encoding::Encoding;

/// Version of the file layout; see `docs/table-format.md`.
pub const FORMAT_VERSION: u32 = 1;

/// What a table is of. Two tables with equal identity are interchangeable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Stage and cover, for people; also the file's name.
    pub label: String,
    /// The metric's name.
    pub metric: String,
    /// Hash of everything that the meaning of the entries depends on, 32 hexadecimal digits.
    pub fingerprint: String,
    /// Number of entries.
    pub entries: u64,
    /// How they are stored.
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
            "{label} in {metric} of {entries} entries of {} bits, fingerprint {fingerprint}",
            encoding.entry_bits
        )
    }
}

/// What a table file says about itself, written as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// What the table is of.
    #[serde(flatten)]
    pub identity: Identity,
    /// The exact distances' distribution, before clipping.
    pub distribution: Distribution,
    /// XXH3 (64 bits) of the payload, 16 hexadecimal digits.
    pub payload_checksum: String,
    /// Seconds that building took.
    pub build_seconds: f64,
}
