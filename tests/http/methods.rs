//! Requests that name a method. Each method becomes ready independently.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use scramble444::http::AppState;
use serde_json::json;

use crate::requests::*;
use crate::service::*;

/// A service whose default method is ready and whose other two are not.
fn service() -> AppState {
    let state = starting_with(&["own", "other", "third"], settings());
    state.engines.ready(named("own", Behavior::Turns));
    state
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_two_seconds_for_a_method_that_is_starting() {
    let state = service();
    let began = tokio::time::Instant::now();
    problem(&state, "GET", "/v1/scrambles?method=other", 503, "starting").await;
    assert_eq!(began.elapsed(), std::time::Duration::from_secs(2));
    // Progress does not make it wait longer.
    let second = std::time::Duration::from_secs(1);
    let later = async {
        tokio::time::sleep(second).await;
        progress(&state, "other", "building", 0.1);
    };
    let refused = problem(&state, "GET", "/v1/scrambles?method=other", 503, "starting");
    tokio::join!(refused, later);
    assert_eq!(began.elapsed(), 4 * second);
    // Without workers, since a paused clock would run ahead of them.
    let waiting = [
        "HEAD /v1/scrambles?method=other",
        "HEAD /print?sets=1&method=other",
    ];
    let waiting = waiting.map(|text| begin(&state, 1, text));
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    progress(&state, "other", "still building", 0.5);
    state.engines.ready(named("other", Behavior::Turns));
    for response in waiting {
        assert_eq!(response.await.unwrap().status(), StatusCode::OK);
    }
    assert_eq!(began.elapsed(), 5 * second);
}

#[tokio::test(start_paused = true)]
async fn a_method_that_is_not_ready_reports_progress_without_affecting_others() {
    let state = service();
    let uri = "/v1/scrambles?method=other";
    let before = problem(&state, "GET", uri, 503, "starting").await;
    let expected = "method other is being prepared: preparing (0 % done)";
    assert_eq!(before["detail"], expected);
    progress(&state, "other", "building", 0.5);
    let after = problem(&state, "GET", uri, 503, "starting").await;
    let building = json!({"step": "building", "done": 0.5});
    assert_eq!(after["progress"], building);
    let given = r#"{"scramble":"R U","method":"other"}"#;
    assert_refused(&state, &format!("POST /v1/solve {given} | 503 starting")).await;
    // `verify` needs no solver.
    let verdict = ask(&state, &format!("POST /v1/verify {given}")).await;
    assert_eq!(verdict.status(), StatusCode::OK);

    // A paused clock would run ahead of the workers.
    tokio::time::resume();
    for uri in ["/v1/scrambles", "/v1/scrambles?method=own"] {
        let scrambles = body(send(&state, "GET", uri).await).await;
        assert_eq!(scrambles["generator"]["method"], "own", "{uri}");
    }
    let ready = body(send(&state, "GET", "/readyz").await).await;
    let preparing = json!({"step": "preparing", "done": 0.0});
    let expected = json!([
        {"name": "own", "status": "ready", "tables": "stub"},
        {"name": "other", "status": "starting", "progress": building},
        {"name": "third", "status": "starting", "progress": preparing},
    ]);
    assert_eq!(ready["methods"], expected);
}

#[tokio::test]
async fn the_named_method_makes_the_scrambles() {
    let state = service();
    // The other method returns the same scramble each time.
    state.engines.ready(named("other", Behavior::Repeating));
    for _ in 0..2 {
        let scrambles = body(send(&state, "GET", "/v1/scrambles?method=other").await).await;
        assert_eq!(scrambles["scrambles"][0]["scramble"], "R U");
        assert_eq!(scrambles["generator"]["method"], "other");
        assert_eq!(scrambles["generator"]["tables"], "small");
        let own = body(send(&state, "GET", "/v1/scrambles").await).await;
        assert_ne!(own["scrambles"][0]["scramble"], "R U");
    }
    let lines = json_lines(&state, "/v1/scrambles?method=other").await;
    assert_eq!(lines[0]["scramble"], "R U");
    let solved = post(&state, "/v1/solve", r#"{"scramble":"F","method":"other"}"#).await;
    assert_eq!(body(solved).await["solution"], "R U");
}

#[tokio::test]
async fn a_method_serves_before_the_default_is_ready() {
    let state = starting_with(&["own", "other"], settings());
    problem(&state, "GET", "/v1/scrambles?method=other", 503, "starting").await;
    state.engines.ready(named("other", Behavior::Turns));

    let first = body(ask(&state, "GET /v1/scrambles?method=other").await).await;
    assert_eq!(first["generator"]["method"], "other");
    // The others are told of the progress of the default.
    progress(&state, "own", "building", 0.5);
    let of_default = [
        "/v1/scrambles",
        "/v1/scrambles?method=own",
        "/print?sets=1",
        "/readyz",
    ];
    for uri in of_default {
        let refused = problem(&state, "GET", uri, 503, "starting").await;
        assert_eq!(refused["progress"]["done"], 0.5, "{uri}");
    }
    for text in [
        r#"POST /v1/solve {"scramble":"F","method":"other"}"#,
        "GET /print?extras=0&method=other",
        "GET /v1/scrambles?method=other",
    ] {
        assert_eq!(ask(&state, text).await.status(), StatusCode::OK, "{text}");
    }
    state.engines.ready(named("own", Behavior::Turns));
    for uri in of_default {
        let status = send(&state, "GET", uri).await.status();
        assert_eq!(status, StatusCode::OK, "{uri}");
    }
    state.engines.drain();
    problem(&state, "GET", "/v1/scrambles?method=other", 503, "draining").await;
}

#[tokio::test]
async fn a_service_that_stops_does_not_become_ready() {
    let state = starting(settings());
    state.engines.drain();
    state.engines.ready(stub(Behavior::Turns));
    problem(&state, "GET", "/v1/scrambles", 503, "draining").await;
}

#[tokio::test]
async fn a_method_that_is_ready_stays_so_while_larger_tables_are_made() {
    let state = service();
    let methods = &state.engines;
    methods.ready(named("other", Behavior::Repeating));
    progress(&state, "other", "building", 0.5);
    methods.failed("other");
    let ready = body(send(&state, "GET", "/readyz").await).await;
    let status = json!({"name": "other", "status": "ready", "tables": "small", "failed": true});
    assert_eq!(ready["methods"][1], status);
    let answer = body(send(&state, "GET", "/v1/scrambles?method=other").await).await;
    assert_eq!(answer["scrambles"][0]["scramble"], "R U");
    methods.ready(named("other", Behavior::Turns));
    let ready = body(send(&state, "GET", "/readyz").await).await;
    assert_eq!(ready["methods"][1]["failed"], json!(null));
    let answer = body(send(&state, "GET", "/v1/scrambles?method=other").await).await;
    assert_ne!(answer["scrambles"][0]["scramble"], "R U");
}

#[tokio::test]
async fn unknown_and_failed_methods_are_rejected() {
    let state = service();
    state.engines.failed("third");
    let unknown = "method must be own or other or third";
    for name in ["", "Own", "fourth", "other%20"] {
        let uri = format!("/v1/scrambles?method={name}");
        assert_eq!(bad_parameter(&state, &uri).await, unknown);
    }
    assert_refused(&state, r#"
        POST /v1/solve {"scramble":"R","method":"fourth"} | 400 bad-body | method must be own or other or third
        POST /v1/verify {"scramble":"R","method":"fourth"} | 400 bad-body | method must be own or other or third
        GET /v1/scrambles?method=third | 503 method-failed | method third could not be prepared; the reason has been logged"#).await;
    let ready = body(send(&state, "GET", "/readyz").await).await;
    let status = json!({"name": "third", "status": "failed"});
    assert_eq!(ready["methods"][2], status);
    // Even if nothing is needed of them, and if the service stops.
    let round = json!({"id": "444-r1", "format": "a", "scrambleSetCount": 0});
    let complete = json!({"events": [{"id": "444", "rounds": [round]}]}).to_string();
    for is_draining in [false, true] {
        if is_draining {
            state.engines.drain();
        }
        let kind = ["method-failed", "draining"][usize::from(is_draining)];
        assert_refused(
            &state,
            &format!(
                "
            POST /v1/wcif?method=fourth {complete} | 400 bad-parameter
            GET /v1/scrambles?method=fourth | 400 bad-parameter
            GET /v1/scrambles?method=third | 503 {kind}"
            ),
        )
        .await;
        let status = if is_draining { 200 } else { 503 };
        let response = ask(&state, &format!("POST /v1/wcif?method=third {complete}")).await;
        assert_eq!(response.status(), status);
    }
}

/// Another method has no part in the buffer of the default one.
#[tokio::test]
async fn the_buffer_stays_that_of_the_default_method() {
    let mut buffering = settings();
    buffering.buffer = 2;
    let state = starting_with(&["own", "other"], buffering);
    let own = named("own", Behavior::Permitted);
    state.engines.ready(Arc::clone(&own) as _);
    let is_full = async || metric(&state, "buffer_scrambles").await == 2;
    own.permit(2);
    wait_until("the buffer is full", is_full).await;
    let other = named("other", Behavior::Turns);
    state.engines.ready(Arc::clone(&other) as _);
    assert!(is_full().await);
    // There is no permit for others than those in the buffer.
    let response = send(&state, "GET", "/v1/scrambles?count=2").await;
    assert_eq!(response.status(), 200);
    // It is filled again by the engine that has filled it.
    own.permit(2);
    wait_until("the buffer is full", is_full).await;
    assert_eq!(other.calls.load(Ordering::Relaxed), 0);
}

/// Only the default method of a service that starts may take minutes, so nothing waits for it.
#[tokio::test(start_paused = true)]
async fn requests_for_the_default_method_are_refused_at_once_while_it_is_starting() {
    let state = starting_with(&["own", "other"], settings());
    let began = tokio::time::Instant::now();
    // Nor for a method that has failed or does not exist.
    state.engines.failed("other");
    assert_refused(
        &state,
        "
        GET /v1/scrambles | 503 starting
        GET /v1/scrambles?method=own | 503 starting
        GET /print | 503 starting
        POST /v1/solve | 503 starting
        GET /v1/scrambles?method=other | 503 method-failed
        GET /v1/scrambles?method=x | 400 bad-parameter",
    )
    .await;
    assert_eq!(began.elapsed(), std::time::Duration::ZERO);
    progress(&state, "own", "building", 0.5);
    let refused = problem(&state, "GET", "/readyz", 503, "starting").await;
    let detail = "the service is starting: building (50 % done)";
    assert_eq!(refused["detail"], detail);
}
