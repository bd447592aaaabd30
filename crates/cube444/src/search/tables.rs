//! Opening, building and checking the pruning tables of a chain.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::chain::Chain;
use super::profile::Profile;
use super::stage::StageSearch;
use crate::cancel::CancelFlag;
use crate::table::{
    BuildProgress, Header, Identity, Mapping, Monitor, Store, Table, TableError, TableProblem,
    TableSpec, WriteLock, build_in_memory,
};

/// A table that a chain needs.
struct RequiredTable<'a> {
    chain: &'a Chain,
    /// The index of the stage.
    stage: usize,
    spec: Box<dyn TableSpec + 'a>,
}

/// The tables that a chain needs, stage by stage.
fn required(chain: &Chain, profile: Profile) -> Vec<RequiredTable<'_>> {
    let stages = chain.stages().iter().enumerate();
    stages
        .flat_map(|(stage, own)| {
            let tables = own.tables(profile).into_iter();
            tables.map(move |spec| RequiredTable { chain, stage, spec })
        })
        .collect()
}

impl RequiredTable<'_> {
    fn path(&self, store: &Store) -> PathBuf {
        store.path(&self.spec.label(), self.chain.metric().name())
    }

    /// The identity that the file must have. Expensive: see [`TableSpec::fingerprint`].
    fn identity(&self) -> Identity {
        self.spec.identity(self.chain.metric().name())
    }

    /// The store, which opens the table as its specification prefers.
    fn store(&self, store: &Store) -> Store {
        match self.spec.prefers_memory() {
            true => store.clone().with_mapping(Mapping::NEVER),
            false => store.clone(),
        }
    }

    /// Opens the table, if its file exists, and checks its header.
    fn find(&self, store: &Store) -> Result<Option<Table>, TableError> {
        // Without a file, do not compute the fingerprint.
        if matches!(self.path(store).try_exists(), Ok(false)) {
            return Ok(None);
        }
        let table = self.store(store).open(&self.identity())?;
        table
            .map(|table| self.with_checked_counts(table))
            .transpose()
    }

    fn open(&self, store: &Store) -> Result<Table, TableError> {
        self.find(store)?.ok_or_else(|| TableError::Missing {
            path: self.path(store),
        })
    }

    /// Builds the table, in memory or in a store.
    fn build(
        &self,
        store: Option<(&Store, &WriteLock)>,
        monitor: &Monitor<'_>,
    ) -> Result<Table, TableError> {
        let (identity, build) = (self.identity(), || self.spec.build(monitor));
        self.with_checked_counts(match store {
            Some((store, lock)) => self.store(store).put(lock, &identity, build)?,
            None => build_in_memory(&identity, build)?,
        })
    }

    /// Compares the number of positions with the declaration of the stage.
    fn with_checked_counts(&self, table: Table) -> Result<Table, TableError> {
        let found = table.header().distribution.total();
        match self.spec.expected_positions() {
            Some(expected) if found != expected => Err(TableError::Positions {
                stage: self.chain.stages()[self.stage].name(),
                found,
                expected,
            }),
            _ => Ok(table),
        }
    }

    fn verify_fully(&self, store: &Store) -> Result<(), TableError> {
        let table = self.open(store)?;
        table.verify()?;
        if self.spec.is_as_counted(&table) {
            return Ok(());
        }
        Err(TableError::File {
            path: self.path(store),
            problem: TableProblem::Distribution,
        })
    }
}

/// Checks the table files of a chain completely: header, checksum, and the distribution of the entries.
/// The iterator opens and checks one table per item.
pub fn verify_fully<'a>(
    chain: &'a Chain,
    store: &'a Store,
    profile: Profile,
) -> impl ExactSizeIterator<Item = (PathBuf, Result<(), TableError>)> + use<'a> {
    required(chain, profile)
        .into_iter()
        .map(|table| (table.path(store), table.verify_fully(store)))
}

/// The progress of building tables.
#[derive(Clone, Copy, Debug)]
pub enum TableProgress<'a> {
    /// Another process is building tables in the same directory.
    Waiting,
    /// A table is being built.
    Building {
        /// The table's label.
        label: &'a str,
        /// The entries of the tables built before.
        done: u64,
        /// The entries of all tables to build.
        total: u64,
        /// The progress of this table.
        table: BuildProgress,
    },
    /// A table has been built.
    Built {
        /// Its header.
        header: &'a Header,
    },
}

/// Opens the tables of a chain in `store` or, without one, makes them in memory. Builds those that are missing, or all of
/// them if `rebuilds` is set.
///
/// # Errors
///
/// If a table is bad (unless `rebuilds` is set), if it cannot be built or written, or if this is cancelled.
pub(crate) fn open_or_build(
    chain: &Chain,
    store: Option<&Store>,
    profile: Profile,
    rebuilds: bool,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
    cancel: &CancelFlag,
) -> Result<TableSet, TableError> {
    if let Some(store) = store.filter(|_| !rebuilds) {
        match TableSet::open(chain, store, profile) {
            Err(TableError::Missing { .. }) => {}
            other => return other,
        }
    }
    let lock = |store: &Store| store.lock(|| progress(TableProgress::Waiting), cancel);
    let lock = store.map(lock).transpose()?;
    let store = store.zip(lock.as_ref());
    let required = required(chain, profile);
    // Another process may have built tables while this one waited.
    let find = |table: &RequiredTable<'_>| match store {
        Some((store, _)) if !rebuilds => table.find(store),
        _ => Ok(None),
    };
    let found = required.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let missing = std::iter::zip(&required, &found).filter(|(_, found)| found.is_none());
    let total = missing.map(|(table, _)| table.spec.entries()).sum();
    let mut done = 0;
    let mut tables = Vec::new();
    for (required, found) in required.iter().zip(found) {
        let build = || {
            let label = &required.spec.label();
            let report = |table| {
                progress(TableProgress::Building {
                    label,
                    done,
                    total,
                    table,
                });
            };
            let table = required.build(store, &Monitor::new(&report, cancel.clone()))?;
            progress(TableProgress::Built {
                header: table.header(),
            });
            done += required.spec.entries();
            Ok(table)
        };
        tables.push((required.stage, found.map_or_else(build, Ok)?));
    }
    Ok(TableSet::of(chain, profile, tables))
}

/// The open tables of a chain, and the searches of its stages.
#[derive(derive_more::Debug)]
pub struct TableSet {
    chain: Chain,
    profile: Profile,
    /// In the order of the stages.
    tables: Vec<Arc<Table>>,
    #[debug(skip)]
    searches: Vec<Box<dyn StageSearch>>,
}

impl TableSet {
    /// Opens the table files of a chain, and checks their headers. [`Profile::Pocket`] has no files; see
    /// [`ScramblerBuilder::open_tables`](crate::ScramblerBuilder::open_tables).
    ///
    /// # Errors
    ///
    /// If a file is missing or bad.
    pub fn open(chain: &Chain, store: &Store, profile: Profile) -> Result<TableSet, TableError> {
        let open = |table: &RequiredTable<'_>| Ok((table.stage, table.open(store)?));
        let opened: Vec<Result<_, _>> = required(chain, profile).par_iter().map(open).collect();
        // Of several errors, that of the first table.
        let tables = opened.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(TableSet::of(chain, profile, tables))
    }

    /// Reads the tables of a chain that [`TableSet::write`] has written, and checks their headers.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read or ends too early, or if its tables are damaged or not those of the chain.
    pub fn read(
        chain: &Chain,
        profile: Profile,
        mut from: impl Read,
    ) -> Result<TableSet, TableError> {
        let read = |required: RequiredTable<'_>| {
            let table = Table::read(&mut from, &required.identity());
            let table = table.map_err(|problem| TableError::File {
                path: required.path(&Store::new("")),
                problem,
            })?;
            Ok((required.stage, required.with_checked_counts(table)?))
        };
        let tables = required(chain, profile).into_iter().map(read);
        Ok(TableSet::of(
            chain,
            profile,
            tables.collect::<Result<_, _>>()?,
        ))
    }

    /// Writes the files of all tables, one after the other.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written to.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        self.all().try_for_each(|table| table.write(&mut out))
    }

    /// The set of all tables of a chain, each with the index of its stage.
    fn of(chain: &Chain, profile: Profile, tables: Vec<(usize, Table)>) -> TableSet {
        let mut of_stages = vec![Vec::new(); chain.stages().len()];
        for (stage, table) in tables {
            of_stages[stage].push(Arc::new(table));
        }
        let tables = of_stages.iter().flatten().cloned().collect();
        let searches = chain.stages().par_iter().zip(of_stages);
        let searches = searches.map(|(stage, tables)| stage.clone().open(profile, tables));
        TableSet {
            chain: chain.clone(),
            profile,
            tables,
            searches: searches.collect(),
        }
    }

    /// Whether all files of a profile exist. Does not check them.
    #[must_use]
    pub fn files_exist(chain: &Chain, store: &Store, profile: Profile) -> bool {
        let exists = |table: &RequiredTable<'_>| table.path(store).exists();
        required(chain, profile).iter().all(exists)
    }

    /// Whether any file of a profile exists. Does not check it.
    #[must_use]
    pub fn any_file_exists(chain: &Chain, store: &Store, profile: Profile) -> bool {
        let exists = |table: &RequiredTable<'_>| table.path(store).exists();
        required(chain, profile).iter().any(exists)
    }

    /// The profile, if one is given; otherwise the full one if all its files exist, without checking them, or
    /// else the compact one.
    #[must_use]
    pub fn choose(chain: &Chain, store: &Store, profile: Option<Profile>) -> Profile {
        match profile {
            Some(profile) => profile,
            None if TableSet::files_exist(chain, store, Profile::Full) => Profile::Full,
            None => Profile::Compact,
        }
    }

    /// The chain.
    #[must_use]
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The profile of the tables.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The searches of the stages in order.
    pub(crate) fn searches(&self) -> &[Box<dyn StageSearch>] {
        &self.searches
    }

    /// Reads every table and compares it with its checksum.
    ///
    /// # Errors
    ///
    /// If a checksum differs.
    pub fn verify_checksums(&self) -> Result<(), TableError> {
        self.tables.par_iter().try_for_each(|table| table.verify())
    }

    /// All tables in the order of the stages.
    pub fn all(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().map(|table| &**table)
    }
}
