//! Flags of the service.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use axum::http::HeaderValue;
use clap::{Args, ValueEnum};
use ipnet::IpNet;

use super::choice::method;
use super::engine::{EffortConfig, EngineConfig};
use crate::method::Method;
use crate::pool::TYPICAL_MILLIS;
use crate::search::EffortLevel;

/// How the service runs.
#[derive(Args, Clone, Debug)]
pub(crate) struct ServeConfig {
    /// Address and port to listen on; port 0 takes any free one.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        env = "SCRAMBLE444_LISTEN",
        default_value = "127.0.0.1:4444",
        value_parser = address
    )]
    pub(crate) listen: SocketAddr,

    #[command(flatten)]
    pub(crate) effort: EffortConfig,

    /// The methods that a request may name besides --method. They are made ready one after the other,
    /// --method first, by which the service is ready.
    #[arg(
        long,
        value_name = "METHODS",
        env = "SCRAMBLE444_METHODS",
        value_delimiter = ',',
        default_value = "five-stage,reduction",
        value_parser = method(|method| method.is_for_services())
    )]
    pub(crate) methods: Vec<Method>,

    /// The greatest level of effort that a request may ask for.
    #[arg(
        long,
        value_name = "LEVEL",
        env = "SCRAMBLE444_MAX_EFFORT",
        default_value = "7"
    )]
    pub(crate) max_effort: EffortLevel,

    /// Scrambles that are kept ready, made by --method when there is nothing else to do; 0 for none.
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_BUFFER",
        default_value = "14",
        value_parser = clap::value_parser!(u32).range(0..=100_000)
    )]
    pub(crate) buffer: u32,

    /// How much work goes into those when there is nothing else to do, up to 10; until seven are ready, and
    /// while streams wait, --effort. A request gets them if it asks for no more than they have.
    #[arg(
        long,
        value_name = "LEVEL",
        env = "SCRAMBLE444_BUFFER_EFFORT",
        default_value = "8"
    )]
    pub(crate) buffer_effort: EffortLevel,

    /// Solver threads [default: the number of cores].
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_WORKERS",
        value_parser = clap::value_parser!(u32).range(1..=4096)
    )]
    pub(crate) workers: Option<u32>,

    /// The most scrambles that one request may ask for, streams aside.
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_MAX_COUNT",
        default_value = "100",
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    pub(crate) max_count: u32,

    /// The most connections at a time; more wait to be let in [default: what the limit of open files allows,
    /// up to 4000].
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_MAX_CONNECTIONS",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) max_connections: Option<u32>,

    /// The most scrambles that a stream may ask for (application/x-ndjson, and TNoodle's arrays and
    /// lines).
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_MAX_STREAM",
        default_value = "10000",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) max_stream: u32,

    /// The largest competition that a request may bring, in MiB. Together, requests under way may bring four
    /// times as much.
    #[arg(
        long,
        value_name = "MIB",
        env = "SCRAMBLE444_MAX_COMPETITION",
        default_value = "8",
        value_parser = clap::value_parser!(u32).range(1..=256)
    )]
    pub(crate) max_competition: u32,

    /// The most scrambles and solutions that may be waiting or being made at a time, those of streams
    /// aside; a request beyond that is refused at once. At least --max-count [default: about as many as
    /// --workers make with --effort in half of --request-deadline].
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_QUEUE",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) queue: Option<u32>,

    /// The most scrambles and solutions that one client may have waiting or being made at a time, those of
    /// its streams included; a request beyond that is refused at once. At least --max-count [default: as
    /// many as all clients]. A client is known by the name of its token, otherwise by its address.
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_MAX_PER_CLIENT",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) max_per_client: Option<u32>,

    /// Addresses or networks of proxies, such as `10.0.0.0/8`, that are believed in which address a request
    /// comes from (`X-Forwarded-For`); may be given several times, or as a list with commas. None by
    /// default, so that all requests through a proxy are taken for one client's.
    #[arg(
        long = "trusted-proxy",
        value_name = "NETWORK",
        env = "SCRAMBLE444_TRUSTED_PROXY",
        value_delimiter = ',',
        value_parser = network
    )]
    pub(crate) trusted_proxies: Vec<IpNet>,

    /// Seconds after which what a request still waits for is finished in the quickest way.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "SCRAMBLE444_REQUEST_DEADLINE",
        default_value = "20",
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    pub(crate) request_deadline: u64,

    /// Seconds that requests in flight have to finish after SIGTERM or SIGINT.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "SCRAMBLE444_SHUTDOWN_DEADLINE",
        default_value = "30",
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    pub(crate) shutdown_deadline: u64,

    /// Seconds after SIGTERM or SIGINT for which the service at least goes on to answer that it is
    /// shutting down, so that balancers hear of it from /readyz.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "SCRAMBLE444_DRAIN_DELAY",
        default_value = "0",
        value_parser = clap::value_parser!(u64).range(0..=3600)
    )]
    pub(crate) drain_delay: u64,

    /// Address and port to serve /metrics on, instead of --listen's.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        env = "SCRAMBLE444_METRICS_LISTEN",
        value_parser = address
    )]
    pub(crate) metrics_listen: Option<SocketAddr>,

    /// Do without the interfaces of TNoodle's server: /api/v0, /frontend, /scramble, /view, /puzzles
    /// and /version.
    #[arg(
        long,
        env = "SCRAMBLE444_NO_TNOODLE",
        value_parser = clap::builder::FalseyValueParser::new()
    )]
    pub(crate) no_tnoodle: bool,

    /// File with tokens, one a line, each perhaps behind a name and a space; of at least 16 visible ASCII
    /// characters. Empty lines and those that begin with # are left out. Clients must show one for all but what tells of the service itself, as
    /// `Authorization: Bearer TOKEN`. SIGHUP has the file read again.
    #[arg(long, value_name = "FILE", env = "SCRAMBLE444_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Origins whose web pages may ask, such as `https://example.org`; may be given several times,
    /// or as a list with commas; `*` for all. None by default.
    #[arg(
        long = "cors-origin",
        value_name = "ORIGIN",
        env = "SCRAMBLE444_CORS_ORIGIN",
        value_delimiter = ',',
        value_parser = origin
    )]
    pub(crate) cors_origins: Vec<HeaderValue>,

    /// How log lines are written: text or json.
    #[arg(
        long,
        value_enum,
        env = "SCRAMBLE444_LOG_FORMAT",
        default_value = "text"
    )]
    pub(crate) log_format: LogFormat,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// An IP address and a port.
pub(crate) fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| {
        "an address is an IP address and a port, such as 127.0.0.1:4444, 0.0.0.0:4444 or [::1]:4444; names \
         such as localhost are not looked up"
    })
}

/// An IP address, or a network of them.
fn network(text: &str) -> Result<IpNet, &'static str> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address
        .or_else(|_| text.parse())
        .map_err(|_| "a proxy is an IP address or a network, such as 192.0.2.1 or 10.0.0.0/8")
}

/// A scheme and a host, perhaps a port, as browsers send it; or `*` for all.
fn origin(text: &str) -> Result<HeaderValue, &'static str> {
    if text == "*" {
        return Ok(HeaderValue::from_static("*"));
    }
    // Browsers send it in small letters and without the port that goes without saying.
    let text = text.to_ascii_lowercase();
    let (host, usual_port) = match text.strip_prefix("https://") {
        Some(host) => (Some(host), ":443"),
        None => (text.strip_prefix("http://"), ":80"),
    };
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    host.filter(|host| !host.is_empty() && !host.ends_with(usual_port))
        .filter(|host| host.bytes().all(allowed))
        .and_then(|_| HeaderValue::from_str(&text).ok())
        .ok_or("an origin is a scheme and a host, without a path, like https://example.org; or * for all")
}

/// The most connections that are chosen without being told.
const MAX_CONNECTIONS: usize = 4_000;

/// Files that are open besides connections: tables, those of the runtime, the port for measurements.
/// Where only few may be open, half of them.
const OTHER_FILES: usize = 128;

/// How many files the process may have open.
fn open_files() -> usize {
    #[cfg(unix)]
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let most = None::<u64>;
    most.map_or(MAX_CONNECTIONS + OTHER_FILES, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    })
}

/// The longest queue that is chosen without being told.
const MAX_QUEUED: u32 = 10_000;

impl ServeConfig {
    /// Checks what single flags cannot. An error names the flags that do not fit together.
    pub(crate) fn validate(&self, engine: &EngineConfig) -> anyhow::Result<()> {
        let served = Method::ALL
            .into_iter()
            .filter(|method| method.is_for_services());
        let served: Vec<&str> = served.map(Method::name).collect();
        anyhow::ensure!(
            engine.method.is_for_services(),
            "method {} is for analysis and comparison; a service can have {} (--method)",
            engine.method,
            served.join(", ")
        );
        anyhow::ensure!(
            self.queue_length() >= self.max_count,
            "--queue ({}) must be at least --max-count ({}), or the largest request could never be \
             accepted",
            self.queue_length(),
            self.max_count
        );
        if let Some(most) = self.max_per_client {
            anyhow::ensure!(
                most >= self.max_count,
                "--max-per-client ({most}) must be at least --max-count ({}), or the largest request \
                 could never be accepted",
                self.max_count
            );
        }
        anyhow::ensure!(
            self.max_effort >= self.effort.effort,
            "--max-effort ({}) must be at least --effort ({})",
            self.max_effort,
            self.effort.effort
        );
        anyhow::ensure!(
            self.drain_delay <= self.shutdown_deadline,
            "--drain-delay ({}) must not be longer than --shutdown-deadline ({})",
            self.drain_delay,
            self.shutdown_deadline
        );
        Ok(())
    }

    /// The methods that requests may name besides the service's own.
    pub(crate) fn other_methods(&self, own: Method) -> Vec<Method> {
        let mut others: Vec<Method> = Vec::new();
        for &method in &self.methods {
            if method != own && !others.contains(&method) {
                others.push(method);
            }
        }
        others
    }

    /// The most connections.
    pub(crate) fn connections(&self) -> usize {
        let chosen = self.max_connections.map(|most| most as usize);
        chosen.unwrap_or_else(|| {
            let files = open_files();
            (files - OTHER_FILES.min(files / 2)).clamp(1, MAX_CONNECTIONS)
        })
    }

    /// The most jobs that may be waiting or being done.
    pub(crate) fn queue_length(&self) -> u32 {
        self.queue.unwrap_or_else(|| {
            let millis = u64::from(TYPICAL_MILLIS[self.effort.effort.index()]);
            let rate = self.worker_count() as u64 * 1000 / millis;
            let jobs = rate.saturating_mul(self.request_deadline) / 2;
            let jobs = u32::try_from(jobs).unwrap_or(u32::MAX);
            jobs.clamp(self.max_count, MAX_QUEUED)
        })
    }

    /// The number of solver threads.
    pub(crate) fn worker_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.workers.map_or_else(cores, |workers| workers as usize)
    }
}
