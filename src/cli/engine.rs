//! Opening a scrambler, for the commands that solve.

use std::num::NonZeroUsize;

use anyhow::Context;
use cube444::builder::OpenError;
use cube444::cube::Metric;
use cube444::scramble::Scrambler;
use cube444::search::{Chain, TableProgress};
use cube444::table::{Mapping, Store};
use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;

use super::advice::Advice;
use super::config::{EngineConfig, InvalidArguments};
use super::progress::Bar;

/// Sets the number of threads that build tables.
pub(super) fn use_threads(threads: Option<NonZeroUsize>) -> anyhow::Result<()> {
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .build_global()
            .context("cannot start the threads (--threads)")?;
    }
    Ok(())
}

/// A random number generator, seeded by the operating system.
pub(super) fn seeded_rng() -> anyhow::Result<ChaCha20Rng> {
    ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| {
        anyhow::anyhow!("the operating system provides no random numbers: {error}")
    })
}

/// The size in bytes from which table files are mapped. Those of the full profile with 0.3 to 0.8 GB are:
/// reading them takes long, and processes on one machine should share them. Smaller files are read, so that
/// later changes of the files do not matter.
const MAPPED_FROM: u64 = 64 << 20;

/// Maps large table files.
#[allow(
    unsafe_code,
    reason = "the help of --tables-dir passes the contract of mapping on to the user"
)]
fn mapping() -> Mapping {
    // SAFETY: users are told not to change table files in place, and the program replaces them only by
    // renaming.
    unsafe { Mapping::of_files_from(MAPPED_FROM) }
}

/// The store of the tables that the flags name.
pub(super) fn store(config: &EngineConfig) -> Store {
    Store::new(&config.tables_dir).with_mapping(mapping())
}

/// Opens a scrambler. Missing tables are built with a progress bar.
pub(super) fn open_scrambler(config: &EngineConfig, metric: Metric) -> anyhow::Result<Scrambler> {
    let bar = Bar::new("building tables");
    let chain = config.method.chain(metric)?;
    let scrambler = open_scrambler_with(config, &chain, &|progress| bar.report(progress))?;
    bar.finish();
    Ok(scrambler)
}

/// Opens a scrambler like [`open_scrambler`], but with the chain of the method, and reports progress to a
/// callback.
pub(super) fn open_scrambler_with(
    config: &EngineConfig,
    chain: &Chain,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
) -> anyhow::Result<Scrambler> {
    let opened = Scrambler::builder(&config.tables_dir)
        .profile(config.profile)
        .mapping(mapping())
        .progress(progress)
        .open_chain(chain);
    opened.map_err(|error| match error {
        OpenError::Table { profile, error } => Advice {
            config,
            profile,
            metric: chain.metric(),
        }
        .add_to(error),
        OpenError::Solver(error) => {
            InvalidArguments::new(format_args!("{error}; choose another --method")).into()
        }
        error => error.into(),
    })
}
