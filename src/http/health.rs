//! Probes, and what there is.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Serialize;

use super::AppState;
use super::error::ApiError;

/// Answer of `/livez`: the process is up.
#[derive(Serialize)]
pub(super) struct Live {
    /// Always `ok`.
    status: &'static str,
}

pub(super) async fn live() -> Json<Live> {
    Json(Live { status: "ok" })
}

/// Answer of `/readyz` when the service is ready.
#[derive(Serialize)]
pub(super) struct Ready {
    /// Always `ready`.
    status: &'static str,
    /// Profile of the tables in use.
    tables: &'static str,
}

pub(super) async fn ready(State(state): State<AppState>) -> Result<Json<Ready>, ApiError> {
    let pool = state.readiness.pool()?;
    Ok(Json(Ready {
        status: "ready",
        tables: pool.generator().tables(),
    }))
}

pub(super) async fn about() -> impl IntoResponse {
    let text = concat!(
        "scramble444 ",
        env!("CARGO_PKG_VERSION"),
        " - WCA-style random-state scrambles for the 4x4x4 cube.\n",
        "This is not the official WCA scramble program.\n\n",
        "GET /v1/scrambles?count=5   scrambles as JSON\n",
        "GET /livez                  whether the process is up (also /healthz)\n",
        "GET /readyz                 whether scrambles can be had\n",
    );
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text)
}
