//! `scramble444 healthcheck`, for containers that have no other HTTP client.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, ensure};
use clap::Args;
use serde_json::Value;

use super::config::{address, within};

/// Maximum size of a response in bytes. The rest is not read.
const MAX_RESPONSE: usize = 1 << 16;

/// Check whether a running service is ready: exit with 0 if it is, otherwise with 1 and the reason.
#[derive(Args)]
pub(super) struct HealthcheckArgs {
    /// The address that the service listens on. For all addresses (0.0.0.0 or ::), loopback is used. Of several,
    /// separated by commas, the first one that responds is used.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4444", value_delimiter = ',',
          value_parser = address)]
    listen: Vec<SocketAddr>,
    /// Seconds to wait for the whole response.
    #[arg(long, value_name = "SECONDS", default_value = "2",
          value_parser = within::<u64>(1..=3600))]
    timeout: u64,
    /// Check whether the process is running (/livez), not whether it is ready (/readyz).
    #[arg(long)]
    live: bool,
}

pub(super) fn run(args: &HealthcheckArgs) -> anyhow::Result<()> {
    let path = if args.live { "/livez" } else { "/readyz" };
    let deadline = Instant::now() + Duration::from_secs(args.timeout);
    let known = args.listen.iter().filter(|address| address.port() != 0);
    let mut unreachable =
        anyhow!("--listen has port 0, so the actual port of the service is unknown");
    for address in known.copied().map(reachable) {
        match get(address, path, deadline) {
            Ok(response) => return judge(&response, format_args!("http://{address}{path}")),
            Err(error) => {
                unreachable = error.context(format!("no response from http://{address}{path}"));
            }
        }
    }
    Err(unreachable)
}

/// An error unless the response of `url` is successful.
fn judge(response: &[u8], url: fmt::Arguments<'_>) -> anyhow::Result<()> {
    match status(response) {
        Some(200) => Ok(()),
        Some(status) => bail!("{url} responded {status}{}", detail(response)),
        None => bail!("the server at {url} is not an HTTP server"),
    }
}

/// The address, with loopback instead of all addresses.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// The bytes of a response, including headers.
fn get(address: SocketAddr, path: &str, deadline: Instant) -> anyhow::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&address, left(deadline)?)?;
    stream.set_write_timeout(Some(left(deadline)?))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut response = Vec::new();
    let mut buffer = [0; 4096];
    while response.len() < MAX_RESPONSE {
        // Set before each read, so that many small pieces cannot exceed the deadline.
        stream.set_read_timeout(Some(left(deadline)?))?;
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => response.extend_from_slice(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A read that times out on Unix. Elsewhere the error is `TimedOut`.
            Err(error) if error.kind() == ErrorKind::WouldBlock => bail!("timed out"),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(response)
}

fn left(deadline: Instant) -> anyhow::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    ensure!(!left.is_zero(), "timed out");
    Ok(left)
}

/// The status code of a response that begins like `HTTP/1.1 200 OK`.
fn status(response: &[u8]) -> Option<u16> {
    let line = response.split(|&byte| byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let version = words.next()?;
    let code = words.next()?;
    version.starts_with("HTTP/1.").then_some(code)?.parse().ok()
}

/// The detail of the response's problem document, if any, with a leading colon.
fn detail(response: &[u8]) -> String {
    let text = String::from_utf8_lossy(response);
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let problem: Value = serde_json::from_str(body).unwrap_or_default();
    let detail = problem["detail"].as_str().or(problem["title"].as_str());
    detail.map_or_else(String::new, |detail| format!(": {}", detail.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_stands_for_all_addresses() {
        for (listen, expected) in [
            ("0.0.0.0:4444", "127.0.0.1:4444"),
            ("[::]:80", "[::1]:80"),
            ("127.0.0.2:1", "127.0.0.2:1"),
            ("[::1]:2", "[::1]:2"),
        ] {
            let listen: SocketAddr = listen.parse().unwrap();
            assert_eq!(reachable(listen).to_string(), expected);
        }
    }

    #[test]
    fn only_http_responses_have_a_status() {
        assert_eq!(status(b"HTTP/1.1 200 OK\r\n\r\n"), Some(200));
        assert_eq!(status(b"HTTP/1.0 503 Busy\r\nA: b\r\n\r\n{}"), Some(503));
        for other in [&b""[..], b"SSH-2.0-x\r\n", b"HTTP/1.1", b"\xff\xfe 200"] {
            assert_eq!(status(other), None);
        }
    }

    #[test]
    fn problems_are_quoted_on_one_line() {
        let response = b"HTTP/1.1 503 X\r\n\r\n{\"title\":\"t\",\"detail\":\"a\\nb\"}";
        assert_eq!(detail(response), ": a\\nb");
        let titled = b"HTTP/1.1 503 X\r\n\r\n{\"title\":\"t\"}";
        assert_eq!(detail(titled), ": t");
        assert_eq!(detail(b"HTTP/1.1 503 X\r\n\r\nno JSON"), "");
    }

    #[test]
    fn only_a_status_of_200_is_healthy() {
        for (response, expected) in [
            ("HTTP/1.1 200 OK\r\n\r\n", None),
            ("HTTP/1.1 200\r\n\r\n", None),
            ("HTTP/1.1 204 None\r\n\r\n", Some("there responded 204")),
            ("HTTP/1.1 302 Found\r\n\r\n", Some("there responded 302")),
            (
                "HTTP/1.1 500 X\r\n\r\n{\"detail\":\"why\"}",
                Some("there responded 500: why"),
            ),
            (
                "HTTP/2 200\r\n\r\n",
                Some("the server at there is not an HTTP server"),
            ),
            ("", Some("the server at there is not an HTTP server")),
        ] {
            let verdict = judge(response.as_bytes(), format_args!("there"));
            let error = verdict.err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected, "{response}");
        }
    }
}
