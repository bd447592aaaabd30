//! `scramble444 serve`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use futures_util::{FutureExt, StreamExt};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::config::{InvalidArguments, ServeArgs, TablesConfig};
use super::input;
use super::limits;
use super::log::{self, LogFormat};
use super::prepare::{Preparation, SLOW};
use super::removed;
use super::signals::{reload_signals, stop_signals};
use super::variables::{PREFIX, unknown_variables};
use crate::http::{
    AppState, Tokens, bind, drain, metrics_router, router, router_at_capacity, serve,
};
use crate::settings::{Settings, cores};

/// Time that requests in progress have to end when the service stops.
const END_TIME: Duration = Duration::from_secs(30);

/// Threads for short work that blocks, such as `/metrics` and pictures, and for preparing methods.
const OTHER_THREADS: usize = 8;

/// Threads beside those of the libraries and the workers: the log, preparing a method, its tables, and reading files.
const OWN_THREADS: usize = 4;

/// Files that the service opens beside connections, and a few of these.
const SERVICE_FILES: usize = 16;

/// Time to send the responses of requests that are aborted at the shutdown deadline.
const FINAL_RESPONSES: Duration = Duration::from_secs(1);

/// Maximum number of connections to the address for metrics.
const MAX_METRICS_CONNECTIONS: usize = 32;

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    // Tokio and rayon start a thread for each core.
    let threads = 2 * cores() + args.settings.worker_count() + OWN_THREADS;
    limits::check(threads, SERVICE_FILES)?;
    let log = log::start(args.log_format);
    let _guard = log.map_err(|error| InvalidArguments(format!("{error:#}")))?;
    match try_serve(&args.settings, &args.tables) {
        // A plain text line would break the JSON log.
        Err(error) if args.log_format == LogFormat::Json => {
            let error = format!("{error:#}");
            tracing::error!(error, "cannot serve");
            Ok(ExitCode::FAILURE)
        }
        result => result.map(|()| ExitCode::SUCCESS),
    }
}

fn try_serve(config: &Settings, tables: &TablesConfig) -> anyhow::Result<()> {
    config.validate().map_err(InvalidArguments)?;
    let variables: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .collect();
    let unknown = unknown_variables(&variables);
    if !unknown.is_empty() {
        tracing::warn!("unknown environment variables: {}", unknown.join(", "));
    }
    for name in unknown {
        if let Some(advice) = name.strip_prefix(PREFIX).and_then(removed::advice) {
            tracing::warn!("{name} was removed: {advice}");
        }
    }
    let tokens = config.token_file.as_deref().map(read_tokens).transpose()?;
    let mut public = config.listen.iter();
    if tokens.is_none()
        && let Some(address) = public.find(|address| !address.ip().is_loopback())
    {
        tracing::warn!(
            "every client that can reach {address} can get scrambles; use --token-file to require a token"
        );
    }
    let (connections, given) = (config.connections(), config.wanted_connections());
    if given > connections {
        tracing::warn!(
            "--max-connections ({given}) is lowered to {connections}, as the limit of open files is too low; \
             raise it (ulimit -n)"
        );
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(config.worker_count() + OTHER_THREADS)
        .build()?;
    let result = runtime.block_on(serve_until_stopped(config, tables, tokens));
    // Do not wait for other threads that build tables or solve.
    runtime.shutdown_background();
    result
}

/// Reads the token file. Errors do not repeat its content.
fn read_tokens(path: &Path) -> anyhow::Result<Tokens> {
    let read = || input::decode(&input::read_file(path)?);
    let text = read().with_context(|| format!("cannot read {} (--token-file)", path.display()))?;
    // Mounted secrets are often readable by a group.
    if let Some(exposure) = input::exposure(path, 0o007) {
        tracing::warn!("{exposure}");
    }
    Tokens::new(&text).with_context(|| format!("{} (--token-file)", path.display()))
}

/// Reads the token file again. The old tokens stay if that fails.
fn reload_tokens(path: Option<&Path>, tokens: &watch::Sender<Option<Tokens>>) {
    match path.map(read_tokens) {
        None => tracing::info!("SIGHUP: no token file to read"),
        Some(Ok(new)) => {
            tokens.send_replace(Some(new));
            tracing::info!("SIGHUP: the token file has been read");
        }
        Some(Err(error)) => {
            let error = format!("{error:#}");
            tracing::error!(error, "SIGHUP: the old tokens stay valid");
        }
    }
}

fn listen(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    bind(address).with_context(|| format!("cannot listen on {address} ({flag})"))
}

/// Listens on all addresses, except those of a family that the host does not have, if it has another one of them.
fn listen_on_all(addresses: &[SocketAddr]) -> anyhow::Result<Vec<TcpListener>> {
    let mut listeners = Vec::new();
    for address in addresses {
        match listen(*address, "--listen") {
            Ok(listener) => listeners.push(listener),
            Err(error) if !has_family(address) && addresses.iter().any(has_family) => {
                tracing::warn!("{error:#}; the host does not have this address family");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(listeners)
}

/// Whether the host has the family of an address: at least its loopback address.
fn has_family(address: &SocketAddr) -> bool {
    let loopback: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    UdpSocket::bind((loopback, 0)).is_ok()
}

async fn serve_until_stopped(
    config: &Settings,
    tables: &TablesConfig,
    tokens: Option<Tokens>,
) -> anyhow::Result<()> {
    let mut signals = stop_signals()?;
    let (reloaded, tokens) = watch::channel(tokens);
    let mut reloads = reload_signals()?;
    let path = config.token_file.clone();
    tokio::spawn(async move {
        while reloads.next().await.is_some() {
            let (path, tokens) = (path.clone(), reloaded.clone());
            // Reading blocks as long as nobody writes, if the file has become a pipe.
            spawn_blocking(move || reload_tokens(path.as_deref(), &tokens));
        }
    });
    let listeners = listen_on_all(&config.listen)?;
    for listener in &listeners {
        tracing::info!(address = %listener.local_addr()?, "listening");
    }

    tracing::info!(directory = %tables.tables_dir().display(), "tables");
    let methods = config.distinct_methods();
    let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
    let state = AppState::new(config.clone(), &names, tokens);
    if let Some(address) = config.metrics_listen {
        let listener = listen(address, "--metrics-listen")?;
        tracing::info!(address = %listener.local_addr()?, "listening for /metrics");
        let never = std::future::pending();
        let [router, at_capacity] = [(); 2].map(|()| metrics_router(state.clone()));
        let state = state.clone();
        let limit = Arc::new(Semaphore::new(MAX_METRICS_CONNECTIONS));
        tokio::spawn(async move {
            serve(vec![listener], router, at_capacity, &limit, &state, never).await;
        });
    }

    let engines = Arc::clone(&state.engines);
    let preparation = Preparation {
        tables: tables.clone(),
        methods,
        engines: Arc::clone(&engines),
        page: listeners[0].local_addr()?,
        slow: SLOW,
    };
    let start_failure = async {
        match spawn_blocking(move || preparation.run()).await {
            Ok(Err(error)) => error,
            _ => std::future::pending().await,
        }
    };
    let delay = config.drain_delay;
    let (stop, stopped) = oneshot::channel();
    let stopping = async {
        signals.next().await;
        tracing::info!("stopping");
        let cut_off = async {
            tokio::select! {
                () = sleep(delay + END_TIME) => {}
                _ = signals.next() => tracing::warn!("stopping at once: a second signal"),
            }
        };
        let cut_off = cut_off.shared();
        drain(&engines, delay, cut_off.clone()).await;
        let _ = stop.send(());
        cut_off.await;
        sleep(FINAL_RESPONSES).await;
        tracing::warn!("requests still in flight were cut off");
    };
    let limit = Arc::clone(&state.connections);
    let at_capacity = router_at_capacity(state.clone());
    let serving = serve(
        listeners,
        router(state.clone()),
        at_capacity,
        &limit,
        &state,
        stopped.map(drop),
    );
    tokio::select! {
        () = serving => {}
        () = stopping => {}
        error = start_failure => return Err(error.context("cannot start")),
    }
    tracing::info!("stopped");
    Ok(())
}
