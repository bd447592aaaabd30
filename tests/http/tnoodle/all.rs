//! What holds of all interfaces alike: puzzles by their names, and what the service does for every route.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use scramble444::http::{Access, Settings, Tokens};

use super::{SCRAMBLES, ask, given, is_problem, ok_json, problem};
use crate::common::stub::*;

#[tokio::test]
async fn unknown_puzzles_are_not_found() {
    let state = ready(Doing::Turns);
    for uri in [
        "/api/v0/puzzles/333",
        "/api/v0/scramble/333",
        "/api/v0/scramble/333/raw",
        "/api/v0/view/333/svg",
        "/api/v0/view/333/json",
        "/frontend/puzzle/333/colors",
        "/scramble/.txt?=333",
        "/scramble/.json?=444&e=333",
        "/scramble/.txt?444",
        "/view/333.png",
        "/view/333.json",
    ] {
        let problem = problem(&state, uri, 404, "not-found").await;
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with("no puzzle"), "{detail}");
        assert!(detail.contains("444ni"), "{detail}");
    }
    for uri in ["/frontend/puzzle/333/scramble", "/frontend/puzzle/333/svg"] {
        is_problem(post(&state, uri, "{}").await, uri, 404, "not-found").await;
    }
    for uri in [
        "/api/v0/view/444/pdf",
        "/view/444.pdf",
        "/view/444",
        "/scramble/.pdf?=444",
        "/scramble/round.zip?=444",
        "/api/v0/scramble/%ff",
        "/view/%ff.svg",
        "/scramble/%ff.json?=444",
        "/api/v0",
        "/frontend",
        "/nothing.json",
    ] {
        problem(&state, uri, 404, "not-found").await;
    }
    for uri in ["/api/v0/scramble/444", "/scramble/.json?=444"] {
        let posted = post(&state, uri, "{}").await;
        is_problem(posted, uri, 405, "method-not-allowed").await;
    }
}

#[tokio::test]
async fn scrambles_without_inspection_end_in_an_orientation() {
    let state = ready(Doing::Turns);
    for name in ["444ni", "444bf", "444bld"] {
        let uri = format!("/api/v0/scramble/{name}?numScrambles=10");
        let mut scrambles = ok_json(&state, &uri).await;
        let uri = format!("/scramble/.json?={name}*10");
        let legacy = ok_json(&state, &uri).await;
        assert_eq!(legacy[0]["scrambler"], "444ni");
        let more = legacy[0]["scrambles"].as_array().unwrap().clone();
        scrambles.as_array_mut().unwrap().extend(more);
        let turned = scrambles.as_array().unwrap().iter().filter(|scramble| {
            let rotations = scramble.as_str().unwrap().split(' ').skip(2);
            rotations
                .clone()
                .all(|word| word.starts_with(['x', 'y', 'z']))
                && rotations.count() > 0
        });
        // One in 24^20 times this would be chance.
        assert!(turned.count() > 0, "{name}: {scrambles}");
    }
}

#[tokio::test]
async fn what_fails_is_told_by_the_status_or_cut_off() {
    for (method, uri) in SCRAMBLES {
        for doing in [Doing::Failing, Doing::Panicking] {
            let response = ask(&ready(doing), method, uri).await;
            is_problem(response, uri, 500, "internal").await;
        }
    }
    // The second scramble is what fails: nobody must take the first for the whole.
    for path in ["444", "444/raw"] {
        let uri = format!("/api/v0/scramble/{path}?numScrambles=2");
        let response = send(&ready(Doing::Repeating), "GET", &uri).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.into_body().collect().await.is_err(), "{uri}");
    }
    for extension in ["txt", "json"] {
        let uri = format!("/scramble/.{extension}?=444*2");
        problem(&ready(Doing::Repeating), &uri, 500, "internal").await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_takes_too_long_is_given_up() {
    for (method, uri) in SCRAMBLES {
        let settings = Settings {
            request_deadline: Duration::ZERO,
            ..settings()
        };
        let state = ready_with(&stub(Doing::Endless), SMALL, settings);
        is_problem(ask(&state, method, uri).await, uri, 504, "timed-out").await;
    }
}

#[tokio::test]
async fn what_is_not_ready_or_full_is_unavailable() {
    let stub = stub(Doing::Endless);
    let full = ready_with(&stub, SMALL, settings());
    let working = full.readiness.begin_request().unwrap();
    let limits = scramble444::search::Limits::default();
    let effort = scramble444::search::EffortLevel::DEFAULT;
    let waiting = working.pool().scrambles(10, effort, &limits).unwrap();
    let draining = ready(Doing::Turns);
    draining.readiness.drain();
    for (state, kind) in [
        (starting(settings()), "starting"),
        (full, "overloaded"),
        (draining, "draining"),
    ] {
        for (method, uri) in SCRAMBLES {
            is_problem(ask(&state, method, uri).await, uri, 503, kind).await;
        }
    }
    limits.cancel.cancel();
    drop(waiting);
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_jobs_along() {
    for uri in [
        "/api/v0/scramble/444?numScrambles=20",
        "/scramble/.json?=444*20",
    ] {
        let stub = stub(Doing::Endless);
        let state = ready_with(&stub, SMALL, settings());
        let working = state.readiness.begin_request().unwrap();
        let waiting = tokio::spawn({
            let state = state.clone();
            async move { send(&state, "GET", uri).await.status() }
        });
        wait_until("a job is begun", async || {
            stub.busy.load(Ordering::Relaxed) == 1
        })
        .await;
        let streamed = || working.pool().load().streamed;
        assert_eq!(streamed(), 2, "as many as a stream queues ahead");
        waiting.abort();
        let _ = waiting.await;
        wait_until("its jobs end", async || streamed() == 0).await;
    }
}

#[tokio::test]
async fn heads_are_asked_for_without_making_scrambles() {
    let stub = stub(Doing::Turns);
    let state = ready_with(&stub, SMALL, settings());
    for (method, uri) in SCRAMBLES {
        if method == "GET" {
            let head = send(&state, "HEAD", uri).await;
            assert_eq!(head.status(), StatusCode::OK, "{uri}");
            assert!(!head.headers().contains_key(header::CONTENT_LENGTH));
            let starting = send(&starting(settings()), "HEAD", uri).await;
            assert_eq!(starting.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
    }
    assert_eq!(stub.made.load(Ordering::Relaxed), 0);
}

/// All routes of the three interfaces, with what they take.
const ROUTES: [(&str, &str); 16] = [
    ("GET", "/version"),
    ("GET", "/api/v0/puzzles"),
    ("GET", "/api/v0/puzzles/444"),
    ("GET", "/api/v0/scramble/444"),
    ("GET", "/api/v0/scramble/444/raw"),
    ("GET", "/api/v0/view/444/svg"),
    ("GET", "/frontend/data/events"),
    ("GET", "/frontend/data/formats"),
    ("GET", "/frontend/puzzle/444/colors"),
    ("POST", "/frontend/puzzle/444/scramble"),
    ("POST", "/frontend/puzzle/444/svg"),
    ("POST", "/wcif/scrambles"),
    ("GET", "/scramble/.json?=444"),
    ("GET", "/view/444.json"),
    ("GET", "/puzzles/.json"),
    ("GET", "/version.json"),
];

#[tokio::test]
async fn the_interfaces_need_the_token_and_can_be_switched_off() {
    let secret = "0123456789abcdef";
    let guarded = Settings {
        access: Arc::new(Access::with_tokens(Tokens::new(secret).unwrap())),
        ..settings()
    };
    let guarded = ready_with(&stub(Doing::Turns), SMALL, guarded);
    let without = Settings {
        tnoodle: false,
        ..settings()
    };
    let without = ready_with(&stub(Doing::Turns), SMALL, without);
    for (method, uri) in ROUTES {
        is_problem(ask(&guarded, method, uri).await, uri, 401, "unauthorized").await;
        let request = Request::builder().method(method).uri(uri);
        let request = request
            .header(header::AUTHORIZATION, format!("Bearer {secret}"))
            .header(header::CONTENT_TYPE, "application/json");
        let request = request.body(Body::from(given(uri))).unwrap();
        assert_eq!(
            answer(&guarded, request).await.status(),
            StatusCode::OK,
            "{uri}"
        );

        is_problem(ask(&without, method, uri).await, uri, 404, "not-found").await;
    }
    let description = body(send(&without, "GET", "/openapi.json").await).await;
    let paths = description["paths"].as_object().unwrap();
    assert!(paths.contains_key("/v1/scrambles") && !paths.contains_key("/version"));
    let all = body(send(&ready(Doing::Turns), "GET", "/openapi.json").await).await;
    let added = all["paths"].as_object().unwrap().len() - paths.len();
    assert_eq!(added, ROUTES.len());
}

#[tokio::test]
async fn requests_are_measured_by_route_and_nothing_secret_is_named() {
    let state = ready(Doing::Turns);
    for (method, uri) in ROUTES {
        ask(&state, method, uri).await;
    }
    send(&state, "GET", "/scramble/Secret.txt?Secret=444").await;
    send(&state, "GET", "/view/444.svg?scramble=Secret").await;
    send(&state, "GET", "/api/v0/scramble/Secret").await;
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    for (route, status, count) in [
        ("/api/v0/scramble/{puzzle}", 200, 1),
        ("/api/v0/scramble/{puzzle}", 404, 1),
        ("/api/v0/scramble/{puzzle}/raw", 200, 1),
        ("/api/v0/scramble/{puzzle}/raw", 500, 0),
        ("/api/v0/view/{puzzle}/{format}", 200, 1),
        ("/frontend/puzzle/{puzzle}/colors", 200, 1),
        ("/scramble/{file}", 200, 2),
        ("/view/{file}", 200, 1),
        ("/view/{file}", 422, 1),
        ("/version.json", 200, 1),
    ] {
        let labels = format!("method=\"GET\",route=\"{route}\",status=\"{status}\"");
        let line = format!("http_requests_total{{{labels}}} {count}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    let line = "method=\"POST\",route=\"/frontend/puzzle/{puzzle}/scramble\",status=\"200\"} 1\n";
    assert!(metrics.contains(line), "{metrics}");
    assert!(
        metrics.contains("solve_duration_seconds_count{method=\"stub\",effort=\"4\"} 8\n"),
        "{metrics}"
    );
    assert!(!metrics.contains("Secret") && !metrics.contains("Rw"));
}

#[tokio::test]
async fn any_origin_may_be_allowed() {
    let settings = Settings {
        cors_origins: vec!["*".parse().unwrap()],
        ..settings()
    };
    let state = ready_with(&stub(Doing::Turns), SMALL, settings);
    for origin in ["https://example.org", "http://localhost:3000"] {
        let request = Request::get("/api/v0/scramble/444").header(header::ORIGIN, origin);
        let response = answer(&state, request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        let preflight = Request::options("/frontend/puzzle/444/scramble")
            .header(header::ORIGIN, origin)
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST")
            .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "content-type");
        let response = answer(&state, preflight.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let headers = response.headers();
        assert_eq!(headers[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        let methods = headers[header::ACCESS_CONTROL_ALLOW_METHODS].to_str();
        assert!(methods.unwrap().contains("POST"));
    }
}
