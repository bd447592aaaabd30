//! Making the engine ready, for the commands that solve.

use std::num::NonZeroUsize;

use anyhow::Context;

use crate::config::TablesConfig;
use crate::cube::Metric;
use crate::scramble::Scrambler;
use crate::search::Solver;
use crate::stage::{Chain, TableProgress, TableSet};
use crate::table::Store;

/// Limits the threads that tables are built with.
pub(super) fn use_threads(threads: Option<NonZeroUsize>) -> anyhow::Result<()> {
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .build_global()
            .context("cannot start the threads (--threads)")?;
    }
    Ok(())
}

/// Opens or builds the tables, checks them, and makes a scrambler of them.
pub(super) fn scrambler(
    config: &TablesConfig,
    metric: Metric,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
) -> anyhow::Result<Scrambler> {
    let store = Store::new(&config.tables_dir);
    let chain = Chain::five_stages(metric)?;
    let profile = TableSet::choose(&chain, &store, config.profile);
    let tables = TableSet::open_or_build(&chain, &store, profile, false, progress)?;
    tables.verify()?;
    Ok(Scrambler::new(Solver::new(chain, tables)))
}
