//! Making the engine ready, for the commands that solve.

use std::num::NonZeroUsize;

use anyhow::Context;
use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;

use super::config::EngineConfig;
use super::progress::Bar;
use super::remedy::Remedy;
use crate::cube::Metric;
use crate::scramble::Scrambler;
use crate::search::{EffortLevel, Solver, SolverError, TableProgress, TableSet, open_or_build};
use crate::table::{Mapping, Store};

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

/// Random numbers for states, seeded by the operating system.
pub(super) fn seeded_rng() -> anyhow::Result<ChaCha20Rng> {
    ChaCha20Rng::try_from_rng(&mut SysRng)
        .map_err(|error| anyhow::anyhow!("the operating system gives no random numbers: {error}"))
}

/// Table files of at least so many bytes are mapped. That is three of the full profile, 0.3 to 0.8 GB
/// each, which take long to read, and which processes on one machine should share. The others, 100 MB
/// together, are read in less than a tenth of a second; then what happens to the files does not
/// matter any more.
const MAPPED_FROM: u64 = 64 << 20;

/// The tables that the flags name.
#[allow(
    unsafe_code,
    reason = "the help of --tables-dir hands the contract of mapping on to who runs the program"
)]
pub(super) fn store(config: &EngineConfig) -> Store {
    // SAFETY: who runs the program is told not to change table files in place, and the program itself
    // replaces them by renaming only.
    let mapping = unsafe { Mapping::of_files_from(MAPPED_FROM) };
    Store::new(&config.tables_dir).with_mapping(mapping)
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
    let store = store(config);
    let chain = config.method.chain(metric)?;
    // Before tables are built that nothing would use.
    if chain.effort(EffortLevel::LEAST).is_none() {
        let method = chain.name();
        return Err(SolverError::AnalysisOnly { method }.into());
    }
    let profile = TableSet::choose(&chain, &store, config.profile);
    let remedy = Remedy {
        config,
        profile,
        metric,
    };
    let tables = open_or_build(&chain, &store, profile, false, progress)
        .map_err(|error| remedy.explained(error))?;
    tables
        .verify_checksums()
        .map_err(|error| remedy.explained(error))?;
    Ok(Scrambler::new(Solver::new(tables)?))
}
