//! Probes, metrics, and the page with the description of the interface.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::streaming::blocking;
use crate::http::problem::Result;
use crate::http::state::{AppState, MethodStatus};

/// The process is running.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Live {
    /// Always `ok`.
    status: &'static str,
}

/// Whether the process is running.
pub(crate) async fn live() -> Json<Live> {
    Json(Live { status: "ok" })
}

/// The service is ready.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Ready {
    /// Always `ready`.
    status: &'static str,
    /// Profile of the default method's tables: `pocket`, `compact` or `full`.
    tables: &'static str,
    /// Number of scrambles in the buffer.
    buffered: usize,
    /// The methods that requests may name, the default first.
    methods: Vec<MethodStatus>,
}

/// Whether the service is ready.
pub(crate) async fn ready(State(state): State<AppState>) -> Result<Json<Ready>> {
    let engine = state.engines.default_if_ready()?;
    Ok(Json(Ready {
        status: "ready",
        tables: engine.tables(),
        buffered: state.engines.buffer().len(),
        methods: state.engines.statuses(),
    }))
}

/// Metrics for Prometheus.
pub(crate) async fn metrics(State(state): State<AppState>) -> Result<Response> {
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    // Metrics of the process are read from files.
    let page = blocking("writing metrics", move || state.metrics());
    Ok(([(header::CONTENT_TYPE, media_type)], page.await?).into_response())
}

/// The page. It loads `openapi.json`, by a relative address, and nothing else.
const PAGE: &str = include_str!("docs.html");

/// `GET /docs`.
pub(crate) async fn docs() -> Response {
    // The policy allows only the script and the style that are part of the page, by their nonce. So no text
    // of the description can become a script.
    let nonce = format!("{:032x}", rand::random::<u128>());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'"
    );
    let page = PAGE.replace("{nonce}", &nonce);
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response()
}
