//! A directory of table files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use web_time::Instant;

use super::builder::{BuildError, BuildProgress, build};
use super::distribution::Distribution;
use super::encoding::Encoding;
use super::file::{FileError, Problem, Table, payload_checksum, write};
use super::graph::RowGraph;
use super::header::{Header, Identity};
use super::map::Mapping;

/// A directory in which tables are kept, one file each.
///
/// Writers take a lock on the file `.lock` in it, so that two builders never work at once. A file
/// appears under its name only when it is complete and on disk, by renaming; whatever an
/// interrupted build leaves has another name and is removed by the next build.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    mapping: Mapping,
}

/// Why tables cannot be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The directory cannot be written to.
    #[error("cannot write tables to the directory {}: {reason}", directory.display())]
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

/// A table that has been built, as it will be in its file.
#[derive(Debug)]
pub struct Built {
    /// The packed entries.
    pub payload: Vec<u8>,
    /// The exact distances' distribution.
    pub distribution: Distribution,
}

impl Built {
    /// A table of a graph's distances.
    ///
    /// # Errors
    ///
    /// As [`build`].
    pub fn of_graph(
        graph: &impl RowGraph,
        encoding: Encoding,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Built, BuildError> {
        let (distances, distribution) = build(graph, progress)?;
        Ok(Built {
            payload: encoding.pack(distances),
            distribution,
        })
    }
}

/// The exclusive right to write to a store; given back when dropped.
#[derive(Debug)]
#[must_use = "the right is given back when this is dropped"]
pub struct WriteLock {
    _file: File,
}

const LOCK_FILE: &str = ".lock";
const EXTENSION: &str = "table";
/// What the names of unfinished files end in, after the table's own name.
const TEMPORARY: &str = "table.partial";

impl Store {
    /// A store in a directory, which need not exist yet. Tables are read into memory.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Store {
        Store {
            directory: directory.into(),
            mapping: Mapping::NEVER,
        }
    }

    /// The same store, some of whose tables are mapped.
    #[must_use]
    pub fn with_mapping(self, mapping: Mapping) -> Store {
        Store { mapping, ..self }
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
            self.mapping,
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
                let entry = entry?;
                let name = entry.file_name();
                if name.to_string_lossy().ends_with(&format!(".{TEMPORARY}")) {
                    fs::remove_file(entry.path())?;
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
    pub fn put(
        &self,
        _lock: &WriteLock,
        identity: &Identity,
        build: impl FnOnce() -> Result<Built, BuildError>,
    ) -> Result<Table, StoreError> {
        let (header, payload) = built(identity, build)?;
        let path = self.path(&identity.label, &identity.metric);
        self.replace(&path, |out| write(out, &header, &payload))
            .map_err(|error| self.unwritable(error))?;
        // A large table must not be in memory twice.
        drop(payload);
        Ok(Table::open(&path, Some(identity), self.mapping)?)
    }

    /// Puts a file in place of what was there. It is written under another name, forced to disk and
    /// renamed, so that there is all of it under its own name or what was there before; and if that
    /// fails, nothing is left under the other name.
    fn replace(
        &self,
        path: &Path,
        content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let temporary = path.with_extension(TEMPORARY);
        let complete = || {
            let mut out = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
            content(&mut out)?;
            out.flush()?;
            out.get_ref().sync_all()?;
            fs::rename(&temporary, path)
        };
        complete().inspect_err(|_| {
            // If that fails too, the next build removes it; what failed first is what matters.
            let _ = fs::remove_file(&temporary);
        })?;
        // The rename itself is on disk only once the directory is; only Unix can ask for that.
        #[cfg(unix)]
        File::open(&self.directory)?.sync_all()?;
        Ok(())
    }
}

/// Builds a table; gives its header and its packed entries.
pub(crate) fn built(
    identity: &Identity,
    build: impl FnOnce() -> Result<Built, BuildError>,
) -> Result<(Header, Vec<u8>), StoreError> {
    let started = Instant::now();
    let Built {
        payload,
        distribution,
    } = build().map_err(|reason| StoreError::Build {
        label: identity.label.clone(),
        reason,
    })?;
    let header = Header {
        identity: identity.clone(),
        distribution,
        payload_checksum: payload_checksum(&payload),
        build_seconds: (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    };
    Ok((header, payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        let path = store.path("some", "obtm");
        store.replace(&path, |out| out.write_all(b"old")).unwrap();
        // More than the buffer holds, so that some of it is in the file when the writer fails.
        let failing = |out: &mut BufWriter<File>| {
            out.write_all(&vec![1; 3 << 20])?;
            assert_eq!(fs::read(&path).unwrap(), b"old");
            Err(io::ErrorKind::StorageFull.into())
        };
        let error = store.replace(&path, failing).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["some-obtm.table"]);

        store.replace(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(directory.path()), ["some-obtm.table"]);
    }

    #[test]
    fn leftovers_of_interrupted_builds_are_removed_under_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a.table", "b.table.partial", "partial"] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        let lock = Store::new(directory.path()).lock(|| ()).unwrap();
        let mut left = names(directory.path());
        left.sort_unstable();
        assert_eq!(left, [".lock", "a.table", "partial"]);
        drop(lock);
    }
}
