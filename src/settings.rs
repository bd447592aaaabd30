//! The settings of the service: the flags of `serve`.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use axum::http::HeaderValue;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, FromArgMatches};
use cube444::{Effort, Method};
use ipnet::IpNet;

/// Settings of the service.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// IP address and port to listen on. Port 0 takes any free port. Separate several by commas, or repeat the
    /// flag. An IPv6 or IPv4 address is left out if the host has only the other kind, and others remain. If the variable PORT
    /// has a port, the default is that of all addresses (0.0.0.0).
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4444", value_delimiter = ',',
          value_parser = address)]
    pub listen: Vec<SocketAddr>,

    /// Methods that requests may name, the default first. The service prepares them one by one; others than the default
    /// while it serves.
    #[arg(long = "method", value_name = "METHODS", value_delimiter = ',', default_value = "five-stage,reduction",
          value_parser = method())]
    pub methods: Vec<Method>,

    /// Effort level of requests that name none, from 1 (milliseconds per scramble) to 10 (seconds, and fewer moves).
    #[arg(long, value_name = "LEVEL", default_value_t = Effort::DEFAULT, value_parser = effort())]
    pub effort: Effort,

    /// Maximum effort level of a request.
    #[arg(long, value_name = "LEVEL", default_value = "7", value_parser = effort())]
    pub max_effort: Effort,

    /// Number of scrambles that idle workers make in advance, with the default method and effort.
    #[arg(long, value_name = "N", default_value = "14", value_parser = within::<u32>(0..=100_000))]
    pub buffer: u32,

    /// Number of solver threads [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=4096))]
    pub workers: Option<usize>,

    /// Maximum number of connections, lower if the limit of open files is. Connections beyond it are only for
    /// probes and /metrics [default: up to 256].
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=1_000_000))]
    pub max_connections: Option<usize>,

    /// Maximum number of scrambles per stream (application/x-ndjson, and the arrays and lines of TNoodle's
    /// interface).
    #[arg(long, value_name = "N", default_value = "10000",
          value_parser = within::<u32>(1..=1_000_000))]
    pub max_stream: u32,

    /// Maximum number of scrambles and solutions per client that wait or run. Further requests are refused; a stream or a
    /// large request waits, and may take all places. A client is identified by the name of its token, otherwise by its
    /// address [default: no limit].
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=1_000_000))]
    pub max_per_client: Option<u32>,

    /// Addresses or networks of proxies, such as `10.0.0.0/8`, whose `X-Forwarded-For` is trusted for the
    /// client's address, and which may pass on any `Host` unless there is --allowed-host. Separate several by commas, or repeat the flag.
    /// Without it, all clients of a proxy count as one.
    #[arg(long = "trusted-proxy", value_name = "NETWORK", value_delimiter = ',',
          value_parser = network)]
    pub trusted_proxies: Vec<IpNet>,

    /// Hosts that requests may name, such as `scrambles.example.org`, besides IP addresses, names without a dot, and those in
    /// .localhost, .local, .internal or .home.arpa. With any, this and the site of web pages are checked for clients of all addresses,
    /// not only for those on this machine. Separate several by commas, or repeat the flag.
    #[arg(long = "allowed-host", value_name = "HOST", value_delimiter = ',', value_parser = host)]
    pub allowed_hosts: Vec<String>,

    /// Seconds for which a connection may be idle, and for which the head of a request may take. Behind a load balancer, more
    /// than its own idle timeout.
    #[arg(long, value_name = "SECONDS", default_value = "10",
          value_parser = seconds(1..=3600))]
    pub idle_timeout: Duration,

    /// Seconds after which the searches of a request are truncated. Five seconds later the request fails.
    #[arg(long, value_name = "SECONDS", default_value = "20",
          value_parser = seconds(1..=3600))]
    pub request_deadline: Duration,

    /// Seconds for which the service serves requests after SIGTERM or SIGINT, while `/readyz` responds with 503, so that
    /// load balancers notice. Then requests in progress have 30 seconds to end.
    #[arg(long, value_name = "SECONDS", default_value = "0",
          value_parser = seconds(0..=3600))]
    pub drain_delay: Duration,

    /// Serve /metrics on this IP address and port instead of --listen.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub metrics_listen: Option<SocketAddr>,

    /// File with tokens, one per line, each of at least 16 visible ASCII characters, optionally preceded by a
    /// name and a space. Empty lines and lines that begin with # are ignored. Requests then need
    /// `Authorization: Bearer TOKEN`, except for probes, the page, the description, and metrics on --metrics-listen. SIGHUP
    /// reads the file again.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// Origins whose web pages may use the service, such as `https://example.org`, or `*` alone for all.
    /// Separate several by commas, or repeat the flag.
    #[arg(long = "cors-origin", value_name = "ORIGIN", value_delimiter = ',',
          value_parser = origin)]
    pub cors_origins: Vec<HeaderValue>,

    /// Origins whose web pages may show the page in a frame, such as `https://home.example.org`, or `*` alone for all.
    /// Separate several by commas, or repeat the flag.
    #[arg(long = "frame-ancestor", value_name = "ORIGIN", value_delimiter = ',',
          value_parser = origin)]
    pub frame_ancestors: Vec<HeaderValue>,
}

/// Maximum number of scrambles of a response that is not a stream.
pub(crate) const MAX_COUNT: u32 = 100;

/// Maximum of the default for --max-connections. The limits of memory in docs/operations.md and in the files for
/// deployment include it.
const MAX_CONNECTIONS: usize = 256;

/// Maximum number of connections beyond the limit, for probes.
pub(crate) const MAX_OVERFLOW: usize = 8;

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

/// The number of threads that run at once: one for each core.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

impl Default for Settings {
    /// Those without flags.
    fn default() -> Settings {
        let flags = Settings::augment_args(Command::new("serve"));
        let parsed = Settings::from_arg_matches(&flags.get_matches_from(["serve"]));
        parsed.expect("no flag is required")
    }
}

impl Settings {
    /// Checks the flags against each other.
    ///
    /// # Errors
    ///
    /// The error names the flags that conflict.
    pub fn validate(&self) -> Result<(), String> {
        let (effort, max_effort) = (self.effort, self.max_effort);
        let mut listened = HashSet::new();
        if let Some(address) = self.listen.iter().find(|&it| !listened.insert(it)) {
            return Err(format!(
                "--listen has {address} twice, but an address can be listened on only once"
            ));
        }
        for (flag, origins) in [
            ("--cors-origin", &self.cors_origins),
            ("--frame-ancestor", &self.frame_ancestors),
        ] {
            if origins.len() > 1 && origins.iter().any(|it| it == "*") {
                return Err(format!(
                    "{flag} has * for all origins, and others; give * alone, or leave it out"
                ));
            }
        }
        if max_effort < effort {
            return Err(format!(
                "--max-effort ({max_effort}) must be at least --effort ({effort})"
            ));
        }
        Ok(())
    }

    /// The methods, the default first, each once.
    #[must_use]
    pub fn distinct_methods(&self) -> Vec<Method> {
        let mut names = HashSet::new();
        let methods = self.methods.iter().copied();
        methods
            .filter(|method| names.insert(method.name()))
            .collect()
    }

    /// Maximum number of connections, if the limit of open files allows it.
    #[must_use]
    pub fn wanted_connections(&self) -> usize {
        self.max_connections.unwrap_or(MAX_CONNECTIONS)
    }

    /// Maximum number of connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        let files = open_files_limit();
        let reserved = OTHER_FILES.min(files / 2 + MAX_OVERFLOW);
        self.wanted_connections()
            .min(files.saturating_sub(reserved))
            .max(1)
    }

    /// The number of workers.
    #[must_use]
    pub fn worker_count(&self) -> usize {
        self.workers.unwrap_or_else(cores)
    }

    /// The effort level of a request: the one that it names, or the default. Fails if the level does not exist or is
    /// above the maximum.
    pub(crate) fn effort_of<E>(&self, named: Option<Result<Effort, E>>) -> Result<Effort, String> {
        let (level, max) = (named.unwrap_or(Ok(self.effort)), self.max_effort);
        let level = level.ok().filter(|&level| level <= max);
        level.ok_or_else(|| format!("effort must be a whole number from 1 to {max}"))
    }
}

/// Parses a whole number in `range`, which errors name.
pub(crate) fn within<T>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text
            .trim()
            .parse()
            .ok()
            .filter(|number| range.contains(number));
        let (min, max) = (range.start(), range.end());
        number.ok_or_else(|| format!("not a whole number from {min} to {max}"))
    }
}

/// A parser of values without the white space around them.
#[derive(Clone)]
pub(crate) struct Trimmed<P>(pub(crate) P);

impl<P: TypedValueParser> TypedValueParser for Trimmed<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        let trimmed = value.to_str().map_or(value, |text| OsStr::new(text.trim()));
        self.0.parse_ref(command, argument, trimmed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Parses an effort level.
pub(crate) fn effort() -> impl TypedValueParser<Value = Effort> {
    Trimmed(StringValueParser::new()).try_map(|level| level.parse::<Effort>())
}

/// Parses a number of seconds in `range`.
fn seconds(range: RangeInclusive<u64>) -> impl TypedValueParser<Value = Duration> {
    within(range).map(Duration::from_secs)
}

/// Parses the name of a method.
pub(crate) fn method() -> impl TypedValueParser<Value = Method> {
    let names = Method::ALL.map(|it| PossibleValue::new(it.name()).help(it.summary()));
    Trimmed(PossibleValuesParser::new(names)).try_map(|name| name.parse())
}

/// Parses an IP address and a port.
pub(crate) fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.trim().parse().map_err(|_| {
        "an address is an IP address and a port, such as 127.0.0.1:4444, 0.0.0.0:4444 or [::1]:4444; names \
         such as localhost are not looked up"
    })
}

/// Parses an IP address or a network.
pub(crate) fn network(text: &str) -> Result<IpNet, &'static str> {
    let text = text.trim();
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address
        .or_else(|_| text.parse())
        .map_err(|_| "a proxy is an IP address or a network, such as 192.0.2.1 or 10.0.0.0/8")
}

/// Parses the name of a host.
fn host(text: &str) -> Result<String, &'static str> {
    let host = text.trim().trim_end_matches('.').to_ascii_lowercase();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_valid = !host.is_empty() && !host.starts_with('.') && host.bytes().all(allowed);
    is_valid
        .then_some(host)
        .ok_or("a host is a name without a port, such as scrambles.example.org")
}

/// Parses an origin as browsers send it, or `*` for all.
pub(crate) fn origin(text: &str) -> Result<HeaderValue, &'static str> {
    let text = text.trim();
    if text == "*" {
        return Ok(HeaderValue::from_static("*"));
    }
    // Browsers send it in lower case, without the default port.
    let text = text.to_ascii_lowercase();
    let (scheme, host) = text.split_once("://").unwrap_or_default();
    if [("https", ":443"), ("http", ":80")]
        .iter()
        .any(|&(name, port)| scheme == name && host.ends_with(port))
    {
        return Err("an origin has no default port: leave out :443 (https) or :80 (http)");
    }
    let in_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let in_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let is_valid = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(in_scheme)
        && !host.is_empty()
        && host.bytes().all(in_host);
    let value = HeaderValue::from_str(&text).ok().filter(|_| is_valid);
    value.ok_or("an origin is a scheme and a host without a path, such as https://example.org, or * for all")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        settings: Settings,
    }

    fn parse(flags: &str) -> Result<Settings, clap::Error> {
        let arguments = ["serve"].into_iter().chain(flags.split_whitespace());
        Flags::try_parse_from(arguments).map(|flags| flags.settings)
    }

    #[test]
    fn numbers_may_be_from_the_least_to_the_greatest() {
        for (flag, least, greatest) in [
            ("--effort", 1, 10),
            ("--max-effort", 1, 10),
            ("--buffer", 0, 100_000),
            ("--workers", 1, 4_096),
            ("--max-stream", 1, 1_000_000),
            ("--max-connections", 1, 1_000_000),
            ("--max-per-client", 1, 1_000_000),
            ("--request-deadline", 1, 3_600),
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
    fn flags_may_conflict() {
        for (flags, error) in [
            ("", None),
            ("--effort 3 --max-effort 3", None),
            (
                "--effort 4 --max-effort 3",
                Some("--max-effort (3) must be"),
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
            let found = parse(flags).unwrap().validate().err();
            match error {
                None => assert_eq!(found, None, "{flags}"),
                Some(error) => assert!(found.as_ref().unwrap().contains(error), "{found:?}"),
            }
        }
    }

    #[test]
    fn given_numbers_of_workers_and_connections_are_used() {
        let given = parse("--workers 3 --max-connections 2").unwrap();
        assert_eq!((given.worker_count(), given.connections()), (3, 2));
        let default = Settings::default();
        assert!((1..=MAX_CONNECTIONS).contains(&default.connections()));
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(default.worker_count(), cores);
    }

    #[test]
    fn methods_are_named_once_and_the_default_is_the_first() {
        for (flags, expected) in [
            ("", &["five-stage", "reduction"][..]),
            ("--method reduction", &["reduction"]),
            (
                "--method reduction,five-stage,reduction",
                &["reduction", "five-stage"],
            ),
            (
                "--method reduction --method five-stage",
                &["reduction", "five-stage"],
            ),
        ] {
            let methods = parse(flags).unwrap().distinct_methods();
            let names = methods.iter().map(|method| method.name());
            assert!(names.eq(expected.iter().copied()), "{flags}");
        }
    }

    #[test]
    fn hosts_are_names_as_requests_are_compared_with_them() {
        let hosts = parse("--allowed-host Cube.Example.,b").unwrap();
        assert_eq!(hosts.allowed_hosts, ["cube.example", "b"]);
        for host in [".", ".a", "a:80", "http://a", "*"] {
            assert!(parse(&format!("--allowed-host {host}")).is_err(), "{host}");
        }
    }

    #[test]
    fn lists_may_be_separated_by_commas_or_given_by_several_flags() {
        let both = parse("--cors-origin http://a,http://b --cors-origin http://c").unwrap();
        assert_eq!(both.cors_origins, ["http://a", "http://b", "http://c"]);
        let networks = parse("--trusted-proxy ::1,10.0.0.0/8 --trusted-proxy 192.0.2.1").unwrap();
        assert_eq!(networks.trusted_proxies.len(), 3);
    }

    #[test]
    fn origins_are_written_as_browsers_send_them() {
        for (text, expected) in [
            ("*", Some("*")),
            ("https://example.org", Some("https://example.org")),
            ("HTTPS://Example.ORG:8443", Some("https://example.org:8443")),
            ("http://localhost:3000", Some("http://localhost:3000")),
            ("http://[::1]:80", None),
            ("http://[::1]:443", Some("http://[::1]:443")),
            ("https://example.org:80", Some("https://example.org:80")),
            ("https://example.org:443", None),
            ("http://example.org:80", None),
            ("https://example.org/", None),
            ("https://user@example.org", None),
            ("https://*.example.org", None),
            ("https://", None),
            ("http://", None),
            (
                "chrome-extension://ABCDEFghijklmnop",
                Some("chrome-extension://abcdefghijklmnop"),
            ),
            (
                "moz-extension://d3b1c0de-0000-4000-8000-00000000000a",
                Some("moz-extension://d3b1c0de-0000-4000-8000-00000000000a"),
            ),
            ("tauri://localhost", Some("tauri://localhost")),
            ("web ext://example.org", None),
            ("://example.org", None),
            ("file://", None),
            ("example.org", None),
            ("null", None),
            ("", None),
        ] {
            let found = origin(text);
            if text.ends_with(":443") && text.starts_with("https") {
                assert!(found.as_ref().unwrap_err().contains("leave out :443"));
            }
            let found = found.ok();
            let found = found.as_ref().map(|found| found.to_str().unwrap());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn proxies_are_addresses_or_networks() {
        for (text, expected) in [
            ("192.0.2.1", Some("192.0.2.1/32")),
            ("::1", Some("::1/128")),
            ("10.0.0.0/8", Some("10.0.0.0/8")),
            ("2001:db8::/32", Some("2001:db8::/32")),
            ("10.0.0.0/33", None),
            ("10.0.0", None),
            ("proxy", None),
            ("", None),
        ] {
            let found = network(text).ok().map(|network| network.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
