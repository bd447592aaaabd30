//! Why a table is not available.

use std::io;
use std::path::{Path, PathBuf};

use crate::declaration::DeclarationError;

use super::header::{FORMAT_VERSION, Identity};

/// Why a table is not available.
#[derive(Debug, derive_more::Display, derive_more::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A file cannot be used.
    #[display("table file {}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: TableProblem,
    },
    /// A file is missing.
    #[display("table file {} is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The directory cannot be written to.
    #[display("cannot write tables to the directory {}: {reason}", directory.display())]
    Unwritable {
        /// The directory.
        directory: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// A complete file cannot replace the one of its name, on Windows because a program uses that.
    #[display("table file {} cannot be replaced: {reason}", path.display())]
    Irreplaceable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// Opening the tables was cancelled.
    #[display("opening the tables was cancelled")]
    Cancelled,
    /// A table cannot be built as declared, or has been built for another declaration.
    #[display("cannot build table {label}: {reason}")]
    Build {
        /// The label of the table.
        label: String,
        /// The reason.
        reason: DeclarationError,
    },
    /// There is not enough memory for a table.
    #[display("not enough memory for table {label}: {reason}")]
    Memory {
        /// The table's label.
        label: String,
        /// The error of the operating system.
        reason: io::Error,
    },
}

impl TableError {
    /// The file or directory, and the error of the operating system, if that is the reason.
    #[must_use]
    pub fn of_system(&self) -> Option<(&Path, &io::Error)> {
        use TableError::{File, Irreplaceable, Unwritable};
        match self {
            #[rustfmt::skip]
            File { path, problem: TableProblem::Io(reason) }
            | Irreplaceable { path, reason }
            | Unwritable { directory: path, reason } => Some((path, reason)),
            _ => None,
        }
    }
}

/// Why a table file cannot be used.
#[derive(Debug, derive_more::Display, derive_more::Error, derive_more::From)]
#[non_exhaustive]
pub enum TableProblem {
    /// The operating system reported an error.
    #[from]
    #[display("it cannot be read: {_0}")]
    Io(io::Error),
    /// It is a directory, pipe or device.
    #[display("it is not a regular file")]
    NotAFile,
    /// It does not begin like a table file.
    #[display("it is not a table file")]
    Foreign,
    /// It has another version of the layout.
    #[display("it is written in format {found}; this program reads format {FORMAT_VERSION}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// The header is incomplete, does not match its checksum, or is not valid.
    #[display("the header is damaged or truncated")]
    Header,
    /// It is another table, or its entries have another encoding.
    #[display(
        "it was built for other coordinates, moves or entries: it is {found}, instead of {expected}"
    )]
    Identity {
        /// The identity in the header.
        found: Box<Identity>,
        /// The expected identity.
        expected: Box<Identity>,
    },
    /// Its length differs from the header.
    #[display("it has {found} bytes instead of {expected}, so it is truncated or overwritten")]
    Length {
        /// The length in bytes.
        found: u64,
        /// The length that the header implies.
        expected: u64,
    },
    /// It has too many entries for the address space.
    #[display(
        "it has {entries} entries, more than a program of {} bits can address",
        usize::BITS
    )]
    TooLarge {
        /// The number of entries in the header.
        entries: u64,
    },
    /// The entries do not match their checksum.
    #[display("it is damaged: the checksum of its entries is {found} instead of {expected}")]
    Checksum {
        /// The checksum of the entries.
        found: String,
        /// The checksum in the header.
        expected: String,
    },
    /// The entries do not agree with the distribution in the header.
    #[display("its entries do not agree with the distribution in its header")]
    Distribution,
}

impl TableProblem {
    /// Whether the file is a table that can be built again: it is damaged, or of another version.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        use TableProblem::{Foreign, Io, NotAFile, TooLarge};
        !matches!(self, Io(_) | NotAFile | Foreign | TooLarge { .. })
    }
}
