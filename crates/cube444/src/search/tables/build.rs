//! Building the tables that a chain needs.

use crate::search::chain::Chain;
use crate::search::profile::Profile;
use crate::table::{BuildProgress, Header, Store, TableError};

use super::required::{RequiredTable, required};
use super::set::TableSet;

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

/// Opens the tables of a chain, and builds those that are missing, or all of them if `force` is set. The
/// tables of [`Profile::Pocket`] are always built in memory, without the store.
///
/// # Errors
///
/// If a table is bad (unless `force` is set), or cannot be built or written.
///
/// # Examples
///
/// ```
/// use cube444::Method;
/// use cube444::cube::Metric;
/// use cube444::search::{Profile, Solver, open_or_build};
/// use cube444::table::Store;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let chain = Method::REDUCTION.chain(Metric::Obtm)?;
/// // The pocket profile has no files, so this directory is not used.
/// let tables = open_or_build(&chain, &Store::new("tables"), Profile::Pocket, false, &|_| ())?;
/// let bytes: u64 = tables.all().map(|table| table.bytes()).sum();
/// assert!(bytes < 20_000_000);
/// let solver = Solver::new(tables)?;
/// # Ok(())
/// # }
/// ```
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
    // Another process may have built tables while this one waited.
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
