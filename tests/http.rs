//! The HTTP layer in-process, with a generator that needs no tables.
#![cfg(feature = "server")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use rand_chacha::ChaCha20Rng;
use scramble444::cube::{Cube, Sequence};
use scramble444::http::{AppState, Progress, Readiness, router};
use scramble444::pool::{Generate, Pool};
use scramble444::scramble::{Scramble, ScrambleError};
use scramble444::search::{Limits, SearchError, Statistics};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Each scramble is one turn, a different one each time.
#[derive(Default)]
struct Stub {
    made: AtomicUsize,
}

impl Generate for Stub {
    fn generate(&self, _: &mut ChaCha20Rng, limits: &Limits) -> Result<Scramble, ScrambleError> {
        assert!(limits.deadline.is_some());
        let turns = [
            "U", "U'", "U2", "R", "R'", "R2", "F", "F'", "F2", "D", "L", "B",
        ];
        let turn = turns[self.made.fetch_add(1, Ordering::Relaxed) % turns.len()];
        let sequence: Sequence = turn.parse().unwrap();
        let state = Cube::solved().moved_by(sequence.axis_moves());
        let (stage_costs, statistics) = (Vec::new(), Statistics::default());
        Ok(Scramble {
            sequence,
            state,
            stage_costs,
            premove_cost: 0,
            statistics,
        })
    }

    fn tables(&self) -> &'static str {
        "stub"
    }
}

/// Always makes the same scramble.
struct Broken;

impl Generate for Broken {
    fn generate(&self, _: &mut ChaCha20Rng, _: &Limits) -> Result<Scramble, ScrambleError> {
        let (sequence, state) = (Sequence::default(), Cube::solved());
        let (stage_costs, statistics) = (Vec::new(), Statistics::default());
        Ok(Scramble {
            sequence,
            state,
            stage_costs,
            premove_cost: 0,
            statistics,
        })
    }

    fn tables(&self) -> &'static str {
        "broken"
    }
}

/// Panics.
struct Panicking;

impl Generate for Panicking {
    fn generate(&self, _: &mut ChaCha20Rng, _: &Limits) -> Result<Scramble, ScrambleError> {
        panic!("a panic that a test wants");
    }

    fn tables(&self) -> &'static str {
        "panicking"
    }
}

/// Works until it is cancelled.
struct Endless;

impl Generate for Endless {
    fn generate(&self, _: &mut ChaCha20Rng, limits: &Limits) -> Result<Scramble, ScrambleError> {
        while !limits.cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(ScrambleError::Search(SearchError::Cancelled))
    }

    fn tables(&self) -> &'static str {
        "endless"
    }
}

fn state(readiness: Readiness) -> AppState {
    AppState {
        readiness: Arc::new(readiness),
        max_count: 10,
        request_deadline: Duration::from_secs(5),
    }
}

fn ready(generator: impl Generate, queue: usize) -> AppState {
    let readiness = Readiness::starting();
    readiness.ready(Pool::start(Arc::new(generator), 1, queue).unwrap());
    state(readiness)
}

async fn send(state: &AppState, method: &str, uri: &str) -> Response<Body> {
    let request = Request::builder()
        .method(method)
        .uri(uri)
        .body(Body::empty())
        .unwrap();
    router(state.clone()).oneshot(request).await.unwrap()
}

async fn body(response: Response<Body>) -> Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

/// Sends a request and checks that the answer is a well-formed problem of a kind.
async fn problem(state: &AppState, method: &str, uri: &str, status: u16, kind: &str) -> Value {
    let response = send(state, method, uri).await;
    assert_eq!(
        response.status(),
        StatusCode::from_u16(status).unwrap(),
        "{uri}"
    );
    assert_eq!(
        response.headers()[header::CONTENT_TYPE],
        "application/problem+json"
    );
    assert_eq!(
        response.headers().contains_key(header::RETRY_AFTER),
        status == 503,
        "{uri}"
    );
    assert!(response.headers().contains_key("x-request-id"));
    let problem = body(response).await;
    assert_eq!(problem["status"], status);
    assert_eq!(problem["type"], format!("urn:scramble444:problem:{kind}"));
    assert!(problem["title"].is_string() && problem["detail"].is_string());
    problem
}

#[tokio::test]
async fn scrambles_have_the_documented_shape() {
    let state = ready(Stub::default(), 10);
    let response = send(&state, "GET", "/v1/scrambles?event=444&count=2").await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    let facelets = |text: &str| {
        let sequence: Sequence = text.parse().unwrap();
        Cube::solved().moved_by(sequence.axis_moves()).facelets()
    };
    let expected = json!({
        "event": "444",
        "scrambles": [
            {"scramble": "U", "moves": 1, "state": facelets("U")},
            {"scramble": "U'", "moves": 1, "state": facelets("U'")},
        ],
        "generator": {
            "name": "scramble444",
            "version": env!("CARGO_PKG_VERSION"),
            "tables": "stub",
        },
    });
    assert_eq!(body(response).await, expected);
    let head = send(&state, "HEAD", "/v1/scrambles?count=2").await;
    assert_eq!(head.status(), StatusCode::OK);
    let bad = send(&state, "HEAD", "/v1/scrambles?count=0").await;
    assert_eq!(bad.status(), StatusCode::BAD_REQUEST);
    let one = body(send(&state, "GET", "/v1/scrambles").await).await;
    assert_eq!(
        one["scrambles"][0]["scramble"], "U2",
        "HEAD makes no scrambles"
    );
    assert_eq!(one["scrambles"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn bad_requests_say_what_is_allowed() {
    let state = ready(Stub::default(), 10);
    for count in ["0", "11", "abc", "", "-1", "1.5", "99999999999999999999"] {
        let uri = format!("/v1/scrambles?count={count}");
        let problem = problem(&state, "GET", &uri, 400, "bad-parameter").await;
        assert_eq!(
            problem["detail"], "count must be a whole number from 1 to 10",
            "{count}"
        );
    }
    let event = problem(
        &state,
        "GET",
        "/v1/scrambles?event=333",
        400,
        "bad-parameter",
    )
    .await;
    assert_eq!(event["detail"], "event must be 444");
    for query in ["cuont=5", "count=1&count=2"] {
        let uri = format!("/v1/scrambles?{query}");
        let problem = problem(&state, "GET", &uri, 400, "bad-parameter").await;
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .contains("event and count")
        );
    }
    problem(&state, "GET", "/v1/scramble", 404, "not-found").await;
    problem(&state, "POST", "/v1/scrambles", 405, "method-not-allowed").await;
    let response = send(&state, "DELETE", "/readyz").await;
    assert_eq!(response.headers()[header::ALLOW], "GET,HEAD");
}

#[tokio::test]
async fn probes_tell_starting_ready_and_draining_apart() {
    let state = state(Readiness::starting());
    assert_eq!(send(&state, "GET", "/livez").await.status(), StatusCode::OK);
    assert_eq!(
        send(&state, "GET", "/healthz").await.status(),
        StatusCode::OK
    );
    problem(&state, "GET", "/readyz", 503, "starting").await;
    state.readiness.progress(Progress {
        step: "building".to_owned(),
        done: 0.25,
    });
    let progress = problem(&state, "GET", "/v1/scrambles", 503, "starting").await;
    assert_eq!(
        progress["progress"],
        json!({"step": "building", "done": 0.25})
    );

    state
        .readiness
        .ready(Pool::start(Arc::new(Stub::default()), 1, 10).unwrap());
    let response = send(&state, "GET", "/readyz").await;
    assert_eq!(
        body(response).await,
        json!({"status": "ready", "tables": "stub"})
    );

    state.readiness.drain();
    problem(&state, "GET", "/readyz", 503, "draining").await;
    problem(&state, "GET", "/v1/scrambles", 503, "draining").await;
    state.readiness.progress(Progress {
        step: "late".to_owned(),
        done: 0.5,
    });
    problem(&state, "GET", "/readyz", 503, "draining").await;
    assert_eq!(send(&state, "GET", "/livez").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn defects_are_internal_errors_without_internals() {
    for state in [ready(Broken, 10), ready(Panicking, 10)] {
        let problem = problem(&state, "GET", "/v1/scrambles?count=2", 500, "internal").await;
        assert!(!problem.to_string().contains("panic"));
        // The service goes on.
        assert_eq!(
            send(&state, "GET", "/readyz").await.status(),
            StatusCode::OK
        );
    }
}

#[tokio::test]
async fn a_full_queue_is_refused_and_freed_when_the_client_has_left() {
    let state = ready(Endless, 10);
    let waiting = tokio::spawn({
        let state = state.clone();
        async move { send(&state, "GET", "/v1/scrambles?count=10").await.status() }
    });
    let busy = async {
        loop {
            let response = send(&state, "GET", "/v1/scrambles").await;
            if response.status() == StatusCode::SERVICE_UNAVAILABLE {
                break body(response).await;
            }
        }
    };
    // Until the first request is queued, the second one would wait; give it the time.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let refused = tokio::time::timeout(Duration::from_secs(5), busy)
        .await
        .unwrap();
    assert_eq!(refused["type"], "urn:scramble444:problem:overloaded");

    waiting.abort();
    let _ = waiting.await;
    let pool = state.readiness.pool().unwrap();
    let limits = Limits::default();
    limits.cancel.cancel();
    for _ in 0..500 {
        if pool.submit(10, &limits).is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the places of a request whose client had left were not freed");
}
