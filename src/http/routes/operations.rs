//! Probes, metrics, a list of routes, and `GET /openapi.json`, the description of the interface: a file, which tests hold
//! to the routes and to what they respond.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse};
use serde_json::{Value, json};

use super::streaming::blocking;
use crate::http::problem::Result;
use crate::http::state::AppState;

/// Whether the service is ready; if so, with the profile of the default method's tables, the number of scrambles in
/// the buffer, and all methods, the default first.
pub(crate) async fn ready(State(state): State<AppState>) -> Result<Json<Value>> {
    let engine = state.engines.default_if_ready()?;
    Ok(Json(json!({
        "status": "ready",
        "tables": engine.tables(),
        "buffered": state.engines.idle_count(),
        "methods": state.engines.statuses(),
    })))
}

/// The routes as text: the response to `GET /` without a browser.
pub(crate) const ABOUT: &str = concat!(
    "scramble444 ",
    env!("CARGO_PKG_VERSION"),
    " - ",
    include_str!("about.txt")
);

/// Metrics for Prometheus.
pub(crate) async fn metrics(State(state): State<AppState>) -> Result<impl IntoResponse> {
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    // Metrics of the process are read from files.
    let page = blocking("writing metrics", move || state.metrics());
    Ok(([(header::CONTENT_TYPE, media_type)], page.await?))
}

/// The description.
pub(crate) fn description() -> Value {
    let description = serde_json::from_str(include_str!("openapi.json"));
    description.expect("the file is JSON, as tests show")
}

/// The page. It loads `openapi.json`, by a relative address, and nothing else.
const PAGE: &str = include_str!("docs.html");

/// `GET /docs`.
pub(crate) async fn docs() -> impl IntoResponse {
    // The policy allows only the script and the style that are part of the page, by their nonce. So no text
    // of the description can become a script.
    let nonce = format!("{:032x}", rand::random::<u128>());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = PAGE.replace("{nonce}", &nonce);
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page))
}
