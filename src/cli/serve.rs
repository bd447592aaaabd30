//! `scramble444 serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::net::TcpListener;

use super::config::{EngineConfig, LogFormat, ServeConfig};
use super::engine::open_scrambler_with;
use super::log;
use super::progress::{Bar, WAITING};
use super::signals::{ReloadSignals, StopSignals};
use super::terminal::Logged;
use super::variables::unknown_variables;
use crate::cube::Metric;
use crate::http::{
    Access, AppState, ConnectionLimit, DocumentMemory, Methods, Metrics, Progress, Readiness,
    Settings, Tokens, drain, metrics_router, router, router_at_capacity, serve,
};
use crate::method::Method;
use crate::pool::{Observer, Pool, PoolConfig};
use crate::scramble::{Generate, Scrambler};
use crate::search::TableProgress;

/// Time to send the responses of requests that are aborted at the shutdown deadline.
const FINAL_RESPONSES: Duration = Duration::from_secs(1);

/// Maximum number of connections to the address for metrics.
const MAX_METRICS_CONNECTIONS: usize = 32;

pub(super) fn run(config: &ServeConfig, tables: &EngineConfig) -> anyhow::Result<()> {
    let _guard = log::start(config.log_format)?;
    match try_serve(config, tables) {
        // A plain text line would break the JSON log.
        Err(error) if config.log_format == LogFormat::Json => {
            let error = format!("{error:#}");
            tracing::error!(error, "cannot serve");
            Err(Logged.into())
        }
        result => result,
    }
}

fn try_serve(config: &ServeConfig, tables: &EngineConfig) -> anyhow::Result<()> {
    config.validate(tables)?;
    let variables: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .collect();
    let unknown = unknown_variables(&variables).join(", ");
    if !unknown.is_empty() {
        tracing::warn!("unknown environment variables: {unknown}");
    }
    let tokens = config.token_file.as_deref().map(read_tokens).transpose()?;
    if tokens.is_none() && !config.listen.ip().is_loopback() {
        tracing::warn!(
            "every client that can reach {} can get scrambles; use --token-file to require a token",
            config.listen
        );
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let result = runtime.block_on(serve_until_stopped(config, tables, tokens));
    // Do not wait for other threads that build tables or solve.
    runtime.shutdown_background();
    result
}

/// Reads the token file. Errors do not repeat its content.
fn read_tokens(path: &Path) -> anyhow::Result<Tokens> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {} (--token-file)", path.display()))?;
    Tokens::new(&text).with_context(|| format!("{} (--token-file)", path.display()))
}

/// Reads the token file again on each SIGHUP. The old tokens stay if that fails.
async fn reload_tokens(mut signals: ReloadSignals, path: Option<PathBuf>, access: Arc<Access>) {
    loop {
        signals.next().await;
        let Some(path) = &path else {
            tracing::info!("SIGHUP: no token file to read");
            continue;
        };
        match read_tokens(path) {
            Ok(tokens) => {
                access.replace(tokens);
                tracing::info!("SIGHUP: the token file has been read");
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::error!(error, "SIGHUP: the old tokens stay valid");
            }
        }
    }
}

/// The nice value of the lowest priority.
#[cfg(target_os = "linux")]
const LOWEST_PRIORITY: i32 = 19;

async fn listen(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address} ({flag})"))
}

async fn serve_until_stopped(
    config: &ServeConfig,
    tables: &EngineConfig,
    tokens: Option<Tokens>,
) -> anyhow::Result<()> {
    let mut signals = StopSignals::new()?;
    let access = Arc::new(tokens.map_or_else(Access::default, Access::with_tokens));
    let reload_signals = ReloadSignals::new()?;
    tokio::spawn(reload_tokens(
        reload_signals,
        config.token_file.clone(),
        Arc::clone(&access),
    ));
    let listener = listen(config.listen, "--listen").await?;
    let address = listener.local_addr()?;
    tracing::info!(%address, "listening");

    let others = config.other_methods(tables.method);
    let names: Vec<&'static str> = others.iter().map(|method| method.name()).collect();
    let methods = Methods::new(tables.method.name(), &names);
    let max_competition = config.max_competition as usize * 1024 * 1024;
    let state = AppState {
        readiness: Arc::new(Readiness::starting(methods)),
        metrics: Arc::new(Metrics::default()),
        connections: Arc::new(ConnectionLimit::new(config.connections())),
        document_memory: DocumentMemory::new(max_competition),
        settings: Arc::new(Settings {
            max_count: config.max_count,
            max_stream: config.max_stream,
            max_competition,
            effort: config.effort.effort,
            max_effort: config.max_effort,
            request_deadline: Duration::from_secs(config.request_deadline),
            access,
            trusted_proxies: config.trusted_proxies.clone(),
            cors_origins: config.cors_origins.clone(),
            tnoodle: !config.no_tnoodle,
            serve_metrics: config.metrics_listen.is_none(),
        }),
    };
    if let Some(address) = config.metrics_listen {
        let listener = listen(address, "--metrics-listen").await?;
        tracing::info!(address = %listener.local_addr()?, "listening for /metrics");
        let never = std::future::pending();
        let [router, at_capacity] = [(); 2].map(|()| metrics_router(state.clone()));
        let limit = ConnectionLimit::new(MAX_METRICS_CONNECTIONS);
        tokio::spawn(async move { serve(listener, router, at_capacity, &limit, never).await });
    }

    let (sender, start_result) = tokio::sync::oneshot::channel();
    let (start_config, start_tables) = (config.clone(), tables.clone());
    let start_state = state.clone();
    std::thread::Builder::new()
        .name("start".to_owned())
        .spawn(move || {
            let pool = start_pool(&start_config, &start_tables, &start_state);
            let is_ready = pool.is_ok();
            // Sending fails if the service is already stopping.
            let _ = sender.send(pool.map(|pool| start_state.readiness.ready(pool)));
            if is_ready && !others.is_empty() {
                prepare_others(&start_tables, &others, &start_state.readiness);
            }
        })?;
    let start_failure = async {
        match start_result.await {
            Ok(Ok(())) => std::future::pending().await,
            Ok(Err(error)) => error,
            Err(_) => anyhow::anyhow!("preparing the tables and workers panicked"),
        }
    };
    let readiness = Arc::clone(&state.readiness);
    let min = Duration::from_secs(config.drain_delay);
    let max = Duration::from_secs(config.shutdown_deadline);
    let stop = async {
        signals.next().await;
        tracing::info!("stopping");
        tokio::select! {
            () = drain(&readiness, min, max) => {}
            _ = signals.next() => tracing::warn!("stopping at once: a second signal"),
        }
        readiness.abort_requests();
        tokio::time::Instant::now() + FINAL_RESPONSES
    };
    let limit = Arc::clone(&state.connections);
    let at_capacity = router_at_capacity(state.clone());
    tokio::select! {
        () = serve(listener, router(state), at_capacity, &limit, stop) => {
            tracing::info!("stopped");
            Ok(())
        }
        error = start_failure => Err(error.context("cannot start")),
    }
}

/// Opens or builds the tables of the default method, and starts the workers.
fn start_pool(
    config: &ServeConfig,
    tables: &EngineConfig,
    state: &AppState,
) -> anyhow::Result<Pool> {
    let started = Instant::now();
    let scrambler = prepare(tables, &|progress| state.readiness.progress(progress))?;
    let workers = config.worker_count();
    let pool = Pool::start(
        Arc::new(scrambler),
        Arc::clone(&state.metrics) as Arc<dyn Observer>,
        PoolConfig {
            workers,
            queue: config.queue_length() as usize,
            queue_per_client: config
                .max_per_client
                .map_or(usize::MAX, |limit| limit as usize),
            buffer: config.buffer as usize,
            idle_effort: config.buffer_effort,
            busy_effort: config.effort.effort.min(config.buffer_effort),
        },
    )?;
    let seconds = started.elapsed().as_secs_f64();
    let (method, profile) = (pool.method(), pool.tables());
    tracing::info!(method, tables = profile, workers, seconds, "ready");
    Ok(pool)
}

/// Prepares the other methods while the service serves: one after the other, in one thread of low priority.
fn prepare_others(tables: &EngineConfig, others: &[Method], readiness: &Readiness) {
    let background = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .thread_name(|_| "tables".to_owned())
        .start_handler(|_| lower_priority())
        .build();
    match background {
        Ok(background) => background.install(|| {
            for &method in others {
                prepare_other(tables, method, readiness);
            }
        }),
        Err(error) => {
            tracing::error!(%error, "cannot start a thread for the tables of other methods");
            for method in others {
                readiness.methods.failed(method.name());
            }
        }
    }
}

/// Gives the calling thread the lowest priority.
fn lower_priority() {
    // Only on Linux this applies to a thread, elsewhere to the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, LOWEST_PRIORITY) {
        tracing::warn!(%error, "cannot lower the priority of building tables");
    }
}

/// Prepares a method. If that fails, the service runs without it.
fn prepare_other(tables: &EngineConfig, method: Method, readiness: &Readiness) {
    let started = Instant::now();
    let tables = EngineConfig {
        method,
        ..tables.clone()
    };
    let name = method.name();
    match prepare(&tables, &|progress| {
        readiness.methods.progress(name, progress)
    }) {
        Ok(scrambler) => {
            let seconds = started.elapsed().as_secs_f64();
            tracing::info!(method = name, tables = scrambler.tables(), seconds, "ready");
            readiness.methods.ready(name, Arc::new(scrambler));
        }
        Err(error) => {
            let error = format!("{error:#}");
            tracing::error!(method = name, error, "method unavailable");
            readiness.methods.failed(name);
        }
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
