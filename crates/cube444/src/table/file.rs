//! Table files: writing and opening them.
//!
//! `docs/table-format.md` describes the layout byte by byte.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::cancel::CancelFlag;

use super::error::{TableError, TableProblem};
use super::header::{FORMAT_VERSION, Header, Identity};
use super::map::{Mapping, in_memory};
use super::opened::Table;

/// The first bytes of every table file.
pub(super) const MAGIC: [u8; 8] = *b"S444DIST";
/// Bytes before the JSON header: magic, format version, header length, header checksum.
const PREAMBLE: usize = 8 + 4 + 4 + 8;
/// The alignment of the payload in the file.
const ALIGNMENT: usize = 4096;
/// The maximum length of a header in bytes. A longer one is an error.
const MAX_HEADER: u64 = 1 << 16;

fn payload_offset(header_length: usize) -> usize {
    (PREAMBLE + header_length).next_multiple_of(ALIGNMENT)
}

/// Writes a table file.
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

/// Reads all before the payload, and compares the identity, if one is given. Returns the header, and the offset of the
/// payload.
fn read_header(
    file: &mut impl Read,
    identity: Option<&Identity>,
) -> Result<(Header, usize), TableProblem> {
    let mut start = Vec::with_capacity(PREAMBLE);
    let mut preamble = file.by_ref().take(PREAMBLE as u64);
    preamble.read_to_end(&mut start)?;
    if !start.starts_with(&MAGIC) && !MAGIC.starts_with(&start) {
        return Err(TableProblem::Foreign);
    }
    // An empty file, for example, if the disk was full.
    let preamble: [u8; PREAMBLE] = start.try_into().map_err(|_| TableProblem::Header)?;
    let (words, _) = preamble.as_chunks::<4>();
    let [_, _, version, length, low, high] = std::array::from_fn(|i| u32::from_le_bytes(words[i]));
    if version != FORMAT_VERSION {
        return Err(TableProblem::Version { found: version });
    }
    let checksum = u64::from(low) | u64::from(high) << 32;
    let mut json = Vec::new();
    let mut header = file.by_ref().take(MAX_HEADER.min(length.into()));
    header.read_to_end(&mut json)?;
    let is_intact = xxh3_64(&json) == checksum;
    let header: Option<Header> = serde_json::from_slice(&json).ok();
    let header = header.filter(|it| is_intact && it.identity.encoding.is_possible());
    let header = header.ok_or(TableProblem::Header)?;
    if let Some(expected) = identity.filter(|&it| *it != header.identity) {
        return Err(TableProblem::Identity {
            found: Box::new(header.identity),
            expected: Box::new(expected.clone()),
        });
    }
    let payload = payload_offset(json.len());
    let mut padding = file.take((payload - PREAMBLE - json.len()) as u64);
    io::copy(&mut padding, &mut io::sink())?;
    Ok((header, payload))
}

impl Table {
    /// Reads or maps a table file, and checks its header and length. [`Table::verify`] checks its entries.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a table file, is damaged, or has another identity than `identity`,
    /// if that is given, or if this is cancelled.
    pub fn open(
        path: &Path,
        identity: Option<&Identity>,
        mapping: Mapping,
        cancel: &CancelFlag,
    ) -> Result<Table, TableError> {
        let open = || {
            // Check the type first: opening a pipe would wait for a writer.
            if !fs::metadata(path)?.is_file() {
                return Err(TableProblem::NotAFile);
            }
            let mut file = File::open(path)?;
            let (header, payload) = read_header(&mut file, identity)?;
            let entries = header.identity.entries;
            let too_large = || TableProblem::TooLarge { entries };
            let bytes = header.identity.encoding.bytes(entries);
            let expected = bytes.checked_add(payload as u64).ok_or_else(too_large)?;
            let found = file.metadata()?.len();
            if found != expected {
                return Err(TableProblem::Length { found, expected });
            }
            let length = usize::try_from(entries).and(usize::try_from(expected));
            let length = length.map_err(|_| too_large())?;
            Ok(Table {
                path: path.to_owned(),
                contents: mapping.load(&mut file, length, cancel)?,
                header,
                payload,
            })
        };
        open().map_err(|problem| match cancel.is_cancelled() {
            true => TableError::Cancelled,
            false => TableError::File {
                path: path.to_owned(),
                problem,
            },
        })
    }

    /// Reads a table file from a stream into memory, and checks its header. [`Table::verify`] checks its entries. What
    /// follows in the stream is not read. The path is empty.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read, does not begin with a table file, or if that has another identity than `identity`.
    pub fn read(mut from: impl Read, identity: &Identity) -> Result<Table, TableProblem> {
        let (header, _) = read_header(&mut from, Some(identity))?;
        let bytes = identity.encoding.bytes(identity.entries) as usize;
        Ok(Table {
            path: PathBuf::new(),
            contents: in_memory(bytes, |memory| from.read_exact(memory))?,
            header,
            payload: 0,
        })
    }

    /// Writes the table file.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written to.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        write(&mut out, &self.header, self.payload())
    }
}
