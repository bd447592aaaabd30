//! The open tables of a chain.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use crate::search::chain::Chain;
use crate::search::profile::{Profile, ProfileChoice};
use crate::search::stage::StageSearch;
use crate::table::{FileError, Store, Table, TableError};

use super::required::{RequiredTable, required};

/// The open tables of a chain, and the searches of its stages.
pub struct TableSet {
    chain: Chain,
    profile: Profile,
    /// In the order of the stages.
    tables: Vec<Arc<Table>>,
    searches: Vec<Box<dyn StageSearch>>,
}

impl TableSet {
    /// Opens the table files of a chain, and checks their headers. [`Profile::Pocket`] has no files; see
    /// [`open_or_build`](super::open_or_build).
    ///
    /// # Errors
    ///
    /// If a file is missing or bad.
    pub fn open(chain: &Chain, store: &Store, profile: Profile) -> Result<TableSet, TableError> {
        let required = required(chain, profile);
        let opened = required.par_iter().map(|table| table.open(store));
        let tables = opened.collect::<Vec<_>>().into_iter();
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let with_stages = required.iter().map(|table| table.stage).zip(tables);
        Ok(TableSet::of(chain, profile, with_stages))
    }

    /// The set of all tables of a chain, each with the index of its stage.
    pub(super) fn of(
        chain: &Chain,
        profile: Profile,
        tables: impl Iterator<Item = (usize, Table)>,
    ) -> TableSet {
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

    /// The chosen profile. [`ProfileChoice::Auto`] chooses the full one if all its files exist, without
    /// checking them.
    #[must_use]
    pub fn choose(chain: &Chain, store: &Store, choice: ProfileChoice) -> Profile {
        match choice {
            ProfileChoice::Only(profile) => profile,
            ProfileChoice::Auto if TableSet::files_exist(chain, store, Profile::Full) => {
                Profile::Full
            }
            ProfileChoice::Auto => Profile::Compact,
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
    pub fn verify_checksums(&self) -> Result<(), FileError> {
        self.tables.par_iter().try_for_each(|table| table.verify())
    }

    /// All tables in the order of the stages.
    pub fn all(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().map(|table| &**table)
    }
}

impl fmt::Debug for TableSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableSet")
            .field("chain", &self.chain)
            .field("profile", &self.profile)
            .field("tables", &self.tables)
            .finish_non_exhaustive()
    }
}
