//! Probes, metrics, and a list of routes.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Value, json};

use super::streaming::blocking;
use crate::http::problem::ApiError;
use crate::http::state::AppState;

/// The process is running.
pub(crate) async fn live() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// Whether the service is ready; if so, with the profile of the default method's tables, the number of scrambles in
/// the buffer, and all methods, the default first.
pub(crate) async fn ready(State(state): State<AppState>) -> Result<Json<Value>, ApiError> {
    let engine = state.engines.get_now(None)?;
    let request = state.engines.begin()?;
    Ok(Json(json!({
        "status": "ready",
        "tables": engine.tables(),
        "buffered": request.pool().load().ready,
        "methods": state.engines.statuses(),
    })))
}

/// The routes as text: the response to `GET /` without a browser.
pub(crate) const ABOUT: &str = concat!(
    "scramble444 ",
    env!("CARGO_PKG_VERSION"),
    " - WCA-style random-state scrambles for the 4x4x4 cube.\n",
    "This is not the official WCA scramble program.\n\n",
    "GET  /v1/scrambles?event=444&count=5   scrambles as JSON, text or lines of JSON\n",
    "POST /v1/solve                         a solution of {\"scramble\": …} or {\"state\": …}\n",
    "POST /v1/verify                        properties of a position\n",
    "GET  /v1/picture?scramble=…            a picture of a position, as SVG or PNG\n",
    "POST /v1/wcif                          scrambles for a competition (WCIF)\n",
    "GET  /print?event=444&sets=1           scramble sheets to print; POST for those of a file\n",
    "GET  /api/v0/…, /frontend/…,           scrambles for programs made for TNoodle's server,\n",
    "     /scramble/…, /view/…              unless disabled\n",
    "GET  /livez                            whether the process is running (also /healthz)\n",
    "GET  /readyz                           whether the service is ready\n",
    "GET  /metrics                          metrics for Prometheus, unless on another address\n",
    "GET  /openapi.json                     OpenAPI description of these routes\n",
    "GET  /docs                             the description as a page\n",
);

/// Metrics for Prometheus.
pub(crate) async fn metrics(State(state): State<AppState>) -> Result<impl IntoResponse, ApiError> {
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    // Metrics of the process are read from files.
    let page = blocking("writing metrics", move || {
        state.metrics.render(&state.engines, &state.connections)
    });
    Ok(([(header::CONTENT_TYPE, media_type)], page.await?))
}
