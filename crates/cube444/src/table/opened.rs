//! Open tables.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::error::{TableError, TableProblem};
use super::graph::RowGraph;
use super::header::{Distribution, Header};
use super::map::{Memory, in_memory};

/// An open table, in memory or mapped.
///
/// # Examples
///
/// ```
/// use cube444::Scrambler;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::in_memory()?;
/// for table in scrambler.solver().tables().all() {
///     table.verify()?;
///     println!("{}: {} bytes", table.header().identity.label, table.bytes());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Table {
    pub(super) path: PathBuf,
    pub(super) header: Header,
    /// The whole file.
    pub(super) contents: Memory,
    /// The offset of the payload.
    pub(super) payload: usize,
}

/// The checksum of a payload, in the form of the header.
pub(crate) fn payload_checksum(payload: &[u8]) -> String {
    format!("{:016x}", xxh3_64(payload))
}

impl Table {
    /// A table in memory, without a file. Its path is empty.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub fn in_memory(header: Header, mut payload: &[u8]) -> io::Result<Table> {
        Ok(Table {
            path: PathBuf::new(),
            contents: in_memory(payload.len(), |memory| payload.read_exact(memory))?,
            header,
            payload: 0,
        })
    }

    /// Reads the whole table and compares its checksum with that in the header.
    ///
    /// # Errors
    ///
    /// If they differ.
    pub fn verify(&self) -> Result<(), TableError> {
        let found = payload_checksum(self.payload());
        if found == self.header.payload_checksum {
            return Ok(());
        }
        let expected = self.header.payload_checksum.clone();
        Err(TableError::File {
            path: self.path.clone(),
            problem: TableProblem::Checksum { found, expected },
        })
    }

    /// Counts the entries. Returns whether they agree with the distribution in the header.
    #[must_use]
    pub fn recount(&self, graph: &impl RowGraph) -> bool {
        let encoding = self.header.identity.encoding;
        let counted = Distribution::of(graph, |entry| encoding.least_code + self.code(entry));
        counted == self.header.distribution.clipped(encoding)
    }

    /// The path of the file; empty for a table in memory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The length of the file, or of the table in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.contents.len() as u64
    }

    /// The packed entries.
    #[must_use]
    #[inline(always)]
    pub fn payload(&self) -> &[u8] {
        &self.contents[self.payload..]
    }

    /// A byte of the payload.
    #[inline(always)]
    pub(super) fn byte(&self, at: usize) -> &u8 {
        &self.contents[self.payload + at]
    }

    /// The code of an entry; see [`Encoding`](super::Encoding).
    ///
    /// # Panics
    ///
    /// If `index` is out of bounds. The rest of the last byte is 0.
    #[must_use]
    #[inline(always)]
    pub fn code(&self, index: usize) -> u8 {
        let bits = usize::from(self.header.identity.encoding.entry_bits);
        let share = 8 / bits;
        self.payload()[index / share] >> (index % share * bits) & ((1u16 << bits) - 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of another implementation of XXH3, Python's `xxhash`.
    #[test]
    fn checksums_are_those_of_xxh3() {
        let payload: Vec<u8> = (0..1000u32).map(|i| (i * i % 251) as u8).collect();
        assert_eq!(payload_checksum(&payload), "6cefd16c7917b48d");
        assert_eq!(payload_checksum(&payload[..999]), "90e7be4efa34aa00");
        assert_eq!(payload_checksum(&[]), "2d06800538d394c2");
    }
}
