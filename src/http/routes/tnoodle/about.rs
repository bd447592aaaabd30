//! What TNoodle's clients ask about the program, the puzzles and the events.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use cube444::cube::Face;
use cube444::picture::Scheme;
use serde::Deserialize;
use serde_json::{Value, json};

use super::puzzle::{PUZZLES, Puzzle};
use crate::http::problem::ApiError;
use crate::http::state::{AppState, Unavailable};

/// The program and its version: never TNoodle's, so that clients do not take this for the official program.
pub(super) async fn version() -> Json<Value> {
    Json(json!({
        "projectName": env!("CARGO_PKG_NAME"),
        "projectVersion": env!("CARGO_PKG_VERSION"),
        "signedBuild": false,
        "signatureKeyBytes": null,
    }))
}

/// Query parameters of puzzles. Others are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusParameters {
    include_status: Option<String>,
}

/// Puzzles with their names, and the status of the service if requested.
fn list<const N: usize>(
    state: &AppState,
    puzzles: [Puzzle; N],
    parameters: Result<Query<StatusParameters>, QueryRejection>,
) -> Result<[Value; N], ApiError> {
    let Query(query) = parameters.map_err(|_| {
        ApiError::BadParameter("includeStatus may be given at most once".to_owned())
    })?;
    let status = match query.include_status {
        None => None,
        Some(_) => match state.engines.get_now(None) {
            Ok(_) => Some((1.0, state.engines.begin()?.pool().load().ready)),
            Err(Unavailable::Starting(progress)) => Some((progress.done, 0)),
            Err(error) => return Err(error.into()),
        },
    };
    Ok(puzzles.map(|puzzle| {
        let mut listed = json!({"shortName": puzzle.short_name, "longName": puzzle.long_name});
        if let Some((done, ready)) = status {
            listed["initializationStatus"] = json!(done);
            listed["cacheQueue"] = json!(ready);
        }
        listed
    }))
}

/// All puzzles.
pub(super) async fn puzzles(
    State(state): State<AppState>,
    parameters: Result<Query<StatusParameters>, QueryRejection>,
) -> Result<Json<Vec<Value>>, ApiError> {
    Ok(Json(list(&state, PUZZLES, parameters)?.into()))
}

/// One puzzle.
pub(super) async fn puzzle(
    State(state): State<AppState>,
    puzzle: Puzzle,
    parameters: Result<Query<StatusParameters>, QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let [listed] = list(&state, [puzzle], parameters)?;
    Ok(Json(listed))
}

/// The WCA events of the 4x4x4 cube. As in TNoodle, the puzzle of both is `444`, although scrambles for the
/// blindfolded event are those of `444ni`.
pub(super) async fn events() -> Json<Value> {
    let event = |id, name, formats: &[&str]| {
        json!({
            "id": id,
            "name": name,
            "puzzle_id": "444",
            "puzzle_group_id": "nbyn",
            "format_ids": formats,
            "can_change_time_limit": true,
            "is_timed_event": true,
            "is_fewest_moves": false,
            "is_multiple_blindfolded": false,
        })
    };
    Json(json!([
        event("444", "4x4x4", &["a", "3", "2", "1"]),
        event("444bf", "4x4x4 Blindfolded", &["3"]),
    ]))
}

/// The formats of WCA rounds by their identifiers.
pub(super) async fn formats() -> Json<Value> {
    Json(json!({
        "1": {"name": "Best of 1", "shortName": "Bo1"},
        "2": {"name": "Best of 2", "shortName": "Bo2"},
        "3": {"name": "Best of 3", "shortName": "Bo3"},
        "5": {"name": "Best of 5", "shortName": "Bo5"},
        "a": {"name": "Average of 5", "shortName": "Ao5"},
        "m": {"name": "Mean of 3", "shortName": "Mo3"},
    }))
}

/// The colours of a puzzle's faces, as `#rrggbb`.
pub(super) async fn colors(_: Puzzle) -> Json<BTreeMap<char, String>> {
    let scheme = Scheme::default();
    let colour = |face: Face| (face.letter(), format!("#{}", scheme.colour(face)));
    Json(Face::ALL.map(colour).into())
}
