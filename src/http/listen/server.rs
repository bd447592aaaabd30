//! Listening, and shutting down.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Version, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_io_timeout::TimeoutStream;

use super::spare::Spare;
use crate::http::problem::ApiError;
use crate::http::state::{Connections, Readiness};

/// How long a client may take to send a request's head, and how long it may keep a connection
/// without a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a client may take to read some of what it is sent.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// How long to wait when a connection cannot be taken, which mostly means that the process has no
/// file descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// How long connections that came last have to send their request, once no more are taken.
const LAST_CALL: Duration = Duration::from_millis(100);

/// The largest head of a request, and the most that is read ahead of a connection. So a client that
/// leaves its request unfinished costs little.
const MOST_READ: usize = 16 * 1024;

/// Whether it is one client's connection that failed before it was taken, and not the taking.
fn is_of_one_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset
    )
}

/// Serves until `stop` resolves, then lets the answers under way be sent until the instant that it
/// gives. Connections beyond those allowed are served by `at_capacity`, which must answer at once.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    at_capacity: Router,
    allowed: &Connections,
    stop: impl Future<Output = Instant>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MOST_READ);
    let [router, at_capacity] =
        [router, at_capacity].map(|router| router.layer(from_fn(require_host)));
    let connections = GracefulShutdown::new();
    let mut spare = Spare::new(allowed.most());
    let mut take = |(stream, peer): (TcpStream, SocketAddr)| {
        let permit = allowed.another();
        let router = match permit {
            Some(_) => &router,
            None => &at_capacity,
        };
        let router = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            router.call(request)
        });
        // Lines of a stream are short and must not wait for each other.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(SEND_TIMEOUT));
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = connections.watch(connection);
        // What goes wrong on a connection is its client's matter.
        match permit {
            Some(permit) => {
                let opened = allowed.opened(permit);
                tokio::spawn(async move {
                    drop(connection.await);
                    drop(opened);
                });
            }
            None => spare.take(async move { drop(connection.await) }),
        }
    };
    let mut refusing = false;
    tokio::pin!(stop);
    let deadline = loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            deadline = &mut stop => break deadline,
        };
        match accepted {
            Ok(accepted) => {
                refusing = false;
                take(accepted);
            }
            Err(error) if is_of_one_client(&error) => {}
            Err(error) => {
                if !std::mem::replace(&mut refusing, true) {
                    tracing::warn!(%error, "cannot take connections");
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    };
    // Clients whose connection the system has taken already are told that the service is shutting
    // down, instead of being cut off.
    let last_call = Instant::now() + LAST_CALL;
    while let Ok(Ok(accepted)) = tokio::time::timeout_at(last_call, listener.accept()).await {
        take(accepted);
    }
    drop(listener);
    tokio::time::sleep(LAST_CALL).await;
    if tokio::time::timeout_at(deadline, connections.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests still in flight at the shutdown deadline were cut off");
    }
}

/// Drains: new requests are told that the service is shutting down, until those that are being worked on
/// have ended and `least` has passed (so that whoever asks `/readyz` hears of it), or `most` has.
pub async fn drained(readiness: &Readiness, least: Duration, most: Duration) {
    readiness.drain();
    let ended = async { tokio::join!(readiness.idle(), tokio::time::sleep(least)) };
    // Those that are left at the end of `most` are not waited for.
    let _ = tokio::time::timeout(most, ended).await;
}

/// Refuses requests that do not name exactly one host, as RFC 9112 (section 3.2) asks.
async fn require_host(request: Request, next: Next) -> Response {
    let is_old = request.version() < Version::HTTP_11;
    if names_host(request.headers()).unwrap_or(is_old) {
        next.run(request).await
    } else {
        ApiError::BadHost.into_response()
    }
}

/// Whether the headers name one host, perhaps with a port, or the empty name of a target without a host. `None`
/// without `Host`.
fn names_host(headers: &HeaderMap) -> Option<bool> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next()?.as_bytes();
    let is_valid = host.is_empty() || !host.contains(&b'@') && Authority::try_from(host).is_ok();
    Some(is_valid && hosts.next().is_none())
}
