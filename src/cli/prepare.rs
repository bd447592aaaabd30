//! Preparing the methods of a service: their tables.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use cube444::cube::Metric;
use cube444::method::Method;
use cube444::scramble::{Engine, Scrambler};
use cube444::search::{Chain, Profile, Solver, TableProgress, TableSet, open_or_build};
use cube444::table::Store;

use super::config::EngineConfig;
use super::engine::{open_scrambler_with, store};
use super::terminal::{Bar, WAITING};
use crate::http::{Engines, Progress};

/// The nice value of the lowest priority.
#[cfg(target_os = "linux")]
const LOWEST_PRIORITY: i32 = 19;

/// Time to open tables after which those in memory are made, if there are such tables.
const SLOW: Duration = Duration::from_secs(1);

/// The methods of a service that starts.
pub(super) struct Preparation {
    /// The default method and its tables.
    pub(super) tables: EngineConfig,
    /// The other methods.
    pub(super) others: Vec<Method>,
    pub(super) engines: Arc<Engines>,
}

/// A method whose tables are to be opened or built in the background, and its chain, if it is already in use with
/// tables in memory.
type Remaining = (Method, Option<Chain>);

impl Preparation {
    /// Makes the default method ready, and returns the methods that are still to be prepared.
    ///
    /// A method whose files are missing begins with tables in memory, if they are quickly made. If the default
    /// is none of these and its files are missing, the others serve while its tables are built.
    pub(super) fn make_ready(&self) -> anyhow::Result<Vec<Remaining>> {
        let started = Instant::now();
        let method = self.tables.method;
        let default = method.chain(Metric::Obtm)?;
        let others = self.others.iter().map(|&method| (method, None));
        let mut remaining: Vec<Remaining> = others.collect();
        if self.begin_early(&default, started)? {
            remaining.insert(0, (method, Some(default)));
            return Ok(remaining);
        }
        if self.files_are_missing(&default) {
            for (other, in_use) in &mut remaining {
                let started = Instant::now();
                let chain = other.chain(Metric::Obtm)?;
                *in_use = self.begin_early(&chain, started)?.then_some(chain);
            }
        }
        let scrambler = self.open_or_build(&default)?;
        self.use_scrambler(scrambler, started);
        Ok(remaining)
    }

    /// Begins to serve a method with tables in memory, if its files are missing and such tables are quickly made.
    /// Returns whether that is so.
    fn begin_early(&self, chain: &Chain, started: Instant) -> anyhow::Result<bool> {
        let is_early = chain.has_pocket_tables() && self.files_are_missing(chain);
        if is_early {
            self.use_scrambler(pocket_scrambler(chain)?, started);
        }
        Ok(is_early)
    }

    /// Prepares methods while the service serves. What has files, or tables in memory, is ready first. Building is
    /// left to one thread of low priority.
    pub(super) fn prepare_others(&self, remaining: Vec<Remaining>) {
        let failed = |method: &'static str, error: &anyhow::Error| {
            let error = format!("{error:#}");
            tracing::error!(method, error, "the tables of this method are unavailable");
            self.engines.failed(method);
        };
        let mut to_build = Vec::new();
        for (method, in_use) in remaining {
            match self.prepare_quickly(method, in_use) {
                Ok(chain) => to_build.extend(chain),
                Err(error) => failed(method.name(), &error),
            }
        }
        if to_build.is_empty() {
            return;
        }
        let background = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|_| "tables".to_owned())
            .start_handler(|_| {
                // Only on Linux this applies to a thread, elsewhere to the whole process.
                #[cfg(target_os = "linux")]
                if let Err(error) = rustix::process::setpriority_process(None, LOWEST_PRIORITY) {
                    tracing::warn!(%error, "cannot lower the priority of building tables");
                }
            })
            .build();
        for chain in to_build {
            let started = Instant::now();
            let built = match &background {
                Ok(background) => background.install(|| self.open_or_build(&chain)),
                Err(error) => Err(anyhow::anyhow!("cannot start a thread: {error}")),
            };
            match built {
                Ok(scrambler) => self.use_scrambler(scrambler, started),
                Err(error) => failed(chain.name(), &error),
            }
        }
    }

    /// Makes a method ready with its files, or with tables in memory. Returns its chain if there are tables to build.
    fn prepare_quickly(
        &self,
        method: Method,
        in_use: Option<Chain>,
    ) -> anyhow::Result<Option<Chain>> {
        let started = Instant::now();
        let is_in_use = in_use.is_some();
        let chain = in_use.map_or_else(|| method.chain(Metric::Obtm), Ok)?;
        if self.files_are_missing(&chain) {
            if !is_in_use {
                self.begin_early(&chain, started)?;
            }
            return Ok(Some(chain));
        }
        std::thread::scope(|scope| {
            let (opening, opened) = mpsc::channel::<()>();
            let (chain, engines) = (&chain, &self.engines);
            scope.spawn(move || {
                let is_slow = opened.recv_timeout(SLOW) == Err(RecvTimeoutError::Timeout);
                // After an error the method is still starting.
                if is_slow
                    && chain.has_pocket_tables()
                    && let Ok(scrambler) = pocket_scrambler(chain)
                    && engines.ready_until_opened(Arc::clone(&scrambler) as _)
                {
                    log_ready(&scrambler, started);
                }
            });
            let scrambler = self.open_or_build(chain);
            drop(opening);
            scrambler.map(|scrambler| self.use_scrambler(scrambler, started))
        })?;
        Ok(None)
    }

    /// Opens or builds the tables of a chain.
    fn open_or_build(&self, chain: &Chain) -> anyhow::Result<Arc<Scrambler>> {
        let bar = Bar::new("building tables");
        let show = |step: String| {
            let done = bar.fraction();
            self.engines.progress(chain.name(), Progress { step, done });
        };
        let report = |progress: TableProgress<'_>| match progress {
            TableProgress::Waiting => {
                tracing::info!("{WAITING}");
                show("waiting for another process that builds tables".to_owned());
            }
            TableProgress::Building { label, .. } => {
                bar.report(progress);
                show(format!("building table {label}"));
            }
            TableProgress::Built { header } => {
                let label = &header.identity.label;
                tracing::info!(seconds = header.build_seconds, "built table {label}");
            }
        };
        open_scrambler_with(&self.tables, chain, &report).map(Arc::new)
    }

    /// Uses a scrambler, whose preparation began at `started`, from now on.
    fn use_scrambler(&self, scrambler: Arc<Scrambler>, started: Instant) {
        log_ready(&scrambler, started);
        self.engines.ready(scrambler);
    }

    fn files_are_missing(&self, chain: &Chain) -> bool {
        let store = store(&self.tables);
        let profile = TableSet::choose(chain, &store, self.tables.profile);
        profile.has_files() && !TableSet::files_exist(chain, &store, profile)
    }
}

/// A scrambler with tables in memory.
fn pocket_scrambler(chain: &Chain) -> anyhow::Result<Arc<Scrambler>> {
    // The store is not used.
    let tables = open_or_build(chain, &Store::new(""), Profile::Pocket, false, &|_| ())?;
    Ok(Arc::new(Scrambler::new(Solver::new(tables)?)))
}

fn log_ready(scrambler: &Scrambler, started: Instant) {
    let (method, tables) = (scrambler.method(), scrambler.tables());
    let seconds = started.elapsed().as_secs_f64();
    tracing::info!(method, tables, seconds, "ready");
}
