//! The interfaces of TNoodle's server.

mod about;
mod all;
mod frontend;
mod legacy;
mod v0;
mod view;

use axum::body::Body;
use axum::http::{Response, StatusCode, header};
use scramble444::http::AppState;
use serde_json::Value;

use crate::service::*;
use test_support::cubes::cube;

fn media(response: &Response<Body>) -> &str {
    response.headers()[header::CONTENT_TYPE].to_str().unwrap()
}

/// The text of a response with status 200.
async fn ok(state: &AppState, uri: &str, expected_media: &str) -> String {
    let response = send(state, "GET", uri).await;
    assert_eq!(response.status(), StatusCode::OK, "{uri}");
    assert_eq!(media(&response), expected_media, "{uri}");
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    text(response).await
}

/// The JSON document of a response with status 200.
async fn ok_json(state: &AppState, uri: &str) -> Value {
    serde_json::from_str(&ok(state, uri, "application/json").await).unwrap()
}

/// Asserts that a response is a problem document with this status and problem code, and returns it.
async fn assert_problem(response: Response<Body>, uri: &str, status: u16, kind: &str) -> Value {
    assert_eq!(response.status().as_u16(), status, "{uri}");
    assert_eq!(media(&response), "application/problem+json");
    let retry = response.headers().contains_key(header::RETRY_AFTER);
    assert_eq!(retry, status == 503);
    let problem = body(response).await;
    assert_eq!(problem["status"], status);
    assert_eq!(problem["type"], format!("urn:scramble444:problem:{kind}"));
    // Clients of the legacy interface read only `error`.
    let path = uri.split('?').next().unwrap();
    let error = path.ends_with(".json").then_some(&problem["detail"]);
    assert_eq!(problem.get("error"), error, "{uri}");
    problem
}

async fn problem(state: &AppState, uri: &str, status: u16, kind: &str) -> Value {
    assert_problem(send(state, "GET", uri).await, uri, status, kind).await
}

const TEXT: &str = "text/plain; charset=utf-8";

/// The scramble routes of each interface, as method and path.
const SCRAMBLES: [(&str, &str); 6] = [
    ("GET", "/api/v0/scramble/444"),
    ("GET", "/api/v0/scramble/444/raw"),
    ("POST", "/frontend/puzzle/444/scramble"),
    ("POST", "/wcif/scrambles"),
    ("GET", "/scramble/.txt?=444"),
    ("GET", "/scramble/.json?=444"),
];

/// A document with one set.
const DOCUMENT: &str = r#"{"wcif":{"formatVersion":"1.0","id":"A2026","name":"A Open 2026","shortName":"A 2026",
    "events":[{"id":"444","rounds":[{"id":"444-r1","format":"1","scrambleSetCount":1}]}]}}"#;

async fn call_route(state: &AppState, method: &str, uri: &str) -> Response<Body> {
    match (method, uri) {
        ("POST", "/wcif/scrambles") => post(state, uri, DOCUMENT).await,
        ("POST", _) => post(state, uri, "{}").await,
        _ => send(state, method, uri).await,
    }
}
