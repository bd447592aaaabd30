//! `scramble444 healthcheck`, for containers that have no other HTTP client.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use axum::body::{Body, Bytes, to_bytes};
use clap::Args;
use hyper::client::conn::http1::handshake;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use crate::settings::{address, within};

/// Maximum size of a body in bytes. Larger ones are not read.
const MAX_BODY: usize = 1 << 16;

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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(check(args))
}

async fn check(args: &HealthcheckArgs) -> anyhow::Result<()> {
    let path = if args.live { "/livez" } else { "/readyz" };
    let deadline = Instant::now() + Duration::from_secs(args.timeout);
    let known = args.listen.iter().filter(|address| address.port() != 0);
    let mut unreachable =
        anyhow!("--listen has port 0, so the actual port of the service is unknown");
    for address in known.copied().map(reachable) {
        let url = format!("http://{address}{path}");
        let response = timeout_at(deadline, get(address, path)).await;
        match response.map_err(|_| anyhow!("timed out")).flatten() {
            Ok((status, body)) => return judge(status, &body, &url),
            Err(error) => unreachable = error.context(format!("no response from {url}")),
        }
    }
    Err(unreachable)
}

/// The status and the body of a response.
async fn get(address: SocketAddr, path: &str) -> anyhow::Result<(StatusCode, Bytes)> {
    let stream = TcpStream::connect(address).await?;
    let (mut requests, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::get(path).header(header::HOST, address.to_string());
    let response = requests.send_request(request.body(Body::empty())?).await;
    let response = response.context("it is not an HTTP server")?;
    let status = response.status();
    let body = to_bytes(Body::new(response.into_body()), MAX_BODY).await;
    Ok((status, body.unwrap_or_default()))
}

/// An error unless the response of `url` is successful. It has the detail of the problem document, if any.
fn judge(status: StatusCode, body: &[u8], url: &str) -> anyhow::Result<()> {
    if status == StatusCode::OK {
        return Ok(());
    }
    let problem: Value = serde_json::from_slice(body).unwrap_or_default();
    let detail = problem["detail"].as_str().or(problem["title"].as_str());
    let detail = detail.map_or_else(String::new, |detail| format!(": {}", detail.escape_debug()));
    bail!("{url} responded {}{detail}", status.as_u16())
}

/// The address, with loopback instead of all addresses.
pub(super) fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_timeout_counts_for_all_addresses_together() {
        // The system accepts connections to them, and nobody responds.
        let silent = [(), ()].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
        let args = HealthcheckArgs {
            listen: silent.iter().map(|it| it.local_addr().unwrap()).collect(),
            timeout: 2,
            live: false,
        };
        let started = Instant::now();
        let error = check(&args).await.unwrap_err();
        assert!(format!("{error:#}").ends_with(": timed out"), "{error:#}");
        assert_eq!(started.elapsed().as_secs(), 2);
    }

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
    fn only_a_status_of_200_is_healthy() {
        for (status, body, expected) in [
            (200, "", None),
            (200, "no JSON", None),
            (204, "", Some("there responded 204")),
            (302, "no JSON", Some("there responded 302")),
            (500, r#"{"detail":"why"}"#, Some("there responded 500: why")),
            // Problems are quoted on one line.
            (
                503,
                r#"{"title":"t","detail":"a\nb"}"#,
                Some("there responded 503: a\\nb"),
            ),
            (503, r#"{"title":"t"}"#, Some("there responded 503: t")),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let verdict = judge(status, body.as_bytes(), "there");
            let error = verdict.err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected, "{status} {body}");
        }
    }
}
