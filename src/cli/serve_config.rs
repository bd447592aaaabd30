//! Flags of the service.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use axum::http::HeaderValue;
use clap::Args;
use cube444::{Effort, Method};
use ipnet::IpNet;

use super::config::{
    EffortConfig, InvalidArguments, address, method, network, origin, switch, within,
};
use super::log::LogFormat;
use crate::http::MAX_OVERFLOW;
use crate::pool::TYPICAL_MILLIS;

/// Configuration of the service.
#[derive(Args, Clone, Debug)]
pub(crate) struct ServeConfig {
    /// IP address and port to listen on. Port 0 takes any free port. Separate several by commas, or repeat the
    /// flag. An IPv6 or IPv4 address is left out if the host has only the other kind, and others remain.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4444", value_delimiter = ',',
          value_parser = address)]
    pub(crate) listen: Vec<SocketAddr>,

    #[command(flatten)]
    pub(crate) effort: EffortConfig,

    /// Methods that a request may name besides --method. The service prepares them one by one, after
    /// --method, while it serves.
    #[arg(long, value_name = "METHODS", value_delimiter = ',', default_value = "five-stage,reduction",
          value_parser = method())]
    pub(crate) methods: Vec<Method>,

    /// Maximum effort level of a request.
    #[arg(long, value_name = "LEVEL", default_value = "7")]
    pub(crate) max_effort: Effort,

    /// Size of the buffer: scrambles that idle workers make in advance with --method.
    #[arg(long, value_name = "N", default_value = "14", value_parser = within::<u32>(0..=100_000))]
    pub(crate) buffer: u32,

    /// Effort level of buffered scrambles. Until the buffer has seven, and while streams wait, the level is
    /// --effort. A buffered scramble serves requests at its level or below.
    #[arg(long, value_name = "LEVEL", default_value = "8")]
    pub(crate) buffer_effort: Effort,

    /// Number of solver threads [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=4096))]
    pub(crate) workers: Option<usize>,

    /// Maximum number of scrambles per request, except streams.
    #[arg(long, value_name = "N", default_value = "100", value_parser = within::<u32>(1..=10_000))]
    pub(crate) max_count: u32,

    /// Maximum number of connections, lower if the limit of open files is. Connections beyond it are only for
    /// probes and /metrics [default: up to 256].
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=1_000_000))]
    pub(crate) max_connections: Option<usize>,

    /// Maximum number of scrambles per stream (application/x-ndjson, and the arrays and lines of TNoodle's
    /// interface).
    #[arg(long, value_name = "N", default_value = "10000",
          value_parser = within::<u32>(1..=1_000_000))]
    pub(crate) max_stream: u32,

    /// Maximum size of a competition file in MiB. All requests in progress together may take ten times as
    /// much.
    #[arg(long, value_name = "MIB", default_value = "8", value_parser = within::<u32>(1..=256))]
    pub(crate) max_competition: u32,

    /// Maximum number of scrambles and solutions that wait or run, excluding streams; at least --max-count.
    /// Requests beyond it are refused [default: about as many as --workers can make at --effort in half of
    /// --request-deadline].
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=1_000_000))]
    pub(crate) queue: Option<u32>,

    /// Maximum number of scrambles and solutions per client that wait or run, including streams; at least
    /// --max-count. Requests beyond it are refused. A client is identified by the name of its token, otherwise
    /// by its address [default: no limit].
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=1_000_000))]
    pub(crate) max_per_client: Option<u32>,

    /// Addresses or networks of proxies, such as `10.0.0.0/8`, whose `X-Forwarded-For` is trusted for the
    /// client's address, and which may pass on any `Host`. Separate several by commas, or repeat the flag.
    /// Without it, all clients of a proxy count as one.
    #[arg(long = "trusted-proxy", value_name = "NETWORK", value_delimiter = ',',
          value_parser = network)]
    pub(crate) trusted_proxies: Vec<IpNet>,

    /// Seconds after which the searches of a request are truncated. Five seconds later the request fails.
    #[arg(long, value_name = "SECONDS", default_value = "20",
          value_parser = within::<u64>(1..=3600))]
    pub(crate) request_deadline: u64,

    /// Seconds that requests in progress have to finish after SIGTERM or SIGINT.
    #[arg(long, value_name = "SECONDS", default_value = "30",
          value_parser = within::<u64>(1..=3600))]
    pub(crate) shutdown_deadline: u64,

    /// Number of seconds for which the service serves requests after SIGTERM or SIGINT, while `/readyz` responds with
    /// 503, so that load balancers notice.
    #[arg(long, value_name = "SECONDS", default_value = "0",
          value_parser = within::<u64>(0..=3600))]
    pub(crate) drain_delay: u64,

    /// Serve /metrics on this IP address and port instead of --listen.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) metrics_listen: Option<SocketAddr>,

    /// Disable the interfaces of TNoodle's server: /api/v0, /frontend, /scramble, /view, /puzzles,
    /// /version and /wcif.
    #[arg(long, value_parser = switch)]
    pub(crate) no_tnoodle: bool,

    /// File with tokens, one per line, each of at least 16 visible ASCII characters, optionally preceded by a
    /// name and a space. Empty lines and lines that begin with # are ignored. Requests then need
    /// `Authorization: Bearer TOKEN`, except for probes, metrics, the page and the description. SIGHUP reads
    /// the file again.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Origins whose web pages may use the service, such as `https://example.org`, or `*` alone for all.
    /// Separate several by commas, or repeat the flag.
    #[arg(long = "cors-origin", value_name = "ORIGIN", value_delimiter = ',',
          value_parser = origin)]
    pub(crate) cors_origins: Vec<HeaderValue>,

    /// Format of the log.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) log_format: LogFormat,
}

/// Maximum of the default for --max-connections. The limits of memory in docs/operations.md and in the files for
/// deployment include it.
const MAX_CONNECTIONS: usize = 256;

/// Descriptors that are reserved for other files, such as tables, or half of all descriptors and those of connections
/// beyond the limit if that is less.
const OTHER_FILES: usize = 128;

/// The process's limit of open files.
fn open_files_limit() -> usize {
    #[cfg(unix)]
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let limit = None::<u64>;
    limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    })
}

/// Maximum of the default for --queue.
const MAX_QUEUED: u32 = 10_000;

impl ServeConfig {
    /// Checks the flags against each other. An error names those that conflict.
    pub(crate) fn validate(&self) -> Result<(), InvalidArguments> {
        let max_count = self.max_count;
        let (queue, per_client) = (self.queue_length(), self.max_per_client.unwrap_or(u32::MAX));
        let too_low = |flag: &str, limit: u32| {
            format!(
                "{flag} ({limit}) must be at least --max-count ({max_count}), or the largest request would \
                 always be refused"
            )
        };
        let (effort, max_effort) = (self.effort.effort, self.max_effort);
        let (delay, deadline) = (self.drain_delay, self.shutdown_deadline);
        let mut listened = HashSet::new();
        let conflict = if let Some(address) = self.listen.iter().find(|&it| !listened.insert(it)) {
            format!("--listen has {address} twice, but an address can be listened on only once")
        } else if self.cors_origins.len() > 1 && self.cors_origins.iter().any(|it| it == "*") {
            "--cors-origin has * for all origins, and others; give * alone, or leave it out"
                .to_owned()
        } else if queue < max_count {
            too_low("--queue", queue)
        } else if per_client < max_count {
            too_low("--max-per-client", per_client)
        } else if max_effort < effort {
            format!("--max-effort ({max_effort}) must be at least --effort ({effort})")
        } else if delay > deadline {
            format!("--drain-delay ({delay}) must not exceed --shutdown-deadline ({deadline})")
        } else {
            return Ok(());
        };
        Err(InvalidArguments(conflict))
    }

    /// The methods that requests may name, the default first.
    pub(crate) fn all_methods(&self, default: Method) -> Vec<Method> {
        let mut all = vec![default];
        for &method in &self.methods {
            if !all.contains(&method) {
                all.push(method);
            }
        }
        all
    }

    /// Maximum number of connections.
    pub(crate) fn connections(&self) -> usize {
        let files = open_files_limit();
        let reserved = OTHER_FILES.min(files / 2 + MAX_OVERFLOW);
        let max = self.max_connections.unwrap_or(MAX_CONNECTIONS);
        max.min(files.saturating_sub(reserved)).max(1)
    }

    /// Maximum number of jobs in progress.
    pub(crate) fn queue_length(&self) -> u32 {
        self.queue.unwrap_or_else(|| {
            let millis = u64::from(TYPICAL_MILLIS[self.effort.effort.index()]);
            let rate = self.worker_count() as u64 * 1000 / millis;
            let jobs = rate.saturating_mul(self.request_deadline) / 2;
            u32::try_from(jobs).map_or(MAX_QUEUED, |jobs| jobs.clamp(self.max_count, MAX_QUEUED))
        })
    }

    /// The number of solver threads.
    pub(crate) fn worker_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.workers.unwrap_or_else(cores)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::config::EngineConfig;
    use super::*;

    #[derive(Parser)]
    #[command(mut_arg("method", |method| method.default_value("five-stage")))]
    struct Flags {
        #[command(flatten)]
        serve: ServeConfig,
        #[command(flatten)]
        engine: EngineConfig,
    }

    fn parse(flags: &str) -> Result<Flags, clap::Error> {
        Flags::try_parse_from(["serve"].into_iter().chain(flags.split_whitespace()))
    }

    fn config(flags: &str) -> ServeConfig {
        parse(flags).unwrap_or_else(|error| panic!("{error}")).serve
    }

    #[test]
    fn numbers_may_be_from_the_least_to_the_greatest() {
        for (flag, least, greatest) in [
            ("--effort", 1, 10),
            ("--max-effort", 1, 10),
            ("--buffer-effort", 1, 10),
            ("--buffer", 0, 100_000),
            ("--workers", 1, 4_096),
            ("--max-count", 1, 10_000),
            ("--max-stream", 1, 1_000_000),
            ("--max-competition", 1, 256),
            ("--max-connections", 1, 1_000_000),
            ("--queue", 1, 1_000_000),
            ("--max-per-client", 1, 1_000_000),
            ("--request-deadline", 1, 3_600),
            ("--shutdown-deadline", 1, 3_600),
            ("--drain-delay", 0, 3_600),
        ] {
            for (number, is_valid) in [
                (least - 1, false),
                (least, true),
                (greatest, true),
                (greatest + 1, false),
            ] {
                let given = format!("{flag}={number}");
                assert_eq!(parse(&given).is_ok(), is_valid, "{given}");
            }
        }
    }

    #[test]
    fn limits_may_be_equal_to_what_they_must_hold() {
        for (flags, error) in [
            ("", None),
            ("--max-count 5 --queue 5", None),
            ("--max-count 5 --queue 4", Some("--queue (4) must be")),
            // The default of the queue holds the largest request.
            ("--max-count 10000 --workers 1", None),
            ("--max-count 5 --max-per-client 5", None),
            (
                "--max-count 5 --max-per-client 4",
                Some("--max-per-client (4) must be at least --max-count (5)"),
            ),
            ("--effort 3 --max-effort 3", None),
            (
                "--effort 4 --max-effort 3",
                Some("--max-effort (3) must be"),
            ),
            // The buffer may have any level.
            ("--buffer-effort 10 --max-effort 4", None),
            ("--drain-delay 9 --shutdown-deadline 9", None),
            (
                "--drain-delay 9 --shutdown-deadline 8",
                Some("--drain-delay (9) must not"),
            ),
            ("--listen 127.0.0.1:1,127.0.0.1:2,127.0.0.2:1", None),
            (
                "--listen 127.0.0.1:1 --listen 127.0.0.1:1",
                Some("127.0.0.1:1 twice"),
            ),
            ("--cors-origin *", None),
            ("--cors-origin https://a,http://b", None),
            ("--cors-origin *,https://a", Some("give * alone")),
            (
                "--cors-origin https://a --cors-origin *",
                Some("give * alone"),
            ),
        ] {
            let found = config(flags)
                .validate()
                .err()
                .map(|found| found.to_string());
            match error {
                None => assert_eq!(found, None, "{flags}"),
                Some(error) => assert!(found.as_ref().unwrap().contains(error), "{found:?}"),
            }
        }
    }

    #[test]
    fn the_default_queue_has_the_work_of_half_the_deadline() {
        for (flags, expected) in [
            // A scramble takes 16 ms at effort 4, and 2 ms at effort 1.
            ("--workers 1", 620),
            ("--workers 2", 1_250),
            ("--workers 2 --request-deadline 10", 625),
            ("--workers 1 --effort 1 --request-deadline 10", 2_500),
            // But it has room for the largest request, and is not too long.
            ("--workers 1 --effort 10 --request-deadline 1", 100),
            (
                "--workers 1 --effort 10 --request-deadline 1 --max-count 50",
                50,
            ),
            ("--workers 4096 --request-deadline 3600", 10_000),
            ("--workers 2 --queue 300", 300),
            ("--workers 2 --queue 20000", 20_000),
        ] {
            assert_eq!(config(flags).queue_length(), expected, "{flags}");
        }
    }

    #[test]
    fn given_numbers_of_workers_and_connections_are_used() {
        let given = config("--workers 3 --max-connections 2");
        assert_eq!((given.worker_count(), given.connections()), (3, 2));
        let default = config("");
        assert!((1..=MAX_CONNECTIONS).contains(&default.connections()));
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(default.worker_count(), cores);
    }

    #[test]
    fn methods_are_named_once_and_the_default_is_the_first() {
        for (flags, expected) in [
            ("", &["reduction"][..]),
            ("--method reduction", &["five-stage"]),
            ("--methods reduction,five-stage,reduction", &["reduction"]),
            ("--methods reduction --methods five-stage", &["reduction"]),
            ("--methods five-stage", &[]),
        ] {
            let Flags { serve, engine } = parse(flags).unwrap_or_else(|error| panic!("{error}"));
            let all = serve.all_methods(engine.method());
            assert_eq!(all[0], engine.method());
            let names: Vec<&str> = all[1..].iter().map(|method| method.name()).collect();
            assert_eq!(names, expected, "{flags}");
        }
    }

    #[test]
    fn lists_may_be_separated_by_commas_or_given_by_several_flags() {
        let both = config("--cors-origin http://a,http://b --cors-origin http://c");
        assert_eq!(both.cors_origins, ["http://a", "http://b", "http://c"]);
        let networks = config("--trusted-proxy ::1,10.0.0.0/8 --trusted-proxy 192.0.2.1");
        assert_eq!(networks.trusted_proxies.len(), 3);
    }
}
