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

use crate::requests::*;
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

/// Asserts that a request gets a problem document with this status and problem code, and returns the detail.
async fn refused(state: &AppState, text: &str, status: u16, kind: &str) -> String {
    let problem = assert_problem(ask(state, text).await, status, kind).await;
    // Clients of the legacy interface read only `error`.
    let path = text.split(['?', ' ']).nth(1).unwrap();
    let error = path.ends_with(".json").then_some(&problem["detail"]);
    assert_eq!(problem.get("error"), error, "{text}");
    detail(&problem).to_owned()
}

/// As [`refused`], for GET requests.
async fn problem(state: &AppState, uri: &str, status: u16, kind: &str) -> String {
    refused(state, &format!("GET {uri}"), status, kind).await
}

const TEXT: &str = "text/plain; charset=utf-8";

/// The scramble routes of each interface.
const SCRAMBLES: [&str; 6] = [
    "GET /api/v0/scramble/444",
    "GET /api/v0/scramble/444/raw",
    "POST /frontend/puzzle/444/scramble",
    "POST /wcif/scrambles",
    "GET /scramble/.txt?=444",
    "GET /scramble/.json?=444",
];
