//! The HTTP layer while jobs wait: streams, deadlines, a full queue, the buffer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use scramble444::http::{Access, AppState, Settings, Tokens};
use scramble444::pool::PoolConfig;
use scramble444::search::{EffortLevel, Limits};
use serde_json::Value;

use crate::common::stub::*;

/// A request for lines.
fn lines(count: u32) -> Request<Body> {
    let request = Request::get(format!("/v1/scrambles?count={count}"));
    let request = request.header("accept", "application/x-ndjson");
    let request = request.header("accept-encoding", "gzip");
    request.body(Body::empty()).unwrap()
}

#[tokio::test]
async fn lines_come_as_soon_as_they_exist_and_are_not_compressed() {
    let stub = stub(Doing::Permitted);
    let state = ready_with(&stub, SMALL, settings());
    let response = answer(&state, lines(10)).await;
    assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
    let mut stream = response.into_body();
    for _ in 0..10 {
        // The next one is made only after this one has arrived.
        stub.permit(1);
        let frame = tokio::time::timeout(Duration::from_secs(60), stream.frame()).await;
        let line = frame.unwrap().unwrap().unwrap().into_data().unwrap();
        let line: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(line["moves"], 2);
    }
    assert!(stream.frame().await.is_none());
    // Other answers are compressed, if they are worth it.
    let request = Request::get("/openapi.json").header("accept-encoding", "gzip");
    let response = answer(&state, request.body(Body::empty()).unwrap()).await;
    assert_eq!(response.headers()[header::CONTENT_ENCODING], "gzip");
}

#[tokio::test]
async fn lines_end_with_a_problem_if_it_must_be() {
    let repeated = answer(&ready(Doing::Repeating), lines(3)).await;
    assert_eq!(repeated.status(), StatusCode::OK);
    let repeated = text(repeated).await;
    let lines: Vec<Value> = repeated
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["type"], "urn:scramble444:problem:internal");
}

#[tokio::test]
async fn a_stream_whose_client_leaves_is_cancelled() {
    let stub = stub(Doing::Endless);
    let state = ready_with(&stub, SMALL, settings());
    let stream = answer(&state, lines(10)).await;
    let working = state.readiness.begin_request().unwrap();
    wait_until("a job is begun", async || {
        stub.busy.load(Ordering::Relaxed) == 1
    })
    .await;
    let load = || working.pool().load();
    assert_eq!(load().streamed, 2, "as many as a stream queues ahead");
    assert_eq!(load().jobs, 0, "and no places for others");
    drop(stream);
    wait_until("its jobs end", async || load().streamed == 0).await;
    assert_eq!(
        stub.made.load(Ordering::Relaxed),
        1,
        "the others are not begun"
    );
}

#[tokio::test]
async fn a_set_as_lines_is_an_ordinary_request() {
    let stub = stub(Doing::Endless);
    let state = ready_with(&stub, SMALL, settings());
    let stream = answer(&state, lines(7)).await;
    let working = state.readiness.begin_request().unwrap();
    let load = working.pool().load();
    assert_eq!((load.jobs, load.streamed), (2, 0));
    drop(stream);
}

#[tokio::test]
async fn waiting_in_the_queue_is_not_counted_as_solving() {
    let stub = stub(Doing::Permitted);
    let state = ready_with(&stub, SMALL, settings());
    let working = state.readiness.begin_request().unwrap();
    let limits = Limits::default();
    let before = working.pool().scrambles(1, EffortLevel::DEFAULT, &limits);
    let waiting = tokio::spawn({
        let state = state.clone();
        async move { post(&state, "/v1/solve", r#"{"scramble":"R U"}"#).await }
    });
    wait_until("it waits", async || working.pool().load().jobs == 2).await;
    // The longer it waits, the clearer is the difference; how long it is decides nothing.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let released = Instant::now();
    stub.permit(2);
    let report = body(waiting.await.unwrap()).await;
    let most = released.elapsed().as_secs_f64() * 1e3;
    assert!(
        report["millis"].as_f64().unwrap() <= most,
        "{report} {most}"
    );
    drop(before);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_takes_too_long_is_given_up() {
    let state = ready_with(
        &stub(Doing::Endless),
        SMALL,
        Settings {
            request_deadline: Duration::ZERO,
            ..settings()
        },
    );
    problem(&state, "GET", "/v1/scrambles", 504, "timed-out").await;
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    assert!(metrics.contains("scramble444_rejections_total{reason=\"timed-out\"} 1"));
}

#[tokio::test]
async fn a_full_queue_is_refused_and_freed_when_the_client_has_left() {
    let stub = stub(Doing::Endless);
    let state = ready_with(&stub, SMALL, settings());
    let waiting = tokio::spawn({
        let state = state.clone();
        async move { send(&state, "GET", "/v1/scrambles?count=10").await.status() }
    });
    wait_until("a job is begun", async || {
        stub.busy.load(Ordering::Relaxed) == 1
    })
    .await;
    let refused = send(&state, "GET", "/v1/scrambles").await;
    // No job has ended yet from which it could be known.
    assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
    is_problem(refused, 503, "overloaded").await;
    let position = post(&state, "/v1/solve", r#"{"scramble":"R"}"#).await;
    is_problem(position, 503, "overloaded").await;
    let verdict = post(&state, "/v1/verify", r#"{"scramble":"R"}"#).await;
    assert_eq!(
        verdict.status(),
        StatusCode::OK,
        "takes no place in the queue"
    );
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    assert!(metrics.contains("scramble444_queue_jobs 10"), "{metrics}");
    assert!(metrics.contains("scramble444_rejections_total{reason=\"overloaded\"} 2"));

    waiting.abort();
    let _ = waiting.await;
    let working = state.readiness.begin_request().unwrap();
    let limits = Limits::default();
    limits.cancel.cancel();
    wait_until("its places are free", async || {
        let all = working.pool().scrambles(10, EffortLevel::DEFAULT, &limits);
        all.is_ok()
    })
    .await;
}

#[tokio::test]
async fn the_buffer_is_handed_out_once_and_refilled() {
    let buffering = PoolConfig { buffer: 5, ..SMALL };
    let stub = stub(Doing::Turns);
    let state = ready_with(&stub, buffering, settings());
    let full = async |state: &AppState| {
        wait_until("the buffer is full", async || {
            body(send(state, "GET", "/readyz").await).await["buffered"] == 5
        })
        .await;
    };
    full(&state).await;
    let first = body(send(&state, "GET", "/v1/scrambles?count=10").await).await;
    let scrambles = first["scrambles"].as_array().unwrap();
    assert_eq!(scrambles.len(), 10, "five that were ready, and five more");
    assert_eq!(scrambles[0]["scramble"], "U Rw");
    full(&state).await;
    let second = body(send(&state, "GET", "/v1/scrambles?count=1").await).await;
    assert!(!scrambles.contains(&second["scrambles"][0]));
    // What asks for more effort is not in the buffer, but made after all that are in it.
    full(&state).await;
    let made = stub.made.load(Ordering::Relaxed);
    let third = body(send(&state, "GET", "/v1/scrambles?count=1&effort=5").await).await;
    assert_eq!(stub.made.load(Ordering::Relaxed), made + 1);
    let fourth = body(send(&state, "GET", "/v1/scrambles?count=6").await).await;
    let fourth = fourth["scrambles"].as_array().unwrap();
    assert!(!fourth.contains(&third["scrambles"][0]));
    state.readiness.drain();
    assert!(state.readiness.begin_request().is_err());
}

#[tokio::test]
async fn a_client_is_known_by_the_name_of_its_token() {
    let stub = stub(Doing::Permitted);
    let config = PoolConfig {
        queue_per_client: 3,
        ..SMALL
    };
    let tokens = Tokens::new("a 0123456789abcdef\na 0123456789abcdee\nb 0123456789abcded");
    let settings = Settings {
        access: Arc::new(Access::with_tokens(tokens.unwrap())),
        ..settings()
    };
    let state = ready_with(&stub, config, settings);
    let ask = |uri: &'static str, token: &'static str| {
        let request = Request::get(uri).header("authorization", format!("Bearer {token}"));
        let (state, request) = (state.clone(), request.body(Body::empty()).unwrap());
        async move { answer(&state, request).await }
    };
    let held = tokio::spawn(ask("/v1/scrambles?count=3", "0123456789abcdef"));
    let working = state.readiness.begin_request().unwrap();
    wait_until("three are queued", async || working.pool().load().jobs == 3).await;
    for uri in [
        "/v1/scrambles",
        "/api/v0/scramble/444",
        "/scramble/.json?x=444",
        "/print",
    ] {
        let refused = ask(uri, "0123456789abcdee").await;
        is_problem(refused, 429, "too-many-requests").await;
    }
    let other = tokio::spawn(ask("/v1/scrambles?count=2", "0123456789abcded"));
    wait_until("they are let in", async || working.pool().load().jobs == 5).await;
    stub.permit(5);
    assert_eq!(held.await.unwrap().status(), StatusCode::OK);
    assert_eq!(other.await.unwrap().status(), StatusCode::OK);
    stub.permit(1);
    assert_eq!(
        ask("/v1/scrambles", "0123456789abcdee").await.status(),
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_stream_for_which_there_is_no_room_any_more_ends_with_a_problem() {
    let stub = stub(Doing::Permitted);
    let config = PoolConfig {
        queue_per_client: 2,
        ..SMALL
    };
    let settings = Settings {
        request_deadline: Duration::from_millis(1),
        ..settings()
    };
    let state = ready_with(&stub, config, settings);
    let stream = answer(&state, lines(10)).await;
    stub.permit(2);
    let working = state.readiness.begin_request().unwrap();
    wait_until("two are made", async || working.pool().load().streamed == 0).await;
    let limits = Limits::default();
    let others = working.pool().scrambles(2, EffortLevel::DEFAULT, &limits);
    let ended = tokio::time::timeout(Duration::from_secs(60), text(stream)).await;
    let ended = ended.expect("it tries no longer than a request may take");
    let lines: Vec<Value> = ended
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[2]["type"],
        "urn:scramble444:problem:too-many-requests"
    );
    limits.cancel.cancel();
    stub.permit(2);
    drop(others);
}
