//! Listening, and shutting down.

use std::future::Future;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::readiness::Readiness;

/// How long a client may take to send a request's head, and how long it may keep a connection
/// without a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait when a connection cannot be taken, which mostly means that the process has no
/// file descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// How long connections that came last have to send their request, once no more are taken.
const LAST_CALL: Duration = Duration::from_millis(100);

/// Serves until `stop` resolves, then lets the answers under way be sent until the instant that it
/// gives.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = Instant>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT);
    let connections = GracefulShutdown::new();
    let take = |stream: TcpStream| {
        // Lines of a stream are short and must not wait for each other.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        // What goes wrong on a connection is its client's matter.
        tokio::spawn(async move { drop(connection.await) });
    };
    let mut refusing = false;
    tokio::pin!(stop);
    let deadline = loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            deadline = &mut stop => break deadline,
        };
        match accepted {
            Ok((stream, _)) => {
                refusing = false;
                take(stream);
            }
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
    while let Ok(Ok((stream, _))) = tokio::time::timeout_at(last_call, listener.accept()).await {
        take(stream);
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

/// Waits for a signal, then drains: new requests are told that the service is shutting down, until
/// those that are being worked on have ended and `least` has passed (so that whoever asks `/readyz`
/// hears of it), or `most` has. Resolves to the instant at which all must end.
pub async fn drained(
    readiness: &Readiness,
    signal: impl Future<Output = ()>,
    least: Duration,
    most: Duration,
) -> Instant {
    signal.await;
    let began = Instant::now();
    let in_flight = readiness.drain();
    while began.elapsed() < most && (in_flight.any() || began.elapsed() < least) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    began + most
}
