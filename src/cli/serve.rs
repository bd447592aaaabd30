//! Serving over HTTP, the main job.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::net::TcpListener;

use super::engine::scrambler_reporting;
use super::log;
use super::progress::Bar;
use super::signals::stop_signal;
use crate::config::{EngineConfig, ServeConfig};
use crate::cube::Metric;
use crate::http::{
    AppState, Methods, Metrics, Progress, Readiness, Settings, Token, drained, metrics_router,
    router, serve,
};
use crate::method::Method;
use crate::pool::{Observe, Pool, PoolConfig};
use crate::scramble::{Generate, Scrambler};
use crate::stage::TableProgress;

pub(super) fn run(config: &ServeConfig, tables: &EngineConfig) -> anyhow::Result<()> {
    config.validate(tables)?;
    let _written_to_the_end = log::start(config.log_format)?;
    let token = config.token_file.as_deref().map(read_token).transpose()?;
    if token.is_none() && !config.listen.ip().is_loopback() {
        tracing::warn!(
            "anybody who reaches {} can have scrambles; --token-file asks for a token",
            config.listen
        );
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve_until_stopped(config, tables, token));
    // Building tables or solving may still be under way in other threads; nothing waits for that.
    runtime.shutdown_background();
    served
}

/// Reads the token; what it is must not get into a message.
fn read_token(path: &Path) -> anyhow::Result<Token> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {} (--token-file)", path.display()))?;
    Token::new(&text).with_context(|| format!("{} (--token-file)", path.display()))
}

async fn listen(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address} ({flag})"))
}

async fn serve_until_stopped(
    config: &ServeConfig,
    tables: &EngineConfig,
    token: Option<Token>,
) -> anyhow::Result<()> {
    let signal = stop_signal()?;
    let signal = async {
        signal.await;
        tracing::info!("stopping");
    };
    let listener = listen(config.listen, "--listen").await?;
    let address = listener.local_addr()?;
    tracing::info!(%address, "listening");

    let others = config.other_methods(tables.method);
    let names: Vec<&'static str> = others.iter().map(|method| method.name()).collect();
    let methods = Methods::new(tables.method.name(), &names);
    let state = AppState {
        readiness: Arc::new(Readiness::starting(methods)),
        metrics: Arc::new(Metrics::default()),
        settings: Arc::new(Settings {
            max_count: config.max_count,
            effort: config.effort.effort,
            max_effort: config.max_effort,
            request_deadline: Duration::from_secs(config.request_deadline),
            token,
            cors_origins: config.cors_origins.clone(),
            tnoodle: !config.no_tnoodle,
            metrics_here: config.metrics_listen.is_none(),
        }),
    };
    if let Some(address) = config.metrics_listen {
        let listener = listen(address, "--metrics-listen").await?;
        tracing::info!(address = %listener.local_addr()?, "listening for /metrics");
        let never = std::future::pending();
        tokio::spawn(serve(listener, metrics_router(state.clone()), never));
    }

    let (ended, start) = tokio::sync::oneshot::channel();
    let (start_config, start_tables) = (config.clone(), tables.clone());
    let starting = state.clone();
    std::thread::Builder::new()
        .name("start".to_owned())
        .spawn(move || {
            let started = start_blocking(&start_config, &start_tables, &starting);
            let is_ready = started.is_ok();
            // Nobody listens any more if the service is being stopped.
            let _ = ended.send(started.map(|pool| starting.readiness.ready(pool)));
            if is_ready {
                for method in others {
                    prepare_other(&start_tables, method, &starting.readiness);
                }
            }
        })?;
    let failure = async {
        match start.await {
            Ok(Ok(())) => std::future::pending().await,
            Ok(Err(error)) => error,
            Err(_) => anyhow::anyhow!("preparing the tables and workers panicked"),
        }
    };
    let readiness = Arc::clone(&state.readiness);
    let stop = drained(
        &readiness,
        signal,
        Duration::from_secs(config.drain_delay),
        Duration::from_secs(config.shutdown_deadline),
    );
    tokio::select! {
        () = serve(listener, router(state), stop) => {
            tracing::info!("stopped");
            Ok(())
        }
        error = failure => Err(error.context("cannot start")),
    }
}

/// Opens or builds the tables of the service's own method and starts the workers.
fn start_blocking(
    config: &ServeConfig,
    tables: &EngineConfig,
    state: &AppState,
) -> anyhow::Result<Pool> {
    let started = Instant::now();
    let scrambler = prepare(tables, &|progress| state.readiness.progress(progress))?;
    let workers = config.worker_count();
    let pool = Pool::start(
        Arc::new(scrambler),
        Arc::clone(&state.metrics) as Arc<dyn Observe>,
        PoolConfig {
            workers,
            queue: config.queue as usize,
            buffer: config.buffer as usize,
            effort: config.effort.effort,
        },
    )?;
    let seconds = started.elapsed().as_secs_f64();
    let (method, profile) = (pool.method(), pool.tables());
    tracing::info!(method, tables = profile, workers, seconds, "ready");
    Ok(pool)
}

/// Makes another method ready. If that fails, the service does without it.
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
            tracing::error!(method = name, error, "this method cannot be had");
            readiness.methods.failed(name);
        }
    }
}

/// Opens or builds the tables of a method.
fn prepare(tables: &EngineConfig, report: &(dyn Fn(Progress) + Sync)) -> anyhow::Result<Scrambler> {
    let bar = Bar::new("building tables");
    let scrambler = scrambler_reporting(tables, Metric::Obtm, &|progress: TableProgress<'_>| {
        bar.report(progress);
        match progress {
            TableProgress::Waiting => report(Progress {
                step: "waiting for another process that builds the tables".to_owned(),
                done: 0.0,
            }),
            TableProgress::Building {
                label,
                done,
                total,
                table,
            } => report(Progress {
                step: format!("building table {label}"),
                done: (done + table.reached as u64) as f64 / total.max(1) as f64,
            }),
            _ => {}
        }
    })?;
    bar.finish();
    Ok(scrambler)
}
