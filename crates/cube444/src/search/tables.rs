//! The pruning tables of a chain, and making them in memory.

use std::sync::Arc;

use rayon::prelude::*;

use super::chain::Chain;
use super::profile::Profile;
use super::stage::StageSearch;
use crate::cancel::CancelFlag;
use crate::table::{
    BuildProgress, Header, Identity, Monitor, Table, TableError, TableSpec, build_in_memory,
    check_positions,
};

/// A table that a chain needs.
pub(super) struct RequiredTable<'a> {
    pub(super) chain: &'a Chain,
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
    /// The identity that the file must have. Expensive: see [`TableSpec::fingerprint`].
    pub(super) fn identity(&self) -> Identity {
        self.spec.identity(self.chain.metric().name())
    }

    /// Compares the number of positions with the declaration of the stage.
    pub(super) fn with_checked_counts(&self, table: Table) -> Result<Table, TableError> {
        let found = table.header().distribution.total();
        let checked = match self.spec.expected_positions() {
            Some(expected) => check_positions(found, expected),
            None => Ok(()),
        };
        let label = || self.spec.label();
        checked.map_err(|reason| TableError::Build {
            label: label(),
            reason,
        })?;
        Ok(table)
    }
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

/// Makes the tables of a chain in memory.
///
/// # Errors
///
/// If one cannot be built, or if this is cancelled.
pub(crate) fn make_in_memory(
    chain: &Chain,
    profile: Profile,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
    cancel: &CancelFlag,
) -> Result<TableSet, TableError> {
    let build = |table: &RequiredTable<'_>, monitor: &Monitor<'_>| {
        build_in_memory(&table.identity(), || table.spec.build(monitor))
    };
    complete(chain, profile, progress, cancel, |_| Ok(None), build)
}

/// Finds the tables of a chain, and builds those that are not found.
pub(super) fn complete(
    chain: &Chain,
    profile: Profile,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
    cancel: &CancelFlag,
    find: impl Fn(&RequiredTable<'_>) -> Result<Option<Table>, TableError>,
    build: impl Fn(&RequiredTable<'_>, &Monitor<'_>) -> Result<Table, TableError>,
) -> Result<TableSet, TableError> {
    let tables = required(chain, profile).into_iter();
    let tables = tables.map(|table| find(&table).map(|found| (table, found)));
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    let missing = tables.iter().filter(|(_, found)| found.is_none());
    let total = missing.map(|(table, _)| table.spec.entries()).sum();
    let mut done = 0;
    let complete = |(required, found): (RequiredTable<'_>, Option<Table>)| {
        if let Some(table) = found {
            return Ok((required.stage, table));
        }
        let label = &required.spec.label();
        let report = |table| {
            progress(TableProgress::Building {
                label,
                done,
                total,
                table,
            });
        };
        let table = build(&required, &Monitor::new(&report, cancel.clone()))?;
        let table = required.with_checked_counts(table)?;
        progress(TableProgress::Built {
            header: table.header(),
        });
        done += required.spec.entries();
        Ok((required.stage, table))
    };
    let tables = tables.into_iter().map(complete);
    let tables = tables.collect::<Result<_, _>>()?;
    TableSet::of(chain, profile, tables, cancel)
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
    /// The set of all tables of a chain, each with the index of its stage.
    ///
    /// # Errors
    ///
    /// If this is cancelled.
    pub(super) fn of(
        chain: &Chain,
        profile: Profile,
        tables: Vec<(usize, Table)>,
        cancel: &CancelFlag,
    ) -> Result<TableSet, TableError> {
        let mut of_stages = vec![Vec::new(); chain.stages().len()];
        for (stage, table) in tables {
            of_stages[stage].push(Arc::new(table));
        }
        let tables = of_stages.iter().flatten().cloned().collect();
        let searches = chain.stages().par_iter().zip(of_stages);
        let searches = searches.map(|(stage, tables)| match cancel.is_cancelled() {
            true => Err(TableError::Cancelled),
            false => Ok(stage.clone().open(profile, tables)),
        });
        Ok(TableSet {
            chain: chain.clone(),
            profile,
            tables,
            searches: searches.collect::<Result<_, _>>()?,
        })
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
