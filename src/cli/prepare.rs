//! Preparing the methods of a service: their tables, and the pool.

use std::sync::Arc;
use std::time::Instant;

use super::config::{EngineConfig, ServeConfig};
use super::engine::{open_scrambler_with, store};
use super::progress::{Bar, WAITING};
use crate::cube::Metric;
use crate::http::{AppState, Progress};
use crate::method::Method;
use crate::pool::{Observer, Pool, PoolConfig};
use crate::scramble::{Generate, Scrambler};
use crate::search::{Chain, Profile, Solver, TableProgress, TableSet, open_or_build};
use crate::table::Store;

/// The nice value of the lowest priority.
#[cfg(target_os = "linux")]
const LOWEST_PRIORITY: i32 = 19;

/// The methods of a service that starts.
pub(super) struct Preparation<'a> {
    pub(super) config: &'a ServeConfig,
    /// The default method and its tables.
    pub(super) tables: &'a EngineConfig,
    /// The other methods.
    pub(super) others: &'a [Method],
    pub(super) state: &'a AppState,
}

/// A method whose tables are to be opened or built in the background.
pub(super) struct Remaining {
    method: Method,
    /// Its chain, if it is already in use with tables in memory.
    in_use: Option<Chain>,
}

impl Preparation<'_> {
    /// Makes the service ready, and returns the methods that are still to be prepared.
    ///
    /// A method whose files are missing begins with tables in memory, if they are quickly made. If the default
    /// is none of these and its files are missing, the others serve while its tables are built.
    pub(super) fn make_ready(&self) -> anyhow::Result<Vec<Remaining>> {
        let started = Instant::now();
        let default = self.tables.method.chain(Metric::Obtm)?;
        let is_missing = self.files_are_missing(&default);
        let remaining = |&method: &Method| Remaining {
            method,
            in_use: None,
        };
        let mut remaining: Vec<Remaining> = self.others.iter().map(remaining).collect();
        let scrambler = if is_missing && default.has_pocket_tables() {
            let method = self.tables.method;
            let scrambler = pocket_scrambler(&default)?;
            let in_use = Some(default);
            remaining.insert(0, Remaining { method, in_use });
            scrambler
        } else {
            if is_missing {
                for other in &mut remaining {
                    self.begin_early(other)?;
                }
            }
            prepare(self.tables, &default, &|progress| {
                self.state.readiness.progress(progress);
            })?
        };
        log_ready(scrambler.method(), scrambler.tables(), started);
        self.use_default(Arc::new(scrambler))?;
        Ok(remaining)
    }

    fn use_default(&self, scrambler: Arc<Scrambler>) -> anyhow::Result<()> {
        let pool = self.start_pool(scrambler, self.config.buffer as usize)?;
        self.state.readiness.ready(pool);
        Ok(())
    }

    /// Begins to serve a method that is not the default before the service is ready, if that is quick.
    fn begin_early(&self, other: &mut Remaining) -> anyhow::Result<()> {
        let chain = other.method.chain(Metric::Obtm)?;
        if let Some(scrambler) = self.quick_scrambler(&chain)? {
            let pool = self.start_pool(Arc::clone(&scrambler), 0)?;
            self.state.readiness.ready_but_for_default(pool);
            let methods = &self.state.readiness.methods;
            methods.ready(other.method.name(), scrambler);
            other.in_use = Some(chain);
        }
        Ok(())
    }

    /// Prepares methods while the service serves: one after the other, in one thread of low priority.
    pub(super) fn prepare_in_background(&self, remaining: Vec<Remaining>) {
        if remaining.is_empty() {
            return;
        }
        let background = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|_| "tables".to_owned())
            .start_handler(|_| lower_priority())
            .build();
        let prepare =
            |background: &rayon::ThreadPool, one| background.install(|| self.prepare_method(one));
        for one in remaining {
            let name = one.method.name();
            let prepared = match &background {
                Ok(background) => prepare(background, one),
                Err(error) => Err(anyhow::anyhow!("cannot start a thread: {error}")),
            };
            if let Err(error) = prepared {
                let error = format!("{error:#}");
                tracing::error!(
                    method = name,
                    error,
                    "the tables of this method are unavailable"
                );
                self.state.readiness.methods.failed(name);
            }
        }
    }

    /// Opens or builds the tables of a method. If that fails, the service runs without it, or with the tables in
    /// memory.
    fn prepare_method(&self, remaining: Remaining) -> anyhow::Result<()> {
        let started = Instant::now();
        let Remaining { method, in_use } = remaining;
        let name = method.name();
        let methods = &self.state.readiness.methods;
        let chain = match in_use {
            Some(chain) => chain,
            None => {
                let chain = method.chain(Metric::Obtm)?;
                if let Some(scrambler) = self.quick_scrambler(&chain)? {
                    methods.ready(name, scrambler);
                }
                chain
            }
        };
        let tables = EngineConfig {
            method,
            ..self.tables.clone()
        };
        let report = |progress| methods.progress(name, progress);
        let scrambler = Arc::new(prepare(&tables, &chain, &report)?);
        log_ready(name, scrambler.tables(), started);
        if method == self.tables.method {
            self.use_default(scrambler)?;
        } else {
            methods.ready(name, scrambler);
        }
        Ok(())
    }

    /// A scrambler with tables in memory, if the files of a chain are missing and it has smaller tables than those.
    fn quick_scrambler(&self, chain: &Chain) -> anyhow::Result<Option<Arc<Scrambler>>> {
        if !chain.has_pocket_tables() || !self.files_are_missing(chain) {
            return Ok(None);
        }
        let started = Instant::now();
        let scrambler = pocket_scrambler(chain)?;
        log_ready(chain.name(), scrambler.tables(), started);
        Ok(Some(Arc::new(scrambler)))
    }

    fn files_are_missing(&self, chain: &Chain) -> bool {
        let store = store(self.tables);
        let profile = TableSet::choose(chain, &store, self.tables.profile);
        profile.has_files() && !TableSet::files_exist(chain, &store, profile)
    }

    /// Starts the workers.
    fn start_pool(&self, scrambler: Arc<Scrambler>, buffer: usize) -> anyhow::Result<Pool> {
        let config = self.config;
        let pool = Pool::start(
            scrambler,
            Arc::clone(&self.state.metrics) as Arc<dyn Observer>,
            PoolConfig {
                workers: config.worker_count(),
                queue: config.queue_length() as usize,
                queue_per_client: config
                    .max_per_client
                    .map_or(usize::MAX, |limit| limit as usize),
                buffer,
                idle_effort: config.buffer_effort,
                busy_effort: config.effort.effort.min(config.buffer_effort),
            },
        )?;
        Ok(pool)
    }
}

/// A scrambler with tables in memory.
fn pocket_scrambler(chain: &Chain) -> anyhow::Result<Scrambler> {
    // The store is not used.
    let tables = open_or_build(chain, &Store::new(""), Profile::Pocket, false, &|_| ())?;
    Ok(Scrambler::new(Solver::new(tables)?))
}

fn log_ready(method: &str, tables: &str, started: Instant) {
    let seconds = started.elapsed().as_secs_f64();
    tracing::info!(method, tables, seconds, "ready");
}

/// Gives the calling thread the lowest priority.
fn lower_priority() {
    // Only on Linux this applies to a thread, elsewhere to the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, LOWEST_PRIORITY) {
        tracing::warn!(%error, "cannot lower the priority of building tables");
    }
}

/// Opens or builds the tables of a method.
fn prepare(
    tables: &EngineConfig,
    chain: &Chain,
    report: &(dyn Fn(Progress) + Sync),
) -> anyhow::Result<Scrambler> {
    let bar = Bar::new("building tables");
    let scrambler = open_scrambler_with(
        tables,
        chain,
        &|progress: TableProgress<'_>| match progress {
            TableProgress::Waiting => {
                tracing::info!("{WAITING}");
                report(Progress {
                    step: "waiting for another process that builds tables".to_owned(),
                    done: 0.0,
                });
            }
            TableProgress::Building {
                label,
                done,
                total,
                table,
            } => {
                bar.report(progress);
                report(Progress {
                    step: format!("building table {label}"),
                    done: (done + table.reached as u64) as f64 / total.max(1) as f64,
                });
            }
            TableProgress::Built { header } => {
                let label = &header.identity.label;
                tracing::info!(seconds = header.build_seconds, "built table {label}");
            }
        },
    )?;
    bar.finish();
    Ok(scrambler)
}
