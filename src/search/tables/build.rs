//! Building the tables that a chain needs.

use crate::search::chain::Chain;
use crate::search::profile::Profile;
use crate::table::{BuildProgress, Header, Store};

use super::required::{RequiredTable, TableError, required};
use super::set::TableSet;

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

/// Opens the tables of a chain, building those that are missing; with `force`, all of them. The tables of
/// [`Profile::Pocket`] are always built, in memory; the store is not used for them.
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
    let in_files = profile.has_files();
    if in_files && !force {
        match TableSet::open(chain, store, profile) {
            Err(TableError::Missing { .. }) => {}
            other => return other,
        }
    }
    let lock = || store.lock(|| progress(TableProgress::Waiting));
    let lock = in_files.then(lock).transpose()?;
    let required = required(chain, profile);
    // Another process may have built some while this one waited.
    let find = |table: &RequiredTable<'_>| match lock {
        Some(_) if !force => table.find(store),
        _ => Ok(None),
    };
    let found = required.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let missing = std::iter::zip(&required, &found).filter(|(_, found)| found.is_none());
    let total = missing.map(|(table, _)| table.spec.entries()).sum();
    let mut done = 0;
    let mut tables = Vec::new();
    for (required, found) in required.iter().zip(found) {
        let table = match found {
            Some(table) => table,
            None => {
                let label = &required.spec.label();
                let report = |table| {
                    progress(TableProgress::Building {
                        label,
                        done,
                        total,
                        table,
                    });
                };
                let table = match &lock {
                    Some(lock) => required.build(store, lock, &report)?,
                    None => required.build_in_memory(&report)?,
                };
                progress(TableProgress::Built {
                    header: table.header(),
                });
                done += required.spec.entries();
                table
            }
        };
        tables.push((required.stage, table));
    }
    Ok(TableSet::of(chain, profile, tables.into_iter()))
}
