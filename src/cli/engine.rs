//! Making the engine ready, for the commands that solve.

use std::num::NonZeroUsize;

use anyhow::Context;
use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;

use super::config::EngineConfig;
use super::progress::Bar;
use super::remedy::Remedy;
use crate::builder::OpenError;
use crate::cube::Metric;
use crate::scramble::Scrambler;
use crate::search::TableProgress;
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

/// Large tables are mapped.
#[allow(
    unsafe_code,
    reason = "the help of --tables-dir hands the contract of mapping on to who runs the program"
)]
fn mapping() -> Mapping {
    // SAFETY: who runs the program is told not to change table files in place, and the program itself
    // replaces them by renaming only.
    unsafe { Mapping::of_files_from(MAPPED_FROM) }
}

/// The tables that the flags name.
pub(super) fn store(config: &EngineConfig) -> Store {
    Store::new(&config.tables_dir).with_mapping(mapping())
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
    let opened = Scrambler::builder(&config.tables_dir)
        .method(config.method)
        .metric(metric)
        .profile(config.profile)
        .mapping(mapping())
        .progress(progress)
        .open();
    opened.map_err(|error| match error {
        OpenError::Table { profile, error } => Remedy {
            config,
            profile,
            metric,
        }
        .explained(error),
        error => error.into(),
    })
}
