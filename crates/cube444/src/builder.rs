//! Opening a [`Scrambler`] with its tables.

#[cfg(feature = "files")]
mod files;

use crate::cancel::CancelFlag;
use crate::cube::Metric;
use crate::declaration::DeclarationError;
use crate::method::known::Method;
use crate::scramble::Scrambler;
use crate::search::{Chain, Profile, Solver, TableProgress, TableSet, make_in_memory};
use crate::table::TableError;

/// Options to open a [`Scrambler`]: the method, the metric and the tables.
///
/// # Examples
///
/// ```no_run
/// use cube444::{Method, Scrambler};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::builder()
///     .method(Method::FIVE_STAGE)
///     .tables_dir("tables")
///     .progress(&|progress| eprintln!("{progress:?}"))
///     .open()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, derive_more::Debug)]
#[must_use = "a builder does nothing until `open` is called"]
pub struct ScramblerBuilder<'a> {
    method: Method,
    metric: Metric,
    profile: Option<Profile>,
    #[cfg(feature = "files")]
    files: Files,
    #[debug(skip)]
    progress: &'a (dyn Fn(TableProgress<'_>) + Sync),
    cancel: CancelFlag,
}

/// Where tables are kept, and how they are opened.
#[cfg(feature = "files")]
#[derive(Clone, Debug, Default)]
struct Files {
    directory: Option<std::path::PathBuf>,
    mapping: crate::table::Mapping,
    rebuilds: bool,
}

/// Why a scrambler cannot be opened.
#[derive(Debug, derive_more::Display, derive_more::Error, derive_more::From)]
#[non_exhaustive]
pub enum OpenError {
    /// The method has no chain of stages in the metric, or is for analysis only.
    #[from]
    #[error(ignore)]
    Declaration(DeclarationError),
    /// The tables of the profile are files, but no directory is given.
    #[error(ignore)]
    #[display("profile {_0} needs a directory of tables (tables_dir)")]
    NoDirectory(Profile),
    /// The path of the directory of tables is empty.
    #[cfg(feature = "files")]
    #[display("the path of the directory of tables is empty")]
    EmptyPath,
    /// A table is bad, or cannot be built or written.
    #[display("{error}")]
    Table {
        /// The profile of the tables.
        profile: Profile,
        /// The reason.
        #[error(source)]
        error: TableError,
    },
    /// Opening was cancelled; see [`ScramblerBuilder::cancelled_by`].
    #[display("opening was cancelled")]
    Cancelled,
}

impl Scrambler {
    /// Opens a scrambler with the method `reduction` and tables in memory. It needs no files, and takes 70 MB and 1.5 s of
    /// CPU time. Searches take longer than with larger tables.
    ///
    /// # Errors
    ///
    /// If the system refuses the memory of a table. Without memory for anything else, the process aborts, as is usual in Rust.
    ///
    /// # Panics
    ///
    /// If the system starts no threads for rayon's global pool. In a process that was forked after that had begun, this never
    /// returns; searches of a scrambler that was opened before are fine.
    pub fn in_memory() -> Result<Scrambler, OpenError> {
        Scrambler::builder().open()
    }

    /// A builder for a scrambler with other options.
    pub fn builder<'a>() -> ScramblerBuilder<'a> {
        ScramblerBuilder {
            method: Method::default(),
            metric: Metric::Obtm,
            profile: None,
            #[cfg(feature = "files")]
            files: Files::default(),
            progress: &|_| (),
            cancel: CancelFlag::default(),
        }
    }
}

impl<'a> ScramblerBuilder<'a> {
    /// Sets the method; [`Method::REDUCTION`] by default.
    pub fn method(self, method: Method) -> Self {
        ScramblerBuilder { method, ..self }
    }

    /// Sets the metric of the lengths of solutions; by default OBTM, which the WCA uses.
    pub fn metric(self, metric: Metric) -> Self {
        ScramblerBuilder { metric, ..self }
    }

    /// Sets the profile of the tables. By default, or if it is `None`, it is the pocket one without a directory;
    /// otherwise the full one if all its files exist, or else the compact one. The pocket profile does not use the
    /// directory.
    pub fn profile(self, profile: impl Into<Option<Profile>>) -> Self {
        let profile = profile.into();
        ScramblerBuilder { profile, ..self }
    }

    /// Sets a function that is called with the progress while tables are built.
    pub fn progress(self, progress: &'a (dyn Fn(TableProgress<'_>) + Sync)) -> Self {
        ScramblerBuilder { progress, ..self }
    }

    /// Sets a flag that cancels opening. Files of tables that have been built remain. Searches of the scrambler have
    /// flags of their own; see [`Scrambler::cancelled_by`].
    pub fn cancelled_by(self, cancel: &CancelFlag) -> Self {
        let cancel = cancel.clone();
        ScramblerBuilder { cancel, ..self }
    }

    /// Opens the tables, builds those that are missing on the current rayon thread pool, verifies their checksums, and
    /// constructs the scrambler.
    ///
    /// # Errors
    ///
    /// If the method is for analysis only, if a table is bad, if one cannot be built or written, or if this is cancelled.
    pub fn open(self) -> Result<Scrambler, OpenError> {
        let declaration = self.method.declaration();
        let chain = Chain::unless_cancelled(declaration, self.metric, &self.cancel)?;
        self.open_chain(&chain.ok_or(OpenError::Cancelled)?)
    }

    /// Opens a scrambler as [`ScramblerBuilder::open`] does, but with this chain in place of the method and the
    /// metric.
    ///
    /// # Errors
    ///
    /// See [`ScramblerBuilder::open`].
    pub fn open_chain(&self, chain: &Chain) -> Result<Scrambler, OpenError> {
        // Check this before building tables.
        Solver::check(chain)?;
        scrambler(self.open_tables(chain)?)
    }

    /// Opens the tables of a chain, and builds those that are missing, as [`ScramblerBuilder::open`] does. Does not verify
    /// checksums. The chain may be for analysis only.
    ///
    /// # Errors
    ///
    /// If a table is bad, if one cannot be built or written, or if this is cancelled.
    pub fn open_tables(&self, chain: &Chain) -> Result<TableSet, OpenError> {
        #[cfg(feature = "files")]
        if let Some(tables) = self.in_directory(chain) {
            return tables;
        }
        let profile = self.profile.unwrap_or(Profile::Pocket);
        if profile.has_files() {
            return Err(OpenError::NoDirectory(profile));
        }
        let tables = make_in_memory(chain, profile, self.progress, &self.cancel);
        tables.map_err(|error| failed(profile, error))
    }
}

fn failed(profile: Profile, error: TableError) -> OpenError {
    match error {
        TableError::Cancelled => OpenError::Cancelled,
        error => OpenError::Table { profile, error },
    }
}

/// Verifies the checksums of tables, and constructs the scrambler.
fn scrambler(tables: TableSet) -> Result<Scrambler, OpenError> {
    tables
        .verify_checksums()
        .map_err(|error| failed(tables.profile(), error))?;
    Ok(Scrambler::new(Solver::new(tables)?))
}
