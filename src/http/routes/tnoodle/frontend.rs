//! `/frontend`: the interface of TNoodle's page.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::puzzle::{Named, Puzzle};
use cube444::cube::{Cube, Face};
use crate::http::extract::body::read_object;
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, BodyProblems, Problem, Problems};
use crate::http::routes::pictures::Style;
use crate::http::routes::schema;
use crate::http::state::AppState;
use cube444::picture::{Scheme, svg};
use crate::pool::Client;

/// A WCA event.
#[derive(Serialize, ToSchema)]
pub(super) struct EventData {
    id: &'static str,
    name: &'static str,
    /// The puzzle that TNoodle makes its scrambles with.
    puzzle_id: &'static str,
    puzzle_group_id: &'static str,
    /// The allowed formats of its rounds.
    format_ids: &'static [&'static str],
    can_change_time_limit: bool,
    is_timed_event: bool,
    is_fewest_moves: bool,
    is_multiple_blindfolded: bool,
}

impl EventData {
    const fn new(
        id: &'static str,
        name: &'static str,
        format_ids: &'static [&'static str],
    ) -> EventData {
        EventData {
            id,
            name,
            puzzle_id: "444",
            puzzle_group_id: "nbyn",
            format_ids,
            can_change_time_limit: true,
            is_timed_event: true,
            is_fewest_moves: false,
            is_multiple_blindfolded: false,
        }
    }
}

/// The WCA events of the 4x4x4 cube. As in TNoodle, the puzzle of both is `444`, although scrambles for the
/// blindfolded event are those of `444ni`.
const EVENTS: [EventData; 2] = [
    EventData::new("444", "4x4x4", &["a", "3", "2", "1"]),
    EventData::new("444bf", "4x4x4 Blindfolded", &["3"]),
];

/// The events.
#[utoipa::path(
    get,
    path = "/frontend/data/events",
    operation_id = "tnoodle_events",
    tag = "tnoodle",
    security((), ("token" = [])),
    responses((status = 200, description = "The events", body = Vec<EventData>), Problems),
)]
pub(super) async fn events() -> Json<[EventData; 2]> {
    Json(EVENTS)
}

/// A format of a round.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FormatData {
    name: &'static str,
    short_name: &'static str,
}

/// The formats of WCA rounds: identifier, name and short name.
const FORMATS: [(&str, &str, &str); 6] = [
    ("1", "Best of 1", "Bo1"),
    ("2", "Best of 2", "Bo2"),
    ("3", "Best of 3", "Bo3"),
    ("5", "Best of 5", "Bo5"),
    ("a", "Average of 5", "Ao5"),
    ("m", "Mean of 3", "Mo3"),
];

/// The formats of rounds by their identifiers.
#[utoipa::path(
    get,
    path = "/frontend/data/formats",
    operation_id = "tnoodle_formats",
    tag = "tnoodle",
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The formats", body = BTreeMap<String, FormatData>),
        Problems,
    ),
)]
pub(super) async fn formats() -> Json<BTreeMap<&'static str, FormatData>> {
    let data = |(id, name, short_name)| (id, FormatData { name, short_name });
    Json(FORMATS.map(data).into())
}

/// The colours of a puzzle's faces, as `#rrggbb`.
#[utoipa::path(
    get,
    path = "/frontend/puzzle/{puzzle}/colors",
    operation_id = "tnoodle_colors",
    tag = "tnoodle",
    params(Named),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The colours", body = schema::Colours),
        (status = 404, description = "The puzzle does not exist", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn colors(_: Puzzle) -> Json<BTreeMap<char, String>> {
    let scheme = Scheme::default();
    let colour = |face: Face| (face.letter(), format!("#{}", scheme.colour(face)));
    Json(Face::ALL.map(colour).into())
}

/// Reads a colour scheme from the body.
async fn read_scheme(request: Request) -> Result<Scheme, ApiError> {
    let shape = "the body must be an object with the colours of any of the faces B, D, F, L, R, U, each \
                 \"#rgb\" or \"#rrggbb\"";
    read_object(request, shape).await
}

/// A scramble and its picture.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Drawn {
    /// The turns.
    scramble: String,
    /// The picture of the state, as an SVG document.
    svg_image: String,
}

/// A scramble and its picture.
///
/// The body has the colours. Faces that it does not name have their default colour.
#[utoipa::path(
    post,
    path = "/frontend/puzzle/{puzzle}/scramble",
    operation_id = "tnoodle_scramble",
    tag = "tnoodle",
    params(Named),
    request_body = schema::Colours,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The scramble", body = Drawn),
        (status = 404, description = "The puzzle does not exist", body = Problem,
            content_type = "application/problem+json"),
        BodyProblems,
        Problems,
    ),
)]
pub(super) async fn scramble(
    State(state): State<AppState>,
    client: Client,
    puzzle: Puzzle,
    request: Request,
) -> Result<Json<Drawn>, ApiError> {
    let scheme = read_scheme(request).await?;
    let mut stream = ScrambleStream::begin(&state, client, 1, state.settings.effort)?;
    let made = stream.next().await.expect("the stream has one scramble")?;
    let scramble = puzzle.scramble(made);
    Ok(Json(Drawn {
        scramble: scramble.sequence.to_string(),
        svg_image: svg(&scramble.state, &scheme),
    }))
}

/// A picture of the solved cube.
///
/// The body has the colours. Faces that it does not name have their default colour.
#[utoipa::path(
    post,
    path = "/frontend/puzzle/{puzzle}/svg",
    operation_id = "tnoodle_svg",
    tag = "tnoodle",
    params(Named),
    request_body = schema::Colours,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The picture", body = String, content_type = "image/svg+xml"),
        (status = 404, description = "The puzzle does not exist", body = Problem,
            content_type = "application/problem+json"),
        BodyProblems,
        Problems,
    ),
)]
pub(super) async fn svg_of_solved(_: Puzzle, request: Request) -> Result<Response, ApiError> {
    let scheme = read_scheme(request).await?;
    Ok(Style::svg(scheme).draw(&Cube::solved()))
}
