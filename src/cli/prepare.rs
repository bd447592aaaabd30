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
use crate::search::{Profile, Solver, TableProgress, TableSet, open_or_build};

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

impl Preparation<'_> {
    /// Makes the service ready, and returns the methods that are still to be prepared.
    ///
    /// A method whose files are missing begins with tables in memory, if they are quickly made. Other
    /// methods of this kind serve while the tables of the default are built.
    pub(super) fn make_ready(&self) -> anyhow::Result<Vec<Method>> {
        let methods = &self.state.readiness.methods;
        for &method in self.others {
            if let Some(pocket) = self.pocket_scrambler(method)? {
                let pocket = Arc::new(pocket);
                methods.ready(method.name(), Arc::clone(&pocket) as Arc<dyn Generate>);
                let pool = self.start_pool(pocket, 0)?;
                self.state.readiness.ready_but_for_default(pool);
            }
        }
        let started = Instant::now();
        let default = self.tables.method;
        let pocket = self.pocket_scrambler(default)?;
        let mut remaining = self.others.to_vec();
        if pocket.is_some() {
            remaining.insert(0, default);
        }
        let report = |progress| self.state.readiness.progress(progress);
        let scrambler = pocket.map_or_else(|| prepare(self.tables, &report), Ok)?;
        let pool = self.start_pool(Arc::new(scrambler), self.config.buffer as usize)?;
        log_ready(pool.method(), pool.tables(), started);
        self.state.readiness.ready(pool);
        Ok(remaining)
    }

    /// Prepares methods while the service serves: one after the other, in one thread of low priority.
    pub(super) fn prepare_in_background(&self, methods: &[Method]) {
        if methods.is_empty() {
            return;
        }
        let background = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|_| "tables".to_owned())
            .start_handler(|_| lower_priority())
            .build();
        match background {
            Ok(background) => background.install(|| {
                methods
                    .iter()
                    .for_each(|&method| self.prepare_method(method));
            }),
            Err(error) => {
                tracing::error!(%error, "cannot start a thread for the tables of other methods");
                for method in methods {
                    self.state.readiness.methods.failed(method.name());
                }
            }
        }
    }

    /// Prepares a method. If that fails, the service runs without it, or with the tables that it has.
    fn prepare_method(&self, method: Method) {
        let started = Instant::now();
        let tables = EngineConfig {
            method,
            ..self.tables.clone()
        };
        let readiness = &self.state.readiness;
        let name = method.name();
        let prepared = prepare(&tables, &|progress| {
            readiness.methods.progress(name, progress)
        });
        let used = prepared.and_then(|scrambler| {
            let scrambler = Arc::new(scrambler);
            log_ready(name, scrambler.tables(), started);
            if method == self.tables.method {
                readiness.ready(self.start_pool(scrambler, self.config.buffer as usize)?);
            } else {
                readiness.methods.ready(name, scrambler);
            }
            Ok(())
        });
        if let Err(error) = used {
            let error = format!("{error:#}");
            tracing::error!(
                method = name,
                error,
                "the tables of this method are unavailable"
            );
            readiness.methods.failed(name);
        }
    }

    /// A scrambler with tables in memory, if the files of a method are missing and it has smaller tables than
    /// those.
    fn pocket_scrambler(&self, method: Method) -> anyhow::Result<Option<Scrambler>> {
        let chain = method.chain(Metric::Obtm)?;
        let store = store(self.tables);
        let profile = TableSet::choose(&chain, &store, self.tables.profile);
        let is_quick = chain.has_pocket_tables() && profile.has_files();
        if !is_quick || TableSet::files_exist(&chain, &store, profile) {
            return Ok(None);
        }
        let started = Instant::now();
        let tables = open_or_build(&chain, &store, Profile::Pocket, false, &|_| ())?;
        let scrambler = Scrambler::new(Solver::new(tables)?);
        log_ready(method.name(), scrambler.tables(), started);
        Ok(Some(scrambler))
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
fn prepare(tables: &EngineConfig, report: &(dyn Fn(Progress) + Sync)) -> anyhow::Result<Scrambler> {
    let bar = Bar::new("building tables");
    let scrambler =
        open_scrambler_with(
            tables,
            Metric::Obtm,
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
