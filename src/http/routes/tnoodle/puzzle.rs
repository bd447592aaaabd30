//! TNoodle's puzzles, and what its clients ask about them, the events and the program.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use axum::Json;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use cube444::cube::notation::abbreviated;
use cube444::cube::{Cube, Face};
use cube444::picture::{Format, Scheme, svg};
use cube444::scramble::Event;
use serde_json::{Value, json};

use crate::http::extract::body::read_object;
use crate::http::extract::parameters::{Parameters, bad_parameter};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::ApiError;
use crate::http::routes::positions::Style;
use crate::http::state::{AppState, Unavailable};
use crate::pool::Client;

/// A puzzle.
#[derive(Clone, Copy)]
pub(super) struct Puzzle {
    /// Its names in requests: TNoodle's name, the WCA event or `444wca`, and one that earlier versions of TNoodle or
    /// csTimer used.
    names: [&'static str; 3],
    /// Its name for people.
    long_name: &'static str,
    pub(super) event: Event,
}

/// The puzzles, in the order of their names: the cube for sighted solving, and for blindfolded solving, whose scrambles end
/// in one of 24 orientations.
const PUZZLES: [Puzzle; 2] = [
    Puzzle {
        names: ["444", "444wca", "444fast"],
        long_name: "4x4x4",
        event: Event::Sighted,
    },
    Puzzle {
        names: ["444ni", "444bf", "444bld"],
        long_name: "4x4x4 no inspection",
        event: Event::Blindfolded,
    },
];

impl Puzzle {
    /// TNoodle's name.
    pub(super) fn short_name(&self) -> &'static str {
        self.names[0]
    }
}

impl FromStr for Puzzle {
    type Err = ApiError;

    fn from_str(name: &str) -> Result<Puzzle, ApiError> {
        let mut puzzles = PUZZLES.into_iter();
        let named = puzzles.find(|puzzle| puzzle.names.contains(&name));
        named.ok_or_else(|| {
            ApiError::Unknown(format!(
                "no puzzle {:?}; the puzzles are 444 (or 444wca, 444fast) and 444ni (or 444bf, 444bld)",
                abbreviated(name)
            ))
        })
    }
}

/// The path parameter `puzzle`.
impl<S: Send + Sync> FromRequestParts<S> for Puzzle {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Puzzle, ApiError> {
        // Fails if the path is not UTF-8.
        let path = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
        let Path(names) = path.map_err(|_| ApiError::NotFound)?;
        names["puzzle"].parse()
    }
}

/// The program and its version: never TNoodle's, so that clients do not take this for the official program.
pub(super) async fn version() -> Json<Value> {
    Json(json!({
        "projectName": env!("CARGO_PKG_NAME"),
        "projectVersion": env!("CARGO_PKG_VERSION"),
        "signedBuild": false,
        "signatureKeyBytes": null,
    }))
}

/// Puzzles with their names, and the status of the service if requested. Other parameters are ignored.
fn list(
    state: &AppState,
    puzzles: &[Puzzle],
    parameters: &Parameters,
) -> Result<Vec<Value>, ApiError> {
    if parameters.is_repeated("includeStatus") {
        return Err(bad_parameter("includeStatus may be given at most once"));
    }
    let status = match parameters.get("includeStatus") {
        None => None,
        Some(_) => match state.engines.get_now(None) {
            Ok(_) => Some((1.0, state.engines.begin()?.pool().load().ready)),
            Err(Unavailable::Starting(progress)) => Some((progress.done, 0)),
            Err(error) => return Err(error.into()),
        },
    };
    let describe = |puzzle: &Puzzle| {
        let mut listed = json!({"shortName": puzzle.short_name(), "longName": puzzle.long_name});
        if let Some((done, ready)) = status {
            listed["initializationStatus"] = json!(done);
            listed["cacheQueue"] = json!(ready);
        }
        listed
    };
    Ok(puzzles.iter().map(describe).collect())
}

/// All puzzles.
pub(super) async fn puzzles(
    State(state): State<AppState>,
    parameters: Parameters,
) -> Result<Json<Vec<Value>>, ApiError> {
    list(&state, &PUZZLES, &parameters).map(Json)
}

/// One puzzle.
pub(super) async fn puzzle(
    State(state): State<AppState>,
    puzzle: Puzzle,
    parameters: Parameters,
) -> Result<Json<Value>, ApiError> {
    let mut listed = list(&state, &[puzzle], &parameters)?;
    Ok(Json(listed.remove(0)))
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

/// Reads the colours of faces from the body. Other faces have their default colour.
async fn read_scheme(request: Request) -> Result<Scheme, ApiError> {
    let shape = "the body must be an object with the colours of any of the faces B, D, F, L, R, U, each \
                 \"#rgb\" or \"#rrggbb\"";
    read_object(request, shape).await
}

/// A scramble and its picture, as an SVG document, for TNoodle's page.
pub(super) async fn scramble(
    State(state): State<AppState>,
    client: Client,
    puzzle: Puzzle,
    request: Request,
) -> Result<Json<Value>, ApiError> {
    let scheme = read_scheme(request).await?;
    let mut stream = ScrambleStream::begin(&state, 1, state.default_options(client)?)?;
    let made = stream.next().await.expect("the stream has one scramble")?;
    let scramble = made.for_event(puzzle.event);
    let svg = svg(&scramble.state, &scheme);
    Ok(Json(
        json!({"scramble": scramble.sequence.to_string(), "svgImage": svg}),
    ))
}

/// A picture of the solved cube.
pub(super) async fn solved(_: Puzzle, request: Request) -> Result<Response, ApiError> {
    let scheme = read_scheme(request).await?;
    let style = Style {
        format: Format::Svg,
        scheme,
        scale: None,
    };
    Ok(style.draw(&Cube::solved()))
}
