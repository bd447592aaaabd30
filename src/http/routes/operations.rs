//! Probes, metrics, and a list of routes.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;

use super::blocking::blocking;
use crate::http::problem::{ApiError, Problem};
use crate::http::state::{AppState, Format, MethodStatus};

/// The process is running.
#[derive(Serialize, ToSchema)]
pub(crate) struct Live {
    /// Always `ok`.
    status: &'static str,
}

/// Whether the process is running.
#[utoipa::path(
    get,
    path = "/livez",
    operation_id = "live",
    tag = "operations",
    responses((status = 200, description = "The process is running", body = Live)),
)]
pub(crate) async fn live() -> Json<Live> {
    Json(Live { status: "ok" })
}

/// The service is ready.
#[derive(Serialize, ToSchema)]
pub(crate) struct Ready {
    /// Always `ready`.
    status: &'static str,
    /// Profile of the tables: `pocket`, `compact` or `full`.
    tables: &'static str,
    /// Number of scrambles in the buffer.
    buffered: usize,
    /// The methods that requests may name, the default first.
    methods: Vec<MethodStatus>,
}

/// Whether the service is ready.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "ready",
    tag = "operations",
    responses(
        (status = 200, description = "The service is ready", body = Ready),
        (status = 503, description = "The service is starting or shutting down", body = Problem,
            content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn ready(State(state): State<AppState>) -> Result<Json<Ready>, ApiError> {
    let request = state.readiness.begin_request()?;
    Ok(Json(Ready {
        status: "ready",
        tables: request.pool().tables(),
        buffered: request.pool().load().ready,
        methods: state.readiness.methods.statuses(request.pool().tables()),
    }))
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

/// Metrics for Prometheus, in the format that the client prefers.
pub(crate) async fn metrics(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ApiError> {
    let format = Format::preferred(&headers);
    // Metrics of the process are read from files.
    let page = blocking("writing metrics", move || {
        state
            .metrics
            .render(&state.readiness, &state.connections, format)
    });
    Ok(([(header::CONTENT_TYPE, format.media_type())], page.await?))
}
