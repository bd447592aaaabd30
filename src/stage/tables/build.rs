//! Building the tables that a chain wants.

use crate::stage::chain::Chain;
use crate::stage::profile::Profile;
use crate::table::{BuildProgress, Header, Store};

use super::lookup::{OpenTables, TableSet};
use super::wanted::{TableError, wanted};

/// What building tables reports.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TableProgress<'a> {
    /// Another process is building in the same directory.
    Waiting,
    /// A table is being built.
    Building {
        /// The table's label.
        label: &'a str,
        /// Entries of the tables that were done before.
        done: u64,
        /// Entries of all tables that are to be built.
        total: u64,
        /// How far this one is.
        table: BuildProgress,
    },
    /// A table has been built.
    Built {
        /// What its file says.
        header: &'a Header,
    },
}

/// Opens the tables of a chain, building those that are missing; with `force`, all of them.
///
/// # Errors
///
/// If one is bad (unless `force`), or cannot be built or written.
pub fn open_or_build(
    chain: &Chain,
    store: &Store,
    profile: Profile,
    force: bool,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
) -> Result<TableSet, TableError> {
    if !force {
        match TableSet::open(chain, store, profile) {
            Err(TableError::Missing { .. }) => {}
            other => return other,
        }
    }
    let lock = store.lock(|| progress(TableProgress::Waiting))?;
    let wanted = wanted(chain, profile);
    // Another process may have built some while this one waited.
    let mut tables = Vec::new();
    for wanted in &wanted {
        tables.push(if force { None } else { wanted.find(store)? });
    }
    let missing = std::iter::zip(&wanted, &tables).filter(|(_, table)| table.is_none());
    let total = missing.map(|(wanted, _)| wanted.identity.entries).sum();
    let mut done = 0;
    let mut set = OpenTables::default();
    for (wanted, table) in wanted.iter().zip(tables) {
        let table = match table {
            Some(table) => table,
            None => {
                let identity = &wanted.identity;
                let report = |table| {
                    progress(TableProgress::Building {
                        label: &identity.label,
                        done,
                        total,
                        table,
                    });
                };
                let table = wanted.build(store, &lock, &report)?;
                progress(TableProgress::Built {
                    header: table.header(),
                });
                done += identity.entries;
                table
            }
        };
        set.add(wanted, table);
    }
    Ok(set.complete(chain, profile))
}
