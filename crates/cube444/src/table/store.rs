//! A directory of table files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cancel::CancelFlag;

use super::builder::BuildError;
use super::error::{TableError, TableProblem};
use super::file::{MAGIC, write};
use super::header::Identity;
use super::map::Mapping;
use super::opened::Table;
use super::spec::{Built, built};

/// A directory of table files.
///
/// Writers lock the file `.lock` in it, so only one process builds tables at a time. A table is written to
/// a temporary file, and renamed when it is complete and on disk. The next build removes temporary files
/// that an interrupted build has left, and no files of other programs.
///
/// # Examples
///
/// ```
/// use cube444::cube::Metric;
/// use cube444::search::{Profile, TableSet};
/// use cube444::table::{Store, TableError};
/// use cube444::Method;
///
/// let chain = Method::FIVE_STAGE.chain(Metric::Obtm)?;
/// let store = Store::new("/nonexistent/tables");
/// assert!(!TableSet::files_exist(&chain, &store, Profile::Compact));
/// let error = TableSet::open(&chain, &store, Profile::Compact).unwrap_err();
/// assert!(matches!(error, TableError::Missing { .. }));
/// # Ok::<(), cube444::method::DeclarationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    mapping: Mapping,
    pub(crate) cancel: CancelFlag,
}

/// The exclusive lock for writing to a store. Dropping it releases the lock.
#[derive(Debug)]
#[must_use = "dropping a lock releases it"]
pub struct WriteLock {
    _file: File,
}

/// The time between two attempts to acquire a lock.
const POLL: Duration = Duration::from_millis(50);
const LOCK_FILE: &str = ".lock";
const EXTENSION: &str = "table";
/// The extension of unfinished files.
const TEMPORARY: &str = "table.partial";

impl Store {
    /// A store in a directory, which need not exist yet. Tables are read, not mapped.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Store {
        Store {
            directory: directory.into(),
            mapping: Mapping::NEVER,
            cancel: CancelFlag::default(),
        }
    }

    /// The same store with another mapping.
    #[must_use]
    pub fn with_mapping(self, mapping: Mapping) -> Store {
        Store { mapping, ..self }
    }

    /// The same store with a flag that cancels reading tables and waiting for the lock.
    #[must_use]
    pub fn cancelled_by(self, cancel: &CancelFlag) -> Store {
        let cancel = cancel.clone();
        Store { cancel, ..self }
    }

    /// The path of a table file.
    #[must_use]
    pub fn path(&self, label: &str, metric: &str) -> PathBuf {
        self.directory.join(format!("{label}-{metric}.{EXTENSION}"))
    }

    /// Opens a table and checks its header; `None` if the file does not exist.
    ///
    /// # Errors
    ///
    /// If the file exists, but is bad or has another identity, or if this is cancelled.
    pub fn open(&self, identity: &Identity) -> Result<Option<Table>, TableError> {
        use io::ErrorKind::{NotADirectory, NotFound};
        let path = self.path(&identity.label, &identity.metric);
        match Table::open(&path, Some(identity), self.mapping, &self.cancel) {
            Err(TableError::File {
                problem: TableProblem::Io(error),
                ..
            }) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
            opened => opened.map(Some),
        }
    }

    fn unwritable(&self, reason: io::Error) -> TableError {
        TableError::Unwritable {
            directory: self.directory.clone(),
            reason,
        }
    }

    /// Acquires the lock for writing. Calls `waiting` once if another process holds it. Creates the
    /// directory, and removes unfinished files.
    ///
    /// # Errors
    ///
    /// If this is cancelled, or if the directory cannot be created or written to.
    pub fn lock(&self, waiting: impl FnOnce()) -> Result<WriteLock, TableError> {
        let locked = || {
            fs::create_dir_all(&self.directory)?;
            // Not truncated, which fails on Windows while another process has the lock.
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(self.directory.join(LOCK_FILE))?;
            let mut locked = file.try_lock();
            if matches!(locked, Err(TryLockError::WouldBlock)) {
                waiting();
            }
            while matches!(locked, Err(TryLockError::WouldBlock)) && !self.cancel.is_cancelled() {
                std::thread::sleep(POLL);
                locked = file.try_lock();
            }
            locked?;
            for entry in fs::read_dir(&self.directory)? {
                let entry = entry?;
                let path = entry.path();
                let has_name = path.to_string_lossy().ends_with(&format!(".{TEMPORARY}"));
                if has_name && entry.file_type()?.is_file() && begins_like_table(&path)? {
                    fs::remove_file(path)?;
                }
            }
            Ok(WriteLock { _file: file })
        };
        locked().map_err(|error| match self.cancel.is_cancelled() {
            true => TableError::Cancelled,
            false => self.unwritable(error),
        })
    }

    /// Builds a table, writes its file, and opens it. Replaces an existing file.
    ///
    /// # Errors
    ///
    /// If it cannot be built or written.
    pub fn put(
        &self,
        _lock: &WriteLock,
        identity: &Identity,
        build: impl FnOnce() -> Result<Built, BuildError>,
    ) -> Result<Table, TableError> {
        let (header, payload) = built(identity, build)?;
        let path = self.path(&identity.label, &identity.metric);
        self.replace(&path, |out| write(out, &header, &payload))?;
        // A large table must not be in memory twice.
        drop(payload);
        Table::open(&path, Some(identity), self.mapping, &self.cancel)
    }

    /// Replaces a file atomically: writes a temporary file, flushes it to disk, and renames it. If this
    /// fails, the temporary file is removed.
    fn replace(
        &self,
        path: &Path,
        content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), TableError> {
        let temporary = path.with_extension(TEMPORARY);
        let write = || {
            let mut out = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
            content(&mut out)?;
            out.flush()?;
            out.get_ref().sync_all()
        };
        let irreplaceable = |reason| TableError::Irreplaceable {
            path: path.to_owned(),
            reason,
        };
        let written = write().map_err(|error| self.unwritable(error));
        let renamed = written.and_then(|()| fs::rename(&temporary, path).map_err(irreplaceable));
        renamed.inspect_err(|_| {
            // If this fails too, the next build removes the file. The first error is reported.
            let _ = fs::remove_file(&temporary);
        })?;
        // The rename is on disk only after the directory is. Only Unix can flush directories.
        #[cfg(unix)]
        File::open(&self.directory)
            .and_then(|directory| directory.sync_all())
            .map_err(|error| self.unwritable(error))?;
        Ok(())
    }
}

/// Whether a file is a table, or what is left of one whose writing was interrupted, which may be empty.
fn begins_like_table(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    let mut file = File::open(path)?.take(MAGIC.len() as u64);
    file.read_to_end(&mut start)?;
    Ok(MAGIC.starts_with(&start))
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
        let assert_full = |replaced: Result<(), TableError>| {
            let error = replaced.unwrap_err();
            assert!(
                matches!(&error, TableError::Unwritable { reason, .. } if reason.kind() == io::ErrorKind::StorageFull),
                "{error}"
            );
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(names(directory.path()), ["some-obtm.table"]);
        };
        assert_full(store.replace(&path, failing));
        // What the buffer holds fails to be written, too.
        #[cfg(target_os = "linux")]
        {
            let temporary = path.with_extension(TEMPORARY);
            std::os::unix::fs::symlink("/dev/full", temporary).unwrap();
            assert_full(store.replace(&path, |out| out.write_all(b"new")));
        }
        store.replace(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(directory.path()), ["some-obtm.table"]);
    }

    /// On Windows, nor can a file that is mapped.
    #[test]
    fn an_error_names_what_cannot_be_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        let path = store.path("some", "obtm");
        fs::create_dir(&path).unwrap();
        let error = store.replace(&path, |_| Ok(())).unwrap_err();
        assert!(
            matches!(&error, TableError::Irreplaceable { path: named, .. } if *named == path),
            "{error}"
        );
        assert_eq!(names(directory.path()), ["some-obtm.table"]);
    }

    #[test]
    fn leftovers_of_interrupted_builds_are_removed_under_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in [
            ("a.table", ""),
            ("empty.table.partial", ""),
            ("begun.table.partial", "S444"),
            ("header.table.partial", "S444DIST and more"),
            ("partial", ""),
            // Of other programs.
            ("users.table.partial", "id,name"),
            ("short.table.partial", "S445"),
        ] {
            fs::write(directory.path().join(name), content).unwrap();
        }
        fs::create_dir(directory.path().join("folder.table.partial")).unwrap();
        let lock = Store::new(directory.path()).lock(|| ()).unwrap();
        let mut left = names(directory.path());
        left.sort_unstable();
        let kept = [
            ".lock",
            "a.table",
            "folder.table.partial",
            "partial",
            "short.table.partial",
            "users.table.partial",
        ];
        assert_eq!(left, kept);
        drop(lock);
    }
}
