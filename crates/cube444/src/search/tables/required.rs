//! The tables that a chain needs, and opening, building and checking each of them.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::search::chain::Chain;
use crate::search::profile::Profile;
use crate::table::{
    BuildProgress, FileError, Identity, Mapping, Store, Table, TableError, TableProblem, TableSpec,
    WriteLock, built,
};

/// A table that a chain needs.
pub(super) struct RequiredTable<'a> {
    chain: &'a Chain,
    /// The index of the stage.
    pub(super) stage: usize,
    pub(super) spec: Box<dyn TableSpec + 'a>,
}

/// The tables that a chain needs, stage by stage.
pub(super) fn required(chain: &Chain, profile: Profile) -> Vec<RequiredTable<'_>> {
    let stages = chain.stages().iter().enumerate();
    stages
        .flat_map(|(stage, own)| {
            let tables = own.tables(profile).into_iter();
            tables.map(move |spec| RequiredTable { chain, stage, spec })
        })
        .collect()
}

impl RequiredTable<'_> {
    fn metric(&self) -> &'static str {
        self.chain.metric().name()
    }

    /// The identity that the file must have. Expensive: see [`TableSpec::fingerprint`].
    pub(super) fn identity(&self) -> Identity {
        self.spec.identity(self.metric())
    }

    pub(super) fn path(&self, store: &Store) -> PathBuf {
        store.path(&self.spec.label(), self.metric())
    }

    /// The store, which opens the table as its specification prefers.
    fn store<'s>(&self, store: &'s Store) -> Cow<'s, Store> {
        if self.spec.prefers_memory() {
            Cow::Owned(store.clone().with_mapping(Mapping::NEVER))
        } else {
            Cow::Borrowed(store)
        }
    }

    /// Opens the table, if its file exists, and checks its header.
    pub(super) fn find(&self, store: &Store) -> Result<Option<Table>, TableError> {
        // Without a file, do not compute the fingerprint.
        if matches!(self.path(store).try_exists(), Ok(false)) {
            return Ok(None);
        }
        let table = self.store(store).open(&self.identity())?;
        if let Some(table) = &table {
            self.check_counts(table)?;
        }
        Ok(table)
    }

    pub(super) fn open(&self, store: &Store) -> Result<Table, TableError> {
        self.find(store)?.ok_or_else(|| TableError::Missing {
            path: self.path(store),
        })
    }

    /// Builds the table and writes it to the store.
    pub(super) fn build(
        &self,
        store: &Store,
        lock: &WriteLock,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Table, TableError> {
        let build = || self.spec.build(progress);
        let table = self.store(store).put(lock, &self.identity(), build)?;
        self.check_counts(&table)?;
        Ok(table)
    }

    /// Builds the table in memory.
    pub(super) fn build_in_memory(
        &self,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Table, TableError> {
        let (header, payload) = built(&self.identity(), || self.spec.build(progress))?;
        let table = Table::in_memory(header, &payload).map_err(|reason| TableError::Memory {
            label: self.spec.label(),
            reason,
        })?;
        self.check_counts(&table)?;
        Ok(table)
    }

    /// Compares the number of positions with the declaration of the stage.
    fn check_counts(&self, table: &Table) -> Result<(), TableError> {
        let found = table.header().distribution.total();
        match self.spec.expected_positions() {
            Some(expected) if found != expected => Err(TableError::Positions {
                stage: self.chain.stages()[self.stage].name(),
                found,
                expected,
            }),
            _ => Ok(()),
        }
    }

    fn verify_fully(&self, store: &Store) -> Result<(), TableError> {
        let table = self.open(store)?;
        table.verify()?;
        if self.spec.is_as_counted(&table) {
            Ok(())
        } else {
            Err(TableError::File(FileError {
                path: self.path(store),
                problem: TableProblem::Distribution,
            }))
        }
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
