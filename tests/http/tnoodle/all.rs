//! Behavior common to all TNoodle interfaces.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::http::{StatusCode, header};
use http_body_util::BodyExt;

use super::{SCRAMBLES, ok_json, problem, refused};
use crate::requests::*;
use crate::service::*;

#[tokio::test]
async fn unknown_puzzles_are_not_found() {
    let state = ready(Behavior::Turns);
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
        let detail = problem(&state, uri, 404, "not-found").await;
        assert!(detail.starts_with("no puzzle"), "{detail}");
        assert!(detail.contains("444ni"), "{detail}");
    }
    for uri in ["/frontend/puzzle/333/scramble", "/frontend/puzzle/333/svg"] {
        refused(&state, &format!("POST {uri}"), 404, "not-found").await;
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
        refused(&state, &format!("POST {uri}"), 405, "method-not-allowed").await;
    }
}

#[tokio::test]
async fn scrambles_without_inspection_end_in_an_orientation() {
    let state = ready(Behavior::Turns);
    for name in ["444ni", "444bf", "444bld"] {
        let uri = format!("/api/v0/scramble/{name}?numScrambles=10");
        let mut scrambles = ok_json(&state, &uri).await;
        let uri = format!("/scramble/.json?=444*10&={name}*10");
        let legacy = ok_json(&state, &uri).await;
        assert_eq!(legacy[1]["scrambler"], "444ni");
        let sighted = legacy[0]["scrambles"].to_string();
        assert!(!sighted.contains(['x', 'y', 'z']), "{sighted}");
        let more = legacy[1]["scrambles"].as_array().unwrap().clone();
        scrambles.as_array_mut().unwrap().extend(more);
        let rotated = scrambles.as_array().unwrap().iter().filter(|scramble| {
            let rotations = scramble.as_str().unwrap().split(' ').skip(2);
            rotations
                .clone()
                .all(|word| word.starts_with(['x', 'y', 'z']))
                && rotations.count() > 0
        });
        // Fails by chance with probability 24^-20.
        assert!(rotated.count() > 0, "{name}: {scrambles}");
    }
}

#[tokio::test]
async fn failures_give_a_problem_or_abort_the_body() {
    for text in SCRAMBLES {
        for behavior in [Behavior::Failing, Behavior::Panicking] {
            refused(&ready(behavior), text, 500, "internal").await;
        }
    }
    // The second scramble fails after the first has been sent, so the body must not end regularly.
    for path in ["444", "444/raw"] {
        let uri = format!("/api/v0/scramble/{path}?numScrambles=2");
        let response = send(&ready(Behavior::Repeating), "GET", &uri).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.into_body().collect().await.is_err(), "{uri}");
    }
    for extension in ["txt", "json"] {
        let uri = format!("/scramble/.{extension}?=444*2");
        problem(&ready(Behavior::Repeating), &uri, 500, "internal").await;
    }
}

#[tokio::test]
async fn requests_past_their_deadline_time_out() {
    let requests = SCRAMBLES.map(async |text| {
        let stub = stub(Behavior::Endless);
        let state = ready_but(&stub, |it| it.request_deadline = Duration::ZERO);
        refused(&state, text, 504, "timed-out").await;
    });
    futures_util::future::join_all(requests).await;
}

#[tokio::test]
async fn a_service_that_is_starting_full_or_draining_is_unavailable() {
    let stub = stub(Behavior::Endless);
    // The line always has room for a hundred jobs.
    let full = ready_but(&stub, |it| it.request_deadline = Duration::ZERO);
    let waiting = begin(&full, 1, "GET /v1/scrambles?count=100");
    let is_running = async || stub.running.load(Ordering::Relaxed) == 1;
    wait_until("it waits", is_running).await;
    let draining = ready(Behavior::Turns);
    draining.engines.drain();
    for (state, kind) in [
        (starting(settings()), "starting"),
        (full, "overloaded"),
        (draining, "draining"),
    ] {
        for text in SCRAMBLES {
            // Reading it has to wait for the worker.
            if (kind, text) != ("overloaded", "POST /wcif/scrambles") {
                refused(&state, text, 503, kind).await;
            }
        }
    }
    waiting.abort();
}

#[tokio::test]
async fn head_requests_make_no_scrambles() {
    let stub = stub(Behavior::Turns);
    let state = ready_with(&stub, settings());
    for text in SCRAMBLES.into_iter().filter(|text| text.starts_with("GET")) {
        let request = text.replace("GET", "HEAD");
        let head = ask(&state, &request).await;
        assert_eq!(head.status(), StatusCode::OK, "{text}");
        assert!(!head.headers().contains_key(header::CONTENT_LENGTH));
        let full = ask(&ready(Behavior::Turns), text).await;
        let media = &full.headers()[header::CONTENT_TYPE];
        assert_eq!(&head.headers()[header::CONTENT_TYPE], media, "{text}");
        let starting = ask(&starting(settings()), &request).await;
        assert_eq!(starting.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
    assert_eq!(stub.calls.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn empty_segments_of_paths_are_dropped() {
    let state = ready(Behavior::Turns);
    for uri in [
        "//api/v0/scramble/444?numScrambles=2",
        "/api//v0///scramble/444?numScrambles=2",
    ] {
        assert_eq!(ok_json(&state, uri).await.as_array().unwrap().len(), 2);
    }
    for uri in ["//version", "///view/444.svg", "//scramble/.txt?=444"] {
        assert_eq!(send(&state, "GET", uri).await.status(), StatusCode::OK);
    }
    let posted = ask(&state, "POST //frontend/puzzle/444/scramble").await;
    assert_eq!(posted.status(), StatusCode::OK);
    let metrics = metrics(&state).await;
    let counted = "route=\"/api/v0/scramble/{puzzle}\",status=\"200\"} 2\n";
    assert!(metrics.contains(counted), "{metrics}");
    for uri in "//v1/scrambles /v1//scrambles //metrics // //version/".split(' ') {
        problem(&state, uri, 404, "not-found").await;
    }
}
