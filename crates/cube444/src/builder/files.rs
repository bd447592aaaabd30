//! Opening a [`Scrambler`] with tables in files and streams.

use std::io::Read;
use std::path::PathBuf;

use super::{OpenError, ScramblerBuilder, failed, scrambler};
use crate::scramble::Scrambler;
use crate::search::{Chain, Profile, Solver, TableSet, open_or_build};
use crate::table::{Mapping, Store};

impl Scrambler {
    /// Opens a scrambler with the method `reduction` and tables in `directory`. If the compact tables are
    /// missing, they are built there once, which takes about 23 seconds of CPU time and 129 MB.
    ///
    /// # Errors
    ///
    /// If a table is bad, or cannot be built or written.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use cube444::Scrambler;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scrambler = Scrambler::open("tables")?;
    /// let scramble = scrambler.scramble(&mut cube444::rand::rng())?;
    /// println!("{}", scramble.sequence);
    /// # Ok(())
    /// # }
    /// ```
    pub fn open(directory: impl Into<PathBuf>) -> Result<Scrambler, OpenError> {
        Scrambler::builder().tables_dir(directory).open()
    }
}

impl ScramblerBuilder<'_> {
    /// Sets the directory of the tables; by default they are made in memory.
    pub fn tables_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.files.directory = Some(directory.into());
        self
    }

    /// Sets which tables are mapped into memory instead of read; none by default.
    pub fn mapping(mut self, mapping: Mapping) -> Self {
        self.files.mapping = mapping;
        self
    }

    /// Sets whether to build tables also if their files exist, and replace these.
    pub fn rebuild(mut self, rebuilds: bool) -> Self {
        self.files.rebuilds = rebuilds;
        self
    }

    /// Opens a scrambler with tables from a stream that [`TableSet::write`] has written, and verifies their checksums.
    /// Without a profile, they must be the pocket ones.
    ///
    /// # Errors
    ///
    /// If the method is for analysis only, or if the stream cannot be read or has other tables.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::Scrambler;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut kept = Vec::new();
    /// Scrambler::in_memory()?.solver().tables().write(&mut kept)?;
    /// let scrambler = Scrambler::builder().read(&kept[..])?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn read(self, from: impl Read) -> Result<Scrambler, OpenError> {
        let chain = self.method.chain(self.metric)?;
        Solver::check(&chain)?;
        let profile = self.profile.unwrap_or(Profile::Pocket);
        let tables = TableSet::read(&chain, profile, from, &self.cancel);
        scrambler(tables.map_err(|error| failed(profile, error))?)
    }

    /// Opens or builds the tables in the directory; `None` without one, or if the profile has no files.
    pub(super) fn in_directory(&self, chain: &Chain) -> Option<Result<TableSet, OpenError>> {
        let directory = self.files.directory.as_ref()?;
        if directory.as_os_str().is_empty() {
            // Files would go to the current directory.
            return Some(Err(OpenError::EmptyPath));
        }
        let store = Store::new(directory).with_mapping(self.files.mapping);
        let store = store.cancelled_by(&self.cancel);
        let profile = TableSet::choose(chain, &store, self.profile);
        let (rebuilds, progress) = (self.files.rebuilds, self.progress);
        profile.has_files().then(|| {
            let tables = open_or_build(chain, &store, profile, rebuilds, progress);
            tables.map_err(|error| failed(profile, error))
        })
    }
}
