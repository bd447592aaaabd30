//! What a table is made from.

use super::builder::{BuildError, Monitor};
use super::error::TableError;
use super::header::{Distribution, Encoding, Header, Identity};
use super::opened::{Table, payload_checksum};
use crate::clock::Instant;

/// The contents of a table that has been built.
#[derive(derive_more::Constructor, Debug)]
pub struct Built {
    /// The packed entries.
    pub payload: Vec<u8>,
    /// The distribution of the exact distances.
    pub distribution: Distribution,
}

/// The specification of a table: how to build it, and how to recognize its file.
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

/// Builds a table in memory.
pub(crate) fn build_in_memory(
    identity: &Identity,
    build: impl FnOnce() -> Result<Built, BuildError>,
) -> Result<Table, TableError> {
    let (header, payload) = built(identity, build)?;
    Table::in_memory(header, &payload).map_err(|reason| TableError::Memory {
        label: identity.label.clone(),
        reason,
    })
}

/// Builds a table. Returns its header and its packed entries.
pub(super) fn built(
    identity: &Identity,
    build: impl FnOnce() -> Result<Built, BuildError>,
) -> Result<(Header, Vec<u8>), TableError> {
    let started = Instant::now();
    let built = build().map_err(|reason| match reason {
        BuildError::Cancelled => TableError::Cancelled,
        BuildError::Declaration(reason) => TableError::Build {
            label: identity.label.clone(),
            reason,
        },
    })?;
    let header = Header {
        identity: identity.clone(),
        distribution: built.distribution,
        payload_checksum: payload_checksum(&built.payload),
        build_seconds: (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    };
    Ok((header, built.payload))
}
