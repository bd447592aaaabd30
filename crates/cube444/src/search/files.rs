//! The pruning tables of a chain in files and streams.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use rayon::prelude::*;

use super::chain::Chain;
use super::profile::Profile;
use super::tables::{RequiredTable, TableProgress, TableSet, complete, required};
use crate::cancel::CancelFlag;
use crate::table::{Mapping, Monitor, Store, Table, TableError, TableProblem};

impl RequiredTable<'_> {
    fn path(&self, store: &Store) -> PathBuf {
        store.path(&self.spec.label(), self.chain.metric().name())
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
        if store.cancel.is_cancelled() {
            return Err(TableError::Cancelled);
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

/// Opens the tables of a chain in `store`. Builds those that are missing, or all of them if `rebuilds` is set.
///
/// # Errors
///
/// If a table is bad (unless `rebuilds` is set), if it cannot be built or written, or if this is cancelled.
pub(crate) fn open_or_build(
    chain: &Chain,
    store: &Store,
    profile: Profile,
    rebuilds: bool,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
) -> Result<TableSet, TableError> {
    if !rebuilds {
        match TableSet::open(chain, store, profile) {
            Err(TableError::Missing { .. }) => {}
            other => return other,
        }
    }
    let lock = store.lock(|| progress(TableProgress::Waiting))?;
    // Another process may have built some while this one waited.
    let find = |table: &RequiredTable<'_>| {
        if rebuilds {
            Ok(None)
        } else {
            table.find(store)
        }
    };
    let build = |table: &RequiredTable<'_>, monitor: &Monitor<'_>| {
        let built = || table.spec.build(monitor);
        table.store(store).put(&lock, &table.identity(), built)
    };
    complete(chain, profile, progress, &store.cancel, find, build)
}

impl TableSet {
    /// Opens the table files of a chain, and checks their headers. [`Profile::Pocket`] has no files; see
    /// [`ScramblerBuilder::open_tables`](crate::ScramblerBuilder::open_tables).
    ///
    /// # Errors
    ///
    /// If a file is missing or bad, or if this is cancelled.
    pub fn open(chain: &Chain, store: &Store, profile: Profile) -> Result<TableSet, TableError> {
        let open = |table: &RequiredTable<'_>| Ok((table.stage, table.open(store)?));
        let opened: Vec<Result<_, _>> = required(chain, profile).par_iter().map(open).collect();
        // Of several errors, that of the first table.
        let tables = opened.into_iter().collect::<Result<Vec<_>, _>>()?;
        TableSet::of(chain, profile, tables, &store.cancel)
    }

    /// Reads the tables of a chain that [`TableSet::write`] has written, and checks their headers.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read or ends too early, if a header is damaged or of another table, or if this is
    /// cancelled. Entries are not verified.
    pub fn read(
        chain: &Chain,
        profile: Profile,
        mut from: impl Read,
        cancel: &CancelFlag,
    ) -> Result<TableSet, TableError> {
        let read = |required: RequiredTable<'_>| {
            if cancel.is_cancelled() {
                return Err(TableError::Cancelled);
            }
            let table = Table::read(&mut from, &required.identity());
            let table = table.map_err(|problem| TableError::File {
                path: required.path(&Store::new("")),
                problem,
            })?;
            Ok((required.stage, required.with_checked_counts(table)?))
        };
        let tables = required(chain, profile).into_iter().map(read);
        let tables = tables.collect::<Result<_, _>>()?;
        TableSet::of(chain, profile, tables, cancel)
    }

    /// Writes the files of all tables, one after the other.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written to.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        self.all().try_for_each(|table| table.write(&mut out))
    }

    /// The files of a profile, whether they exist or not.
    pub fn files(chain: &Chain, store: &Store, profile: Profile) -> impl Iterator<Item = PathBuf> {
        let tables = required(chain, profile).into_iter();
        tables.map(|table| table.path(store))
    }

    /// Whether all files of a profile exist. Does not check them.
    #[must_use]
    pub fn files_exist(chain: &Chain, store: &Store, profile: Profile) -> bool {
        TableSet::files(chain, store, profile).all(|path| path.exists())
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
}
