//! Table files: writing one, opening one, looking entries up.
//!
//! The layout is described byte by byte in `docs/table-format.md`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::distribution::Distribution;
use super::graph::RowGraph;
use super::header::{FORMAT_VERSION, Header, Identity, LARGEST_CODE};
use super::map::{map_read_only, prefetch};

/// The first bytes of every table file.
const MAGIC: [u8; 8] = *b"S444DIST";
/// Bytes before the JSON header: magic, format version, header length, header checksum.
const PREAMBLE: usize = 8 + 4 + 4 + 8;
/// The payload begins at a multiple of this.
const ALIGNMENT: usize = 4096;
/// A header longer than this is not believed.
const LONGEST_HEADER: usize = 1 << 16;

/// A table file that cannot be used: which, what is wrong with it, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("table file {}: {problem}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a table file.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The operating system refused.
    #[error("{0}; {remedy}", remedy = remedy(.0))]
    Io(#[from] io::Error),
    /// It does not begin like a table file.
    #[error("this is not a table file; move it away, then rebuild with `scramble444 tables build`")]
    Foreign,
    /// Another version of the layout.
    #[error(
        "written in format {found}, this program reads format {FORMAT_VERSION}; rebuild it with \
         `scramble444 tables build --force`"
    )]
    Version {
        /// The version found.
        found: u32,
    },
    /// The header does not match its checksum or cannot be read.
    #[error("the header is damaged; rebuild the table with `scramble444 tables build --force`")]
    Header,
    /// Not as long as the header says.
    #[error(
        "{found} bytes long instead of {expected}, so it is truncated or overwritten; rebuild it \
         with `scramble444 tables build --force`"
    )]
    Length {
        /// Bytes found.
        found: u64,
        /// Bytes that the header implies.
        expected: u64,
    },
    /// The entries do not match their checksum.
    #[error(
        "the entries do not match their checksum, so the file is damaged; check the disk, then \
         rebuild it with `scramble444 tables build --force`"
    )]
    Checksum,
    /// A sound table, but of something else.
    #[error(
        "made for other coordinates or moves (by another version of this program); rebuild it with \
         `scramble444 tables build --force`"
    )]
    Identity,
    /// The entries do not add up to the distribution in the header.
    #[error(
        "the entries do not add up to the distribution in the header; rebuild it with \
         `scramble444 tables build --force`"
    )]
    Distribution,
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::OutOfMemory => "raise the limit of memory or of address space",
        _ => "make it readable, or name another directory with --tables-dir",
    }
}

/// An open table: distances of 4 bits each, memory-mapped.
pub struct Table {
    path: PathBuf,
    header: Header,
    map: Mmap,
    payload: usize,
}

/// Packs distances into 4 bits each, two a byte, the even entry in the low half; greater ones than
/// [`LARGEST_CODE`] become that. In place, so that a large table is never in memory twice.
pub(crate) fn pack(mut distances: Vec<u8>) -> Vec<u8> {
    let length = distances.len().div_ceil(2);
    for i in 0..length {
        let low = distances[2 * i].min(LARGEST_CODE);
        let high = distances
            .get(2 * i + 1)
            .map_or(0, |&distance| distance.min(LARGEST_CODE));
        distances[i] = low | high << 4;
    }
    distances.truncate(length);
    distances
}

/// The checksum of a payload, as it stands in the header.
pub(crate) fn payload_checksum(payload: &[u8]) -> String {
    let mut hash = Xxh3::new();
    hash.update(payload);
    format!("{:016x}", hash.digest())
}

fn payload_offset(header_length: usize) -> usize {
    (PREAMBLE + header_length).next_multiple_of(ALIGNMENT)
}

/// Writes a table file's bytes.
pub(crate) fn write(out: &mut impl Write, header: &Header, payload: &[u8]) -> io::Result<()> {
    let json = serde_json::to_vec_pretty(header)?;
    out.write_all(&MAGIC)?;
    out.write_all(&FORMAT_VERSION.to_le_bytes())?;
    out.write_all(&(json.len() as u32).to_le_bytes())?;
    out.write_all(&xxh3_64(&json).to_le_bytes())?;
    out.write_all(&json)?;
    out.write_all(&vec![0; payload_offset(json.len()) - PREAMBLE - json.len()])?;
    out.write_all(payload)
}

fn read_header(file: &mut File) -> Result<(Header, usize), Problem> {
    let mut preamble = [0; PREAMBLE];
    match file.read_exact(&mut preamble) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(Problem::Foreign),
        other => other?,
    }
    let word = |at: usize| {
        let bytes: [u8; 4] = std::array::from_fn(|i| preamble[at + i]);
        u32::from_le_bytes(bytes)
    };
    if preamble[..8] != MAGIC {
        return Err(Problem::Foreign);
    }
    if word(8) != FORMAT_VERSION {
        return Err(Problem::Version { found: word(8) });
    }
    let length = word(12) as usize;
    let checksum = u64::from(word(16)) | u64::from(word(20)) << 32;
    if length > LONGEST_HEADER {
        return Err(Problem::Header);
    }
    let mut json = vec![0; length];
    file.read_exact(&mut json).map_err(|_| Problem::Header)?;
    if xxh3_64(&json) != checksum {
        return Err(Problem::Header);
    }
    let header = serde_json::from_slice(&json).map_err(|_| Problem::Header)?;
    Ok((header, payload_offset(length)))
}

impl Table {
    /// Opens a table file and checks its header and length, but not its entries: cheap, whatever
    /// the size. See [`Table::verify`].
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is no table file, is damaged as far as can be seen without
    /// reading all of it, or is of something else than `identity`, if one is given.
    pub fn open(path: &Path, identity: Option<&Identity>) -> Result<Table, FileError> {
        let open = || {
            let mut file = File::open(path)?;
            let (header, payload) = read_header(&mut file)?;
            if identity.is_some_and(|identity| *identity != header.identity) {
                return Err(Problem::Identity);
            }
            let expected = payload as u64 + header.identity.entries.div_ceil(2);
            let found = file.metadata()?.len();
            if found != expected {
                return Err(Problem::Length { found, expected });
            }
            let map = map_read_only(&file)?;
            Ok(Table {
                path: path.to_owned(),
                header,
                map,
                payload,
            })
        };
        open().map_err(|problem| FileError {
            path: path.to_owned(),
            problem,
        })
    }

    /// Reads the whole table and compares it with its checksum.
    ///
    /// # Errors
    ///
    /// If they differ.
    pub fn verify(&self) -> Result<(), FileError> {
        if payload_checksum(self.payload()) == self.header.payload_checksum {
            Ok(())
        } else {
            Err(FileError {
                path: self.path.clone(),
                problem: Problem::Checksum,
            })
        }
    }

    /// Counts the entries again and compares with the distribution in the header.
    ///
    /// # Errors
    ///
    /// If they differ.
    pub fn recount(&self, graph: &impl RowGraph) -> Result<(), FileError> {
        let counted = Distribution::of(graph, |entry| self.get(entry));
        if counted == self.header.distribution.clipped(self.header.largest_code) {
            Ok(())
        } else {
            Err(FileError {
                path: self.path.clone(),
                problem: Problem::Distribution,
            })
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file's length in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    pub(crate) fn payload(&self) -> &[u8] {
        &self.map[self.payload..]
    }

    /// Asks the processor to fetch an entry, which will be looked up soon.
    ///
    /// # Panics
    ///
    /// If there is no such entry.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        prefetch(&self.map[self.payload + index / 2]);
    }

    /// The distance of an entry, or [`LARGEST_CODE`] if it is greater.
    ///
    /// # Panics
    ///
    /// If there is no such entry.
    #[must_use]
    #[inline]
    pub fn get(&self, index: usize) -> u8 {
        let byte = self.map[self.payload + index / 2];
        byte >> (4 * (index & 1)) & 0xf
    }
}
impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
