//! Accepting and serving connections, and shutting down.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use axum::http::header;
use futures_util::future::select_all;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::pace::PacedStream;
use super::state::{AppState, Engines, UNRESERVED};
use super::unread;
use crate::settings::MAX_OVERFLOW;

/// Pause after a connection could not be accepted, mostly because the process has no file descriptors
/// left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Time in which connections from the listeners' backlogs are still accepted when shutting down, and then
/// the time that they have to send a request.
const LAST_CALL: Duration = Duration::from_millis(100);

/// Maximum size of a request's head, and of each of the buffers for reading and writing, in bytes.
const MAX_BUFFER: usize = 16 * 1024;

/// Size of the kernel's buffers of a connection for sending and for receiving, in bytes. Linux doubles it. By default
/// each may grow to megabytes, and a client that does not read is not noticed before its buffer is full.
const SOCKET_BUFFER: u32 = 32 * 1024;

/// Maximum size of a segment in bytes. On loopback one would fill the buffer, and the next would wait for its
/// acknowledgement, which the client delays.
#[cfg(target_os = "linux")]
const MAX_SEGMENT: u32 = 8 * 1024;

/// Maximum number of connections that the kernel accepts before the service does. They have buffers, too.
const BACKLOG: u32 = 128;

/// Upper bound of the memory of a connection, in bytes: the kernel's buffers, those for reading and writing, a body
/// or response of the size that needs no reservation, and the state of a request.
pub const CONNECTION_MEMORY: usize =
    2 * 2 * SOCKET_BUFFER as usize + 2 * MAX_BUFFER + UNRESERVED + 16 * 1024;

/// Listens on an address. Its connections have small buffers.
///
/// # Errors
///
/// If the address is not available.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restarted service need not wait for old connections. On Windows, other programs could take the address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SOCKET_BUFFER)?;
    socket.set_recv_buffer_size(SOCKET_BUFFER)?;
    #[cfg(target_os = "linux")]
    {
        let socket = socket2::SockRef::from(&socket);
        socket.set_tcp_mss(MAX_SEGMENT)?;
        // Also ends connections that the service has closed, but whose clients have not read all.
        socket.set_tcp_user_timeout(Some(super::pace::MAX_CREDIT))?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Whether `accept` failed because of the client's connection, not because of the listener.
fn is_client_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset
    )
}

/// The next connection of any listener, of which there is at least one. Listeners take turns.
async fn accept(listeners: &mut [TcpListener]) -> io::Result<(TcpStream, SocketAddr)> {
    listeners.rotate_left(1);
    let accepted = listeners.iter().map(|it| Box::pin(it.accept()));
    select_all(accepted).await.0
}

/// Minimum time for a request on such a connection.
const OVERFLOW_TIME: Duration = Duration::from_millis(50);

/// Minimum time between two equal warnings in the log.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// Whether to log a warning again. `warned` is when it was logged.
fn is_due(warned: &mut Option<Instant>) -> bool {
    let is_due = warned.is_none_or(|at| at.elapsed() > WARNING_INTERVAL);
    if is_due {
        *warned = Some(Instant::now());
    }
    is_due
}

/// Serves a few connections beyond the limit, so that probes get through when all others are taken. Refusals
/// close them. At most eight are open: a new one waits until one of these has ended, or the oldest has had
/// its time, and replaces it.
#[derive(Default)]
struct Overflow {
    open: VecDeque<(JoinHandle<()>, Instant)>,
    warned: Option<Instant>,
}

impl Overflow {
    /// Waits until fewer than eight connections are open, then serves this one.
    async fn serve(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        if is_due(&mut self.warned) {
            tracing::warn!(
                "the connection limit is reached (--max-connections, or a fixed one for --metrics-listen); \
                 further connections are only for probes and /metrics"
            );
        }
        self.open.retain(|(one, _)| !one.is_finished());
        if self.open.len() == MAX_OVERFLOW {
            let until = self.open[0].1 + OVERFLOW_TIME;
            let ended = select_all(self.open.iter_mut().map(|(one, _)| one));
            let ended = timeout_at(until, ended).await;
            let index = ended.map_or(0, |(_, index, _)| index);
            if let Some((one, _)) = self.open.remove(index) {
                // Does nothing if it has ended.
                one.abort();
            }
        }
        self.open
            .push_back((tokio::spawn(connection), Instant::now()));
    }
}

/// The body of a response, whose request is in progress until it has been sent.
struct InProgress(Body, #[expect(dead_code, reason = "it is counted")] Arc<()>);

impl HttpBody for InProgress {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.0).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

/// Serves until `stop` resolves, then finishes requests in flight. A connection may be idle for the time in the settings of
/// `state`, and a request's head may take as long. Connections beyond the permits of `limit` are served by `at_capacity`, which must
/// respond at once.
pub async fn serve(
    mut listeners: Vec<TcpListener>,
    router: Router,
    at_capacity: Router,
    limit: &Arc<Semaphore>,
    state: &AppState,
    stop: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(state.settings.idle_timeout)
        .max_buf_size(MAX_BUFFER);
    let connections = GracefulShutdown::new();
    let mut overflow = Overflow::default();
    let mut start = async |(stream, peer): (TcpStream, SocketAddr)| {
        let permit = Arc::clone(limit).try_acquire_owned().ok();
        let is_over = permit.is_none();
        let router = if is_over { &at_capacity } else { &router };
        let router = TowerToHyperService::new(router.clone());
        let requests = Arc::new(());
        let of_stream = Arc::clone(&requests);
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            let is_expected = request.headers().contains_key(header::EXPECT);
            let (request, unread) = unread::keep(request);
            let (response, request) = (router.call(request), Arc::clone(&requests));
            async move {
                let response = unread::discard(response.await?, unread, is_expected).await;
                Ok::<_, Infallible>(response.map(|body| InProgress(body, request)))
            }
        });
        // The lines of a stream are short. Nagle's algorithm would delay them.
        let _ = stream.set_nodelay(true);
        let stream = TokioIo::new(PacedStream::new(
            stream,
            of_stream,
            Arc::clone(&state.metrics),
        ));
        let connection = http.serve_connection(stream, service);
        let connection = connections.watch(connection);
        let connection = async move {
            // Errors of a connection concern only its client, so they are dropped.
            drop(connection.await);
            drop(permit);
        };
        if is_over {
            overflow.serve(connection).await;
        } else {
            tokio::spawn(connection);
        }
    };
    let mut warned = None;
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&mut listeners) => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok(accepted) => start(accepted).await,
            Err(error) if is_client_error(&error) => {}
            Err(error) => {
                if is_due(&mut warned) {
                    tracing::warn!(%error, "cannot accept connections");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    // Connections in the listeners' backlogs get a response that says that the service is shutting down,
    // instead of being reset. Those that wait after the last call are still accepted, but not for long if ever more
    // arrive.
    let last_call = Instant::now() + LAST_CALL;
    while Instant::now() < last_call + LAST_CALL
        && let Ok(Ok(accepted)) = timeout_at(last_call, accept(&mut listeners)).await
    {
        start(accepted).await;
    }
    drop(listeners);
    tokio::time::sleep(LAST_CALL).await;
    connections.shutdown().await;
}

/// Makes `/readyz` fail, serves requests for `delay`, until load balancers have noticed, then refuses new ones and waits
/// until the active ones have ended. When `cut_off` resolves, aborts them.
pub async fn drain(engines: &Engines, delay: Duration, cut_off: impl Future<Output = ()>) {
    engines.stop();
    let ended = async {
        tokio::time::sleep(delay).await;
        engines.drain();
        engines.ended().await;
    };
    tokio::select! {
        () = ended => {}
        () = cut_off => engines.drain(),
    }
    engines.abort_requests();
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Lets spawned tasks run until they wait.
    async fn settle() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_replaces_the_oldest_of_eight() {
        let mut overflow = Overflow::default();
        let connections: Vec<Arc<()>> = (0..20).map(|_| Arc::default()).collect();
        for (number, connection) in connections.iter().enumerate() {
            let open = Arc::clone(connection);
            let connection = async move {
                let _open = open;
                pending().await
            };
            overflow.serve(connection).await;
            settle().await;
            let is_open = connections.iter().map(|one| Arc::strong_count(one) > 1);
            let expected = (0..20).map(|other| other <= number && number < other + MAX_OVERFLOW);
            assert!(is_open.eq(expected), "{number}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_have_ended_do_not_count() {
        let mut overflow = Overflow::default();
        let open = Arc::new(());
        for _ in 0..MAX_OVERFLOW - 1 {
            let open = Arc::clone(&open);
            let connection = async move {
                let _open = open;
                pending().await
            };
            overflow.serve(connection).await;
        }
        for _ in 0..20 {
            overflow.serve(async {}).await;
            settle().await;
            assert_eq!(Arc::strong_count(&open), MAX_OVERFLOW);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn requests_on_many_connections_at_once_are_served() {
        let mut overflow = Overflow::default();
        let served = Arc::new(AtomicUsize::new(0));
        for _ in 0..100 {
            let served = Arc::clone(&served);
            let connection = async move {
                tokio::time::sleep(OVERFLOW_TIME / 2).await;
                served.fetch_add(1, Ordering::Relaxed);
            };
            overflow.serve(connection).await;
        }
        tokio::time::sleep(OVERFLOW_TIME).await;
        assert_eq!(served.load(Ordering::Relaxed), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn a_warning_is_logged_at_most_once_a_minute() {
        let mut warned = Vec::new();
        let mut warning = None;
        let began = Instant::now();
        // A reason every seven seconds.
        for _ in 0..20 {
            warned.extend(is_due(&mut warning).then(|| began.elapsed()));
            tokio::time::advance(Duration::from_secs(7)).await;
        }
        assert_eq!(warned, [0, 63, 126].map(Duration::from_secs));
    }

    #[test]
    fn only_errors_of_a_connection_are_those_of_its_client() {
        for (kind, expected) in [
            (ErrorKind::ConnectionAborted, true),
            (ErrorKind::ConnectionRefused, true),
            (ErrorKind::ConnectionReset, true),
            (ErrorKind::OutOfMemory, false),
            (ErrorKind::Other, false),
        ] {
            assert_eq!(is_client_error(&kind.into()), expected, "{kind}");
        }
        let no_descriptors_left = io::Error::from_raw_os_error(24);
        assert!(!is_client_error(&no_descriptors_left));
    }

    #[tokio::test]
    async fn listeners_take_turns() {
        let mut listeners = Vec::new();
        for _ in 0..2 {
            listeners.push(TcpListener::bind("127.0.0.1:0").await.unwrap());
        }
        let [first, second] = [0, 1].map(|number: usize| listeners[number].local_addr().unwrap());
        let connect = |address| std::net::TcpStream::connect(address).unwrap();
        let _connections = [first, first, first, second].map(connect);
        let mut accepted = Vec::new();
        for _ in 0..3 {
            let (stream, _) = accept(&mut listeners).await.unwrap();
            accepted.push(stream.local_addr().unwrap());
        }
        // One of the first may be accepted before the second is known to have any.
        assert!(accepted.contains(&second), "{accepted:?}");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn connections_end_if_their_clients_acknowledge_nothing() {
        let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let (_client, accepted) = tokio::join!(client, listener.accept());
        let (stream, _) = accepted.unwrap();
        let timeout = socket2::SockRef::from(&stream).tcp_user_timeout();
        assert_eq!(timeout.unwrap(), Some(crate::http::pace::MAX_CREDIT));
    }
}
