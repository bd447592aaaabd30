//! Serving over HTTP, the main job.

use std::future::Future;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use super::engine::scrambler;
use super::progress::Bar;
use crate::config::{ServeConfig, TablesConfig};
use crate::cube::Metric;
use crate::http::{AppState, Progress, Readiness, serve};
use crate::pool::{Pool, RandomScrambles};

use crate::stage::TableProgress;

pub(super) fn run(config: &ServeConfig, tables: &TablesConfig) -> anyhow::Result<()> {
    config.validate()?;
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_env_filter(log_filter()?)
        .log_internal_errors(false)
        .init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve_until_stopped(config, tables));
    // Building tables or solving may still be under way in other threads; nothing waits for that.
    runtime.shutdown_background();
    served
}

/// What is logged: SCRAMBLE444_LOG, or `info`.
fn log_filter() -> anyhow::Result<EnvFilter> {
    let directives = std::env::var("SCRAMBLE444_LOG").unwrap_or_else(|_| "info".to_owned());
    EnvFilter::builder()
        .parse(directives)
        .context("SCRAMBLE444_LOG is not a log filter")
}

async fn serve_until_stopped(config: &ServeConfig, tables: &TablesConfig) -> anyhow::Result<()> {
    let stop = stop_signal()?;
    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("cannot listen on {} (--listen)", config.listen))?;
    let address = listener.local_addr()?;
    tracing::info!(%address, "listening");

    let readiness = Arc::new(Readiness::starting());
    let (ended, start) = tokio::sync::oneshot::channel();
    let (start_config, start_tables) = (config.clone(), tables.clone());
    let starting = Arc::clone(&readiness);
    std::thread::Builder::new()
        .name("start".to_owned())
        .spawn(move || {
            let started = start_blocking(&start_config, &start_tables, &starting);
            // Nobody listens any more if the service is being stopped.
            let _ = ended.send(started.map(|pool| starting.ready(pool)));
        })?;

    let state = AppState {
        readiness,
        max_count: config.max_count,
        request_deadline: Duration::from_secs(config.request_deadline),
    };
    let failure = async {
        match start.await {
            Ok(Ok(())) => std::future::pending().await,
            Ok(Err(error)) => error,
            Err(_) => anyhow::anyhow!("preparing the tables and workers panicked"),
        }
    };
    tokio::select! {
        served = serve(listener, state, stop, Duration::from_secs(config.shutdown_deadline)) => {
            served?;
            tracing::info!("stopped");
            Ok(())
        }
        error = failure => Err(error.context("cannot start")),
    }
}

/// Opens or builds the tables and starts the workers.
fn start_blocking(
    config: &ServeConfig,
    tables: &TablesConfig,
    readiness: &Readiness,
) -> anyhow::Result<Pool> {
    let started = Instant::now();
    let bar = Bar::new("building tables");
    let report = |progress: TableProgress<'_>| {
        bar.report(progress);
        match progress {
            TableProgress::Waiting => readiness.progress(Progress {
                step: "waiting for another process that builds the tables".to_owned(),
                done: 0.0,
            }),
            TableProgress::Building {
                label,
                done,
                total,
                table,
            } => {
                readiness.progress(Progress {
                    step: format!("building table {label}"),
                    done: (done + table.reached as u64) as f64 / total.max(1) as f64,
                });
            }
            TableProgress::Built { .. } => {}
        }
    };
    let scrambler = scrambler(tables, Metric::Obtm, &report)?;
    bar.finish();
    let generator = Arc::new(RandomScrambles {
        scrambler,
        effort: config.effort.effort(),
    });
    let workers = config.worker_count();
    let pool = Pool::start(generator, workers, config.queue as usize)?;
    let seconds = started.elapsed().as_secs_f64();
    tracing::info!(
        tables = pool.generator().tables(),
        workers,
        seconds,
        "ready"
    );
    Ok(pool)
}

/// Resolves at SIGTERM or SIGINT.
fn stop_signal() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        let terminated = terminate.recv();
        #[cfg(not(unix))]
        let terminated = std::future::pending::<()>();
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated => {}
        }
        tracing::info!("stopping");
    })
}
