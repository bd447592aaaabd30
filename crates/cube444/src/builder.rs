//! Opening a [`Scrambler`] with its tables.

use std::io::Read;
use std::path::PathBuf;

use crate::cube::Metric;
use crate::method::Method;
use crate::scramble::Scrambler;
use crate::search::{
    Chain, ChainError, Profile, Solver, SolverError, TableProgress, TableSet, open_or_build,
};
use crate::table::{Mapping, Store, TableError};

/// Options to open a [`Scrambler`]: the method, the metric and the tables.
///
/// # Examples
///
/// ```no_run
/// use cube444::{Method, Scrambler};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::builder("tables")
///     .method(Method::REDUCTION)
///     .progress(&|progress| eprintln!("{progress:?}"))
///     .open()?;
/// # Ok(())
/// # }
/// ```
///
/// Without files:
///
/// ```
/// use cube444::search::Profile;
/// use cube444::{Method, Scrambler};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::builder("")
///     .method(Method::REDUCTION)
///     .profile(Profile::Pocket)
///     .open()?;
/// assert_eq!(scrambler.solver().chain().name(), "reduction");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a builder does nothing until `open` is called"]
pub struct ScramblerBuilder<'a> {
    method: Method,
    metric: Metric,
    profile: Option<Profile>,
    store: Store,
    progress: &'a (dyn Fn(TableProgress<'_>) + Sync),
}

/// Why a scrambler cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The method has no chain of stages in the metric.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The method is for analysis only.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// A table is bad, or cannot be built or written.
    #[error("{error}")]
    Table {
        /// The profile of the tables.
        profile: Profile,
        /// The reason.
        #[source]
        error: TableError,
    },
}

impl Scrambler {
    /// Opens a scrambler with the five-stage method and tables in `directory`. If the compact tables are
    /// missing, they are built there, which takes about ten seconds of CPU time and 100 MB.
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
    /// let scramble = scrambler.scramble(&mut rand::rng())?;
    /// println!("{}", scramble.sequence);
    /// # Ok(())
    /// # }
    /// ```
    pub fn open(directory: impl Into<PathBuf>) -> Result<Scrambler, OpenError> {
        Scrambler::builder(directory).open()
    }

    /// Opens a scrambler with the method `reduction` and tables in memory. It needs no files. The tables take
    /// 18 MB and 1.5 s of CPU time. Searches take longer than with larger tables.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use cube444::Scrambler;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scrambler = Scrambler::in_memory()?;
    /// let scramble = scrambler.scramble(&mut rand::rng())?;
    /// println!("{}", scramble.sequence);
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_memory() -> Result<Scrambler, OpenError> {
        let builder = Scrambler::builder("").method(Method::REDUCTION);
        builder.profile(Profile::Pocket).open()
    }

    /// A builder for a scrambler whose tables are in `directory`.
    pub fn builder<'a>(directory: impl Into<PathBuf>) -> ScramblerBuilder<'a> {
        ScramblerBuilder {
            method: Method::default(),
            metric: Metric::Obtm,
            profile: None,
            store: Store::new(directory),
            progress: &|_| (),
        }
    }
}

impl<'a> ScramblerBuilder<'a> {
    /// Sets the method; [`Method::FIVE_STAGE`] by default.
    pub fn method(self, method: Method) -> Self {
        ScramblerBuilder { method, ..self }
    }

    /// Sets the metric of the lengths of solutions; by default OBTM, which the WCA uses.
    pub fn metric(self, metric: Metric) -> Self {
        ScramblerBuilder { metric, ..self }
    }

    /// Sets the profile of the tables; by default, or if it is `None`, the full one if all its files exist, otherwise the compact
    /// one. The pocket profile does not use the directory.
    pub fn profile(self, profile: impl Into<Option<Profile>>) -> Self {
        let profile = profile.into();
        ScramblerBuilder { profile, ..self }
    }

    /// Sets which tables are mapped into memory instead of read; none by default.
    pub fn mapping(self, mapping: Mapping) -> Self {
        let store = self.store.with_mapping(mapping);
        ScramblerBuilder { store, ..self }
    }

    /// Sets a function that is called with the progress while tables are built.
    pub fn progress(self, progress: &'a (dyn Fn(TableProgress<'_>) + Sync)) -> Self {
        ScramblerBuilder { progress, ..self }
    }

    /// Opens the tables, builds those that are missing on the current rayon thread pool, verifies their checksums, and
    /// constructs the scrambler.
    ///
    /// # Errors
    ///
    /// If the method is for analysis only, if a table is bad, or if one cannot be built or written.
    pub fn open(self) -> Result<Scrambler, OpenError> {
        self.open_chain(&self.method.chain(self.metric)?)
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
        let profile = TableSet::choose(chain, &self.store, self.profile);
        let failed = |error| OpenError::Table { profile, error };
        let tables = open_or_build(chain, &self.store, profile, false, self.progress);
        scrambler(tables.map_err(failed)?)
    }

    /// Opens a scrambler with tables from a stream that [`TableSet::write`] has written, and verifies their checksums.
    /// Without a profile, they must be the compact ones.
    ///
    /// # Errors
    ///
    /// If the method is for analysis only, or if the stream cannot be read or has other tables.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::search::Profile;
    /// use cube444::{Method, Scrambler};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut kept = Vec::new();
    /// Scrambler::in_memory()?.solver().tables().write(&mut kept)?;
    /// let builder = Scrambler::builder("").method(Method::REDUCTION).profile(Profile::Pocket);
    /// let scrambler = builder.read(&kept[..])?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn read(self, from: impl Read) -> Result<Scrambler, OpenError> {
        let chain = self.method.chain(self.metric)?;
        Solver::check(&chain)?;
        let profile = self.profile.unwrap_or(Profile::Compact);
        let tables = TableSet::read(&chain, profile, from);
        scrambler(tables.map_err(|error| OpenError::Table { profile, error })?)
    }
}

/// Verifies the checksums of tables, and constructs the scrambler.
fn scrambler(tables: TableSet) -> Result<Scrambler, OpenError> {
    let profile = tables.profile();
    let verified = tables.verify_checksums();
    verified.map_err(|error| OpenError::Table { profile, error })?;
    Ok(Scrambler::new(Solver::new(tables)?))
}
