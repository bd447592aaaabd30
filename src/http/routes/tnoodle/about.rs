//! Information about the puzzles and the program.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::puzzle::{Named, PUZZLES, Puzzle};
use crate::http::problem::{ApiError, Problem, Problems};
use crate::http::state::{AppState, NotReady};

/// The program.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Version {
    /// Always `scramble444`.
    project_name: &'static str,
    /// The program's version.
    project_version: &'static str,
    /// Always false: this is not the official WCA scramble program.
    signed_build: bool,
    /// Always null.
    signature_key_bytes: Option<String>,
}

/// The program and its version.
///
/// Never TNoodle's name and version, so that clients do not take this for the official program.
#[utoipa::path(
    get,
    path = "/version",
    operation_id = "tnoodle_version",
    tag = "tnoodle",
    security((), ("token" = [])),
    responses((status = 200, description = "The program", body = Version), Problems),
)]
pub(super) async fn version() -> Json<Version> {
    Json(Version {
        project_name: env!("CARGO_PKG_NAME"),
        project_version: env!("CARGO_PKG_VERSION"),
        signed_build: false,
        signature_key_bytes: None,
    })
}

/// Query parameters of puzzles. Others are ignored.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct Parameters {
    /// With any value: include the status.
    include_status: Option<String>,
}

/// A puzzle, and its status if requested.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    /// Its name in requests.
    short_name: &'static str,
    /// Its name for people.
    long_name: &'static str,
    /// Progress of the service's start, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    initialization_status: Option<f64>,
    /// Number of scrambles in the buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_queue: Option<usize>,
}

fn list<const N: usize>(
    state: &AppState,
    puzzles: [Puzzle; N],
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<[Listed; N], ApiError> {
    let Query(query) = parameters.map_err(|_| {
        ApiError::BadParameter("includeStatus may be given at most once".to_owned())
    })?;
    let status = query
        .include_status
        .map(|_| match state.readiness.begin_request() {
            Ok(request) => Ok((1.0, request.pool().load().ready)),
            Err(NotReady::Starting(progress)) => Ok((progress.done, 0)),
            Err(draining @ NotReady::Draining) => Err(draining),
        });
    let status = status.transpose()?;
    Ok(puzzles.map(|puzzle| Listed {
        short_name: puzzle.short_name,
        long_name: puzzle.long_name,
        initialization_status: status.map(|(done, _)| done),
        cache_queue: status.map(|(_, ready)| ready),
    }))
}

/// All puzzles.
#[utoipa::path(
    get,
    path = "/api/v0/puzzles",
    operation_id = "tnoodle_puzzles",
    tag = "tnoodle",
    params(Parameters),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The puzzles", body = Vec<Listed>),
        (status = 400, description = "A parameter is invalid", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn puzzles(
    State(state): State<AppState>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Vec<Listed>>, ApiError> {
    Ok(Json(list(&state, PUZZLES, parameters)?.into()))
}

/// One puzzle.
#[utoipa::path(
    get,
    path = "/api/v0/puzzles/{puzzle}",
    operation_id = "tnoodle_puzzle",
    tag = "tnoodle",
    params(Named, Parameters),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The puzzle", body = Listed),
        (status = 400, description = "A parameter is invalid", body = Problem,
            content_type = "application/problem+json"),
        (status = 404, description = "The puzzle does not exist", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn puzzle(
    State(state): State<AppState>,
    puzzle: Puzzle,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Listed>, ApiError> {
    let [listed] = list(&state, [puzzle], parameters)?;
    Ok(Json(listed))
}
