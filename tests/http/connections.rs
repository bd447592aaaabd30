//! Connections: stopping, limits of time and size, and routers other than the main one.

use std::future::pending;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header;
use axum::routing::get;
use futures_util::{FutureExt, StreamExt};
use scramble444::http::{AppState, metrics_router, router, router_at_capacity, serve};
use scramble444::settings::Settings;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::requests::*;
use crate::service::*;

#[tokio::test(start_paused = true)]
async fn draining_takes_until_requests_have_ended_within_its_limits() {
    // The delay and the maximum, when the last request ends, and when draining does, in seconds.
    for (delay, max, last, expected) in [
        (0, 3, 0, 0),
        (1, 3, 0, 1),
        (1, 3, 2, 2),
        (1, 3, 9, 3),
        (3, 3, 9, 3),
        (3, 1, 0, 1),
    ] {
        let state = ready(Behavior::Turns);
        let stream = "/api/v0/scramble/444?numScrambles=2";
        let active = send(&state, "GET", stream).await;
        tokio::spawn(async move {
            sleep(Duration::from_secs(last)).await;
            drop(active);
        });
        let began = Instant::now();
        let case = format!("{delay} {max} {last}");
        let [delay, max] = [delay, max].map(Duration::from_secs);
        scramble444::http::drain(&state.engines, delay, sleep(max)).await;
        assert_eq!(began.elapsed().as_secs(), expected, "{case}");
        problem(&state, "GET", stream, 503, "draining").await;
        // No request is counted any more, even if time ran out before the delay.
        let has_ended = state.engines.ended().now_or_never().is_some();
        assert_eq!(has_ended, last <= expected, "{case}");
    }
}

/// More than the socket buffers hold.
const LARGE: usize = 64 << 20;

/// A listener, and `count` connections to it on which `sent` has been sent.
async fn connected(count: usize, sent: &str) -> (TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clients = (0..count).map(|_| {
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(sent.as_bytes()).unwrap();
        client
    });
    let clients = clients.collect();
    (listener, clients)
}

/// Serves two paths on a listener, for `permits` connections, until `stop`.
async fn serve_pages(
    listener: TcpListener,
    permits: &Arc<Semaphore>,
    stop: impl Future<Output = ()>,
) {
    let router = Router::new()
        .route("/", get(|| async { "x" }))
        .route("/large", get(|| async { vec![b'x'; LARGE] }));
    let state = starting(settings());
    serve(
        vec![listener],
        router.clone(),
        router,
        permits,
        &state,
        stop,
    )
    .await;
}

/// Serves a router on a listener.
fn serving(listener: TcpListener, router: Router, state: AppState) -> JoinHandle<()> {
    tokio::spawn(async move {
        let (limit, other) = (Arc::new(Semaphore::new(2)), router.clone());
        serve(vec![listener], router, other, &limit, &state, pending()).await;
    })
}

const SMALL_REQUEST: &str = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
const LARGE_REQUEST: &str = "GET /large HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_stops_sends_responses_that_are_read_slowly() {
    let (listener, mut clients) = connected(1, LARGE_REQUEST).await;
    let (stop, stopped) = oneshot::channel();
    let mut serving = tokio::spawn(async move {
        serve_pages(listener, &Arc::new(Semaphore::new(1)), stopped.map(drop)).await;
    });
    let mut response = vec![0; 12];
    clients[0].read_exact(&mut response).unwrap();
    assert_eq!(response, b"HTTP/1.1 200");
    stop.send(()).unwrap();
    // The client has not read the rest.
    let exited = timeout(Duration::from_secs(1), &mut serving).await;
    assert!(exited.is_err(), "the response was aborted");
    clients[0].read_to_end(&mut response).unwrap();
    assert!(response.len() > LARGE);
    serving.await.unwrap();
}

/// A paused clock runs ahead only if there is nothing to do, so the time does not depend on the machine.
#[tokio::test(start_paused = true)]
async fn clients_that_send_or_read_nothing_are_disconnected() {
    for (sent, seconds) in [
        ("", 10),
        ("GET / HTTP/1.1\r\nHost:", 10),
        (SMALL_REQUEST, 10),
        (&format!("{SMALL_REQUEST}GET"), 10),
        (LARGE_REQUEST, 30),
    ] {
        let (listener, _clients) = connected(1, sent).await;
        let limit = Arc::new(Semaphore::new(1));
        let permits = Arc::clone(&limit);
        let serving = tokio::spawn(async move { serve_pages(listener, &permits, pending()).await });
        wait_until("the connection is open", async || {
            limit.available_permits() == 0
        })
        .await;
        let began = Instant::now();
        while limit.available_permits() == 0 && began.elapsed() < Duration::from_secs(100) {
            sleep(Duration::from_millis(100)).await;
        }
        let elapsed = began.elapsed();
        let range = seconds - 1..seconds + 2;
        assert!(range.contains(&elapsed.as_secs()), "{sent:?} {elapsed:?}");
        serving.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn connections_that_wait_to_be_accepted_are_answered_when_the_service_stops() {
    let (listener, mut clients) = connected(10, "").await;
    let (early, late) = clients.split_at_mut(5);
    for client in early {
        client.write_all(SMALL_REQUEST.as_bytes()).unwrap();
    }
    // After the last connection has been accepted.
    let mut late: Vec<TcpStream> = late.iter().map(|late| late.try_clone().unwrap()).collect();
    tokio::spawn(async move {
        sleep(Duration::from_millis(150)).await;
        for client in &mut late {
            client.write_all(SMALL_REQUEST.as_bytes()).unwrap();
        }
    });
    // The clock runs ahead in small steps, so that no timer is due before the sockets have been looked at.
    tokio::spawn(async {
        loop {
            sleep(Duration::from_millis(1)).await;
        }
    });
    let stop = std::future::ready(());
    serve_pages(listener, &Arc::new(Semaphore::new(20)), stop).await;
    for mut client in clients {
        let mut response = String::new();
        client.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200"), "{response:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn connections_beyond_the_limit_do_not_delay_stopping() {
    let (listener, _clients) = connected(128, "").await;
    let began = Instant::now();
    let stop = std::future::ready(());
    serve_pages(listener, &Arc::new(Semaphore::new(0)), stop).await;
    // Accepting all would take 800 ms.
    assert!(began.elapsed() < Duration::from_millis(500));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_stops_accepts_no_connections_while_it_sends_responses() {
    let (listener, _clients) = connected(1, LARGE_REQUEST).await;
    let address = listener.local_addr().unwrap();
    let began = Instant::now();
    let stop = sleep(Duration::from_secs(1));
    let late = tokio::spawn(async move {
        sleep(Duration::from_secs(3)).await;
        TcpStream::connect(address).is_err()
    });
    serve_pages(listener, &Arc::new(Semaphore::new(1)), stop).await;
    // Nobody reads the response.
    assert_eq!(began.elapsed().as_secs(), 30);
    assert!(late.await.unwrap());
}

/// The clock is real, since the network is.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_close_their_sending_side_get_what_takes_less_than_two_seconds() {
    let case = async |millis: u64| {
        let (listener, mut clients) = connected(1, SMALL_REQUEST).await;
        clients[0].shutdown(Shutdown::Write).unwrap();
        let page = move || async move {
            sleep(Duration::from_millis(millis)).await;
            "x"
        };
        let router = Router::new().route("/", get(page));
        let serving = serving(listener, router, starting(settings()));
        let mut response = String::new();
        let mut client = clients.remove(0);
        let read = move || client.read_to_string(&mut response).map(|_| response);
        let response = tokio::task::spawn_blocking(read).await.unwrap();
        serving.abort();
        // A request that is dropped may reset the connection.
        response.is_ok_and(|it| it.starts_with("HTTP/1.1 200"))
    };
    // The client may have left, so work does not go on for long.
    assert_eq!(
        tokio::join!(case(0), case(300), case(20_000)),
        (true, true, false)
    );
}

/// What is in progress counts, whatever has been sent of it.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_close_their_sending_side_get_streams_and_responses_that_wait() {
    let stream = || async {
        let lines = futures_util::stream::iter(0..5).then(|_| async {
            sleep(Duration::from_millis(100)).await;
            Ok::<_, std::io::Error>("line\n")
        });
        Body::from_stream(lines)
    };
    let router = Router::new().route("/", get(stream));
    for (request, count) in [(SMALL_REQUEST.to_owned(), 5), (SMALL_REQUEST.repeat(2), 10)] {
        let (listener, mut clients) = connected(1, &request).await;
        let serving = serving(listener, router.clone(), starting(settings()));
        let mut client = clients.remove(0);
        let read = move || {
            let mut response = [0; 2048];
            // The head, before the client closes its side.
            let length = client.read(&mut response).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            let mut rest = String::new();
            let whole = client.read_to_string(&mut rest).is_ok();
            (
                whole,
                String::from_utf8_lossy(&response[..length]).into_owned() + &rest,
            )
        };
        let (whole, response) = tokio::task::spawn_blocking(read).await.unwrap();
        serving.abort();
        assert!(whole, "{response}");
        assert_eq!(response.matches("line\n").count(), count, "{response}");
    }
}

/// A connection without a request is closed at once.
#[tokio::test(flavor = "multi_thread")]
async fn connections_are_closed_with_their_clients_between_requests() {
    let (listener, mut clients) = connected(1, SMALL_REQUEST).await;
    let limit = Arc::new(Semaphore::new(1));
    let permits = Arc::clone(&limit);
    let serving = tokio::spawn(async move { serve_pages(listener, &permits, pending()).await });
    let mut response = [0; 12];
    clients[0].read_exact(&mut response).unwrap();
    assert_eq!((&response, limit.available_permits()), (b"HTTP/1.1 200", 0));
    let began = Instant::now();
    clients.clear();
    wait_until("it is closed", async || limit.available_permits() == 1).await;
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    serving.abort();
}

#[tokio::test(start_paused = true)]
async fn the_idle_timeout_is_that_of_the_settings() {
    for seconds in [1, 75] {
        let (listener, _clients) = connected(1, SMALL_REQUEST).await;
        let limit = Arc::new(Semaphore::new(1));
        let permits = Arc::clone(&limit);
        let state = starting(Settings {
            idle_timeout: Duration::from_secs(seconds),
            ..settings()
        });
        let router = Router::new().route("/", get(|| async { "x" }));
        let serving = tokio::spawn(async move {
            serve(
                vec![listener],
                router.clone(),
                router,
                &permits,
                &state,
                pending(),
            )
            .await;
        });
        wait_until("the connection is open", async || {
            limit.available_permits() == 0
        })
        .await;
        let began = Instant::now();
        while limit.available_permits() == 0 {
            sleep(Duration::from_millis(100)).await;
        }
        let elapsed = began.elapsed().as_secs();
        assert!((seconds..seconds + 2).contains(&elapsed), "{elapsed}");
        serving.abort();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_that_cannot_be_read_are_answered_with_a_problem() {
    let fields = "X: y\r\n".repeat(101);
    let cookies = format!("Cookie: {}\r\n", "x".repeat(16 << 10));
    for (head, status, kind, what) in [
        (
            "GET / HTTP/1.1\r\nno field\r\n\r\n",
            400,
            "bad-head",
            "HTTP/1.1",
        ),
        ("GET / HTTP/3.0\r\n\r\n", 400, "bad-head", "HTTP/1.1"),
        ("\x16\x03\x01\x02\x00 \r\n\r\n", 400, "bad-head", "HTTP/1.1"),
        (
            &format!("GET / HTTP/1.1\r\n{fields}\r\n"),
            431,
            "large-head",
            "100 fields",
        ),
        (
            &format!("GET / HTTP/1.1\r\n{cookies}"),
            431,
            "large-head",
            "cookies",
        ),
    ] {
        let (listener, mut clients) = connected(1, head).await;
        let state = starting(settings());
        let serving = serving(listener, router(state.clone()), state.clone());
        let mut response = String::new();
        let _ = clients[0].read_to_string(&mut response);
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        let [version, found] = [0, 1].map(|at| head.split(' ').nth(at).unwrap());
        assert_eq!(
            (version, found),
            ("HTTP/1.1", &*status.to_string()),
            "{head}"
        );
        assert!(
            head.contains(&format!("content-length: {}\r\n", body.len())),
            "{head}"
        );
        assert!(
            head.contains("content-type: application/problem+json"),
            "{head}"
        );
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["type"], format!("urn:scramble444:problem:{kind}"));
        assert_eq!(problem["status"], status);
        assert!(detail(&problem).contains(what), "{problem}");
        let line = format!(r#"{{method="other",route="-",status="{status}"}} 1"#);
        assert!(metrics(&state).await.contains(&line), "{line}");
        serving.abort();
    }
}

/// Most clients send the whole body before they read the response.
#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_a_refused_body_is_read_and_the_connection_kept() {
    let (listener, mut clients) = connected(2, "").await;
    let state = starting(settings());
    let serving = serving(listener, router(state.clone()), state);
    const LENGTH: usize = 3 << 20;
    let head = |path: &str, more: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {LENGTH}\r\n{more}\r\n"
        )
    };
    let read = |client: &mut TcpStream| {
        let mut buffer = [0; 4096];
        let bytes = client.read(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..bytes]).into_owned()
    };
    for (path, status) in [
        ("/nothing", 404),
        ("/v1/verify", 413),
        ("/v1/wcif?x=1", 400),
    ] {
        clients[0].write_all(head(path, "").as_bytes()).unwrap();
        clients[0].write_all(&vec![b' '; LENGTH]).unwrap();
        let response = read(&mut clients[0]);
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{response}"
        );
        assert!(!response.contains("connection: close"), "{response}");
    }
    // This client waits for the response.
    clients[1]
        .write_all(head("/nothing", "Expect: 100-continue\r\n").as_bytes())
        .unwrap();
    let response = read(&mut clients[1]);
    assert!(
        response.starts_with("HTTP/1.1 404 ") && response.contains("connection: close"),
        "{response}"
    );
    serving.abort();
}

/// Only what hyper writes is replaced.
#[tokio::test(flavor = "multi_thread")]
async fn other_errors_are_sent_as_they_are() {
    let request =
        "GET /v1/scrambles?count=0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let (listener, mut clients) = connected(1, request).await;
    let router = router(ready(Behavior::Turns));
    let serving = serving(listener, router, starting(settings()));
    let mut response = String::new();
    clients[0].read_to_string(&mut response).unwrap();
    serving.abort();
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
    assert!(response.contains("count must be"), "{response}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_head_of_a_request_has_at_most_16_kib() {
    for (length, is_served) in [(15_000, true), (17_000, false)] {
        let head = "GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nX: ";
        let request = format!("{head}{}\r\n\r\n", "x".repeat(length));
        let (listener, mut clients) = connected(1, &request).await;
        let serving = tokio::spawn(async move {
            serve_pages(listener, &Arc::new(Semaphore::new(1)), pending()).await;
        });
        let mut response = Vec::new();
        // What has not been read resets the connection.
        let _ = clients[0].read_to_end(&mut response);
        assert_eq!(response.starts_with(b"HTTP/1.1 200"), is_served, "{length}");
        serving.abort();
    }
}

#[tokio::test]
async fn other_routers_have_only_probes_and_metrics() {
    let stub = stub(Behavior::Turns);
    let ready = guarded(&stub, "0123456789abcdef", settings());
    let starting = starting(settings());
    let own = Some("127.0.0.1:0".parse().unwrap());
    let separate = ready_but(&stub, |it| it.metrics_listen = own);
    // The statuses of the main router, of that for connections beyond the limit, and of that of the address for metrics.
    let mut refused = 0;
    for (state, text, statuses) in [
        (&ready, "GET /livez", [200, 200, 200]),
        (&ready, "GET /healthz", [200, 200, 200]),
        (&ready, "GET /readyz", [200, 200, 200]),
        (&starting, "GET /readyz", [503, 503, 503]),
        // They name tokens.
        (&ready, "GET /metrics", [401, 401, 200]),
        (&separate, "GET /metrics", [404, 503, 200]),
        (&ready, "POST /metrics", [405, 405, 405]),
        (&ready, "OPTIONS /livez", [204, 204, 204]),
        (&ready, "OPTIONS *", [204, 503, 204]),
        (&ready, "OPTIONS /nothing", [404, 503, 404]),
        (&ready, "GET /v1/scrambles", [401, 503, 404]),
        (&ready, "GET /version", [401, 503, 404]),
        (&ready, "GET /docs", [200, 503, 404]),
        (&ready, "GET /", [200, 503, 404]),
    ] {
        let routers = [router, router_at_capacity, metrics_router];
        for (number, (router, status)) in routers.into_iter().zip(statuses).enumerate() {
            let response = call_router(router(state.clone()), request(text, &[])).await;
            assert_eq!(response.status(), status, "{text} {number}");
            let headers = response.headers().clone();
            let media = headers.get(header::CONTENT_TYPE);
            let is_problem = media.is_some_and(|it| it == "application/problem+json");
            assert_eq!(is_problem, status >= 400, "{text} {number}");
            if number == 1 {
                assert_eq!(headers[header::CACHE_CONTROL], "no-store", "{text}");
                assert!(headers.contains_key("x-request-id"), "{text}");
            }
            if number == 1 && status == 503 && text != "GET /readyz" {
                // The client must not keep this connection.
                assert_eq!(headers[header::CONNECTION], "close", "{text}");
                assert_eq!(headers[header::RETRY_AFTER], "1", "{text}");
                let problem = assert_problem(response, 503, "overloaded").await;
                assert!(detail(&problem).contains("connections"), "{problem}");
                refused += usize::from(std::ptr::eq(state, &ready));
            }
        }
    }
    let counted = metric(&ready, "rejections_total{reason=\"overloaded\"}").await;
    assert_eq!(counted, refused);
}
