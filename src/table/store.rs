//! A directory of table files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::builder::{BuildError, BuildProgress, build};
use super::file::{FileError, Problem, Table, pack, payload_checksum, write};
use super::graph::RowGraph;
use super::header::{Header, Identity, LARGEST_CODE};

/// A directory in which tables are kept, one file each.
///
/// Writers take a lock on the file `.lock` in it, so that two builders never work at once. A file
/// appears under its name only when it is complete and on disk, by renaming; whatever an
/// interrupted build leaves has another name and is removed by the next build.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
}

/// Why tables cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory cannot be written to.
    #[error(
        "cannot write tables to the directory {}: {reason}; make it writable, or name another one \
         with --tables-dir or SCRAMBLE444_TABLES_DIR", directory.display()
    )]
    Unwritable {
        /// The directory.
        directory: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// A table file is bad.
    #[error(transparent)]
    File(#[from] FileError),
    /// The search did not cover the table.
    #[error("cannot build table {label}: {reason}")]
    Build {
        /// The table.
        label: String,
        /// Why.
        reason: BuildError,
    },
}

/// The exclusive right to write to a store; given back when dropped.
pub struct WriteLock {
    _file: File,
}

const LOCK_FILE: &str = ".lock";
const EXTENSION: &str = "table";
/// What the names of unfinished files end in, after the table's own name.
const TEMPORARY: &str = "table.partial";

impl Store {
    /// A store in a directory, which need not exist yet.
    #[must_use]
    pub fn new(directory: &Path) -> Store {
        Store {
            directory: directory.to_owned(),
        }
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a table.
    #[must_use]
    pub fn path(&self, label: &str, metric: &str) -> PathBuf {
        self.directory.join(format!("{label}-{metric}.{EXTENSION}"))
    }

    /// Opens a table, checking its header; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// If the file is there but bad, or of another identity.
    pub fn open(&self, identity: &Identity) -> Result<Option<Table>, FileError> {
        match Table::open(
            &self.path(&identity.label, &identity.metric),
            Some(identity),
        ) {
            Ok(table) => Ok(Some(table)),
            Err(FileError {
                problem: Problem::Io(error),
                ..
            }) if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn unwritable(&self, reason: io::Error) -> StoreError {
        StoreError::Unwritable {
            directory: self.directory.clone(),
            reason,
        }
    }

    /// Waits for the exclusive right to write, calling `waiting` once if another process has it.
    /// Creates the directory, and removes what interrupted builds have left.
    ///
    /// # Errors
    ///
    /// If the directory cannot be created or written to.
    pub fn lock(&self, waiting: impl FnOnce()) -> Result<WriteLock, StoreError> {
        let locked = || {
            fs::create_dir_all(&self.directory)?;
            let path = self.directory.join(LOCK_FILE);
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    waiting();
                    file.lock()?;
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
            for entry in fs::read_dir(&self.directory)? {
                let path = entry?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if name.ends_with(&format!(".{TEMPORARY}")) {
                    fs::remove_file(path)?;
                }
            }
            Ok(WriteLock { _file: file })
        };
        locked().map_err(|error| self.unwritable(error))
    }

    /// Builds a table and puts it under its name, replacing what was there.
    ///
    /// # Errors
    ///
    /// If it cannot be built or written.
    pub fn build(
        &self,
        _lock: &WriteLock,
        identity: &Identity,
        graph: &impl RowGraph,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Table, StoreError> {
        let started = Instant::now();
        let (distances, distribution) =
            build(graph, progress).map_err(|reason| StoreError::Build {
                label: identity.label.clone(),
                reason,
            })?;
        let payload = pack(distances);
        let header = Header {
            identity: identity.clone(),
            entry_bits: 4,
            largest_code: LARGEST_CODE,
            distribution,
            payload_checksum: payload_checksum(&payload),
            build_seconds: (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
        };
        let path = self.path(&identity.label, &identity.metric);
        self.put(&path, &header, &payload)
            .map_err(|error| self.unwritable(error))?;
        Ok(Table::open(&path, Some(identity))?)
    }

    fn put(&self, path: &Path, header: &Header, payload: &[u8]) -> io::Result<()> {
        let temporary = path.with_extension(TEMPORARY);
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
        write(&mut out, header, payload)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&temporary, path)?;
        // The rename itself is on disk only once the directory is; only Unix can ask for that.
        #[cfg(unix)]
        File::open(&self.directory)?.sync_all()?;
        Ok(())
    }
}
