//! Looking open tables up.

use rayon::prelude::*;

use crate::cube::Metric;
use crate::stage::chain::Chain;
use crate::stage::space::{Node, Strides};
use crate::table::{FileError, Store, Table};

use super::profile::{Profile, ProfileChoice};
use super::wanted::{TableError, Wanted, wanted};

/// The open pruning tables of one stage. The greatest of their entries is a lower bound of the
/// distance, and the distance itself if one is exact (up to the largest code).
#[derive(Debug, Default)]
pub struct StageTables {
    tables: Vec<(usize, Strides, Table)>,
}

impl StageTables {
    /// Asks the processor to fetch what [`StageTables::exceeds`] will look up soon.
    #[inline]
    pub fn prefetch(&self, nodes: &[Node]) {
        for (component, strides, table) in &self.tables {
            table.prefetch(strides.index(&nodes[*component]));
        }
    }

    /// Whether the cost to finish the stage from a position exceeds a limit, as far as the tables
    /// tell.
    #[must_use]
    #[inline]
    pub fn exceeds(&self, nodes: &[Node], limit: u8) -> bool {
        self.tables
            .iter()
            .any(|(component, strides, table)| table.get(strides.index(&nodes[*component])) > limit)
    }

    /// A lower bound of the cost to finish the stage from a position.
    #[must_use]
    #[inline]
    pub fn bound(&self, nodes: &[Node]) -> u8 {
        let bounds = self
            .tables
            .iter()
            .map(|(component, strides, table)| table.get(strides.index(&nodes[*component])));
        bounds.max().unwrap_or(0)
    }

    /// The tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().map(|(_, _, table)| table)
    }
}

/// The open pruning tables of all stages of a chain.
#[derive(Debug)]
pub struct TableSet {
    /// The name of the chain.
    method: &'static str,
    metric: Metric,
    profile: Profile,
    /// For each stage in order.
    stages: Vec<StageTables>,
}

impl TableSet {
    /// An empty set for a chain.
    pub(super) fn new(chain: &Chain, profile: Profile) -> TableSet {
        TableSet {
            method: chain.name(),
            metric: chain.metric(),
            profile,
            stages: chain
                .stages()
                .iter()
                .map(|_| StageTables::default())
                .collect(),
        }
    }

    /// Adds the open table of what was wanted.
    pub(super) fn add(&mut self, wanted: &Wanted<'_>, table: Table) {
        let strides = wanted.strides();
        let stage = &mut self.stages[wanted.stage];
        stage.tables.push((wanted.component, strides, table));
    }

    /// Opens the tables of a chain, checking headers only.
    ///
    /// # Errors
    ///
    /// If one is missing or bad.
    pub fn open(chain: &Chain, store: &Store, profile: Profile) -> Result<TableSet, TableError> {
        let mut set = TableSet::new(chain, profile);
        for wanted in wanted(chain, profile) {
            let table = wanted.open(store)?;
            set.add(&wanted, table);
        }
        Ok(set)
    }

    /// The profile that a choice means: for [`ProfileChoice::Auto`], whether all files of the full
    /// profile exist, good or bad.
    #[must_use]
    pub fn choose(chain: &Chain, store: &Store, choice: ProfileChoice) -> Profile {
        let exist = || {
            wanted(chain, Profile::Full)
                .iter()
                .all(|wanted| wanted.path(store).exists())
        };
        match choice {
            ProfileChoice::Only(profile) => profile,
            ProfileChoice::Auto if exist() => Profile::Full,
            ProfileChoice::Auto => Profile::Compact,
        }
    }

    /// Whether these are tables of a chain: of the same method, metric and stages.
    #[must_use]
    pub fn is_of(&self, chain: &Chain) -> bool {
        let own = self.stages.iter().map(|stage| {
            let identities = stage.tables().map(|table| &table.header().identity);
            identities.collect::<Vec<_>>()
        });
        let wanted = wanted(chain, self.profile);
        self.metric == chain.metric()
            && self.stages.len() == chain.stages().len()
            && own.enumerate().all(|(stage, own)| {
                let wanted = wanted.iter().filter(|wanted| wanted.stage == stage);
                wanted.map(|wanted| &wanted.identity).eq(own)
            })
    }

    /// The name of the method.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Which profile they are.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The tables of each stage in order.
    #[must_use]
    pub fn stages(&self) -> &[StageTables] {
        &self.stages
    }

    /// Reads every table and compares it with its checksum.
    ///
    /// # Errors
    ///
    /// If one differs.
    pub fn verify_checksums(&self) -> Result<(), FileError> {
        let tables: Vec<&Table> = self.all().collect();
        tables.into_par_iter().try_for_each(Table::verify)
    }

    /// All tables, stage by stage.
    pub fn all(&self) -> impl Iterator<Item = &Table> {
        self.stages.iter().flat_map(StageTables::tables)
    }
}
