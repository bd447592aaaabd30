//! Making the engine ready, for the commands that solve.

use std::num::NonZeroUsize;

use anyhow::Context;

use super::progress::Bar;
use crate::config::EngineConfig;
use crate::cube::Metric;
use crate::scramble::Scrambler;
use crate::search::Solver;
use crate::stage::{TableProgress, TableSet, open_or_build};
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

/// Opens or builds the tables, checks them, and makes a scrambler of them; shows a bar.
pub(super) fn scrambler(config: &EngineConfig, metric: Metric) -> anyhow::Result<Scrambler> {
    let bar = Bar::new("building tables");
    let scrambler = scrambler_reporting(config, metric, &|progress| bar.report(progress))?;
    bar.finish();
    Ok(scrambler)
}

/// As [`scrambler`], but reports progress instead.
pub(super) fn scrambler_reporting(
    config: &EngineConfig,
    metric: Metric,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
) -> anyhow::Result<Scrambler> {
    let store = Store::new(&config.tables_dir);
    let chain = config.method.chain(metric)?;
    let profile = TableSet::choose(&chain, &store, config.profile);
    let tables = open_or_build(&chain, &store, profile, false, progress)?;
    tables.verify_checksums()?;
    Ok(Scrambler::new(Solver::new(chain, tables)?))
}
