//! For those who run the service: probes, measurements, and what there is.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;

use super::blocking::blocking;
use crate::http::problem::{ApiError, Problem};
use crate::http::state::{AppState, Format, MethodStatus};

/// The process is up.
#[derive(Serialize, ToSchema)]
pub(crate) struct Live {
    /// Always `ok`.
    status: &'static str,
}

/// Whether the process is up.
#[utoipa::path(
    get,
    path = "/livez",
    operation_id = "live",
    tag = "operations",
    responses((status = 200, description = "it is", body = Live)),
)]
pub(crate) async fn live() -> Json<Live> {
    Json(Live { status: "ok" })
}

/// The service is ready.
#[derive(Serialize, ToSchema)]
pub(crate) struct Ready {
    /// Always `ready`.
    status: &'static str,
    /// Profile of the tables in use: `compact` or `full`.
    tables: &'static str,
    /// Scrambles in the buffer.
    buffered: usize,
    /// The methods that requests may name, the service's own first.
    methods: Vec<MethodStatus>,
}

/// Whether scrambles can be had.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "ready",
    tag = "operations",
    responses(
        (status = 200, description = "they can", body = Ready),
        (status = 503, description = "starting or shutting down", body = Problem,
            content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn ready(State(state): State<AppState>) -> Result<Json<Ready>, ApiError> {
    let working = state.readiness.working()?;
    Ok(Json(Ready {
        status: "ready",
        tables: working.pool().tables(),
        buffered: working.pool().load().ready,
        methods: state.readiness.methods.statuses(),
    }))
}

/// What there is, for programs and for people without a browser: the answer to `GET /`.
pub(crate) const ABOUT: &str = concat!(
    "scramble444 ",
    env!("CARGO_PKG_VERSION"),
    " - WCA-style random-state scrambles for the 4x4x4 cube.\n",
    "This is not the official WCA scramble program.\n\n",
    "GET  /v1/scrambles?event=444&count=5   scrambles as JSON, text or lines of JSON\n",
    "POST /v1/solve                         a solution of {\"scramble\": …} or {\"state\": …}\n",
    "POST /v1/verify                        what can be said of such a position\n",
    "GET  /v1/picture?scramble=…            a picture of such a position, as SVG or PNG\n",
    "POST /v1/wcif                          scrambles for a competition (WCIF)\n",
    "GET  /print?event=444&sets=1           scramble sheets for a browser to print; POST those of a file\n",
    "GET  /api/v0/…, /frontend/…,           scrambles for programs made for TNoodle's server,\n",
    "     /scramble/…, /view/…              unless switched off\n",
    "GET  /livez                            whether the process is up (also /healthz)\n",
    "GET  /readyz                           whether scrambles can be had\n",
    "GET  /metrics                          measurements for Prometheus, unless elsewhere\n",
    "GET  /openapi.json                     all this for programs\n",
    "GET  /docs                             and for people\n",
);

/// Measurements for Prometheus, in the format that the client prefers.
pub(crate) async fn metrics(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ApiError> {
    let format = Format::accepted(&headers);
    // Some are read from files of the system.
    let page = blocking("writing measurements", move || {
        state
            .metrics
            .render(&state.readiness, &state.connections, format)
    });
    Ok(([(header::CONTENT_TYPE, format.media_type())], page.await?))
}
