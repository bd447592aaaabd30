//! Looking open tables up.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use crate::cube::Metric;
use crate::stage::chain::Chain;
use crate::stage::custom::CustomSearch;
use crate::stage::profile::{Profile, ProfileChoice};
use crate::stage::space::{Node, Strides};
use crate::table::{FileError, Store, Table};

use super::wanted::{Source, TableError, Wanted, wanted};

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
pub struct TableSet {
    /// The name of the chain.
    method: &'static str,
    metric: Metric,
    profile: Profile,
    /// For each declared stage in order.
    stages: Vec<StageTables>,
    /// The custom stages with their tables.
    custom: Vec<CustomSearch>,
    /// The custom stages' tables, stage by stage.
    custom_tables: Vec<Arc<Table>>,
}

/// Tables of a chain, as they are opened one by one.
#[derive(Default)]
pub(super) struct OpenTables {
    /// With the number of the stage.
    declared: Vec<(usize, (usize, Strides, Table))>,
    custom: Vec<(usize, Arc<Table>)>,
}

impl OpenTables {
    /// Adds the open table of what was wanted.
    pub(super) fn add(&mut self, wanted: &Wanted<'_>, table: Table) {
        match &wanted.source {
            Source::Declared(projected) => {
                let entry = (projected.component, projected.strides(), table);
                self.declared.push((wanted.stage, entry));
            }
            Source::Custom(_) => self.custom.push((wanted.stage, Arc::new(table))),
        }
    }

    /// The set of them, which must be all that the chain wants.
    pub(super) fn complete(self, chain: &Chain, profile: Profile) -> TableSet {
        let mut stages: Vec<StageTables> = Vec::new();
        stages.resize_with(chain.stages().len(), StageTables::default);
        for (stage, entry) in self.declared {
            stages[stage].tables.push(entry);
        }
        let of_stage = |number: usize| {
            let own = self.custom.iter().filter(|(stage, _)| *stage == number);
            own.map(|(_, table)| table.clone()).collect()
        };
        let custom = chain.custom_stages().iter().enumerate();
        TableSet {
            method: chain.name(),
            metric: chain.metric(),
            profile,
            stages,
            custom: custom
                .map(|(number, stage)| stage.search(of_stage(number)))
                .collect(),
            custom_tables: self.custom.into_iter().map(|(_, table)| table).collect(),
        }
    }
}

impl TableSet {
    /// Opens the tables of a chain, checking headers only.
    ///
    /// # Errors
    ///
    /// If one is missing or bad.
    pub fn open(chain: &Chain, store: &Store, profile: Profile) -> Result<TableSet, TableError> {
        let mut tables = OpenTables::default();
        for wanted in wanted(chain, profile) {
            let table = wanted.open(store)?;
            tables.add(&wanted, table);
        }
        Ok(tables.complete(chain, profile))
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
        let wanted = wanted(chain, self.profile);
        let wanted = wanted.iter().map(|wanted| &wanted.identity);
        self.method == chain.name()
            && self.metric == chain.metric()
            && wanted.eq(self.all().map(|table| &table.header().identity))
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

    /// The tables of each declared stage in order.
    #[must_use]
    pub fn stages(&self) -> &[StageTables] {
        &self.stages
    }

    /// The custom stages in order, with their tables.
    #[must_use]
    pub fn custom_stages(&self) -> &[CustomSearch] {
        &self.custom
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
        let declared = self.stages.iter().flat_map(StageTables::tables);
        declared.chain(self.custom_tables.iter().map(|table| &**table))
    }
}

impl fmt::Debug for TableSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableSet")
            .field("method", &self.method)
            .field("metric", &self.metric)
            .field("profile", &self.profile)
            .field("tables", &self.all().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
