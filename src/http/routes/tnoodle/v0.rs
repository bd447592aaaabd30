//! The interfaces of TNoodle's server since version 1.0: `/api/v0` for programs, and `/frontend` for its page.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use cube444::UnknownName;
use cube444::cube::notation::abbreviated;
use cube444::cube::{Cube, Face};
use cube444::picture::{Format, HEIGHT, Scheme, WIDTH, svg};
use cube444::scramble::{Event, ParsedPosition};
use cube444_competition::event_of;
use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::http::describe::Describe;
use crate::http::extract::{
    Caller, Count, InPath, LenientParameters, Media, Parameters, PathParameter, Posted, Query,
    bad_parameter, parameters,
};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::routes::positions::{PictureStyle, draw_svg};
use crate::http::routes::streaming::{only_head, streamed};
use crate::http::state::{AppState, Unavailable};

/// A puzzle: the cube for sighted solving, or for blindfolded solving, whose scrambles end in one of 24 orientations.
#[derive(Clone, Copy)]
pub(super) struct Puzzle(pub(super) Event);

impl Puzzle {
    /// TNoodle's name, and its name for people.
    pub(super) fn names(self) -> [&'static str; 2] {
        match self.0 {
            Event::Sighted => ["444", "4x4x4"],
            Event::Blindfolded => ["444ni", "4x4x4 no inspection"],
        }
    }
}

impl PathParameter for Puzzle {
    const ABOUT: (&str, &str) = (
        "puzzle",
        "The puzzle: `444` (also called `444wca` and `444fast`), or `444ni` (also called `444bf` and `444bld`), whose \
         scrambles end in an orientation.",
    );

    fn schema() -> Value {
        json!({"type": "string", "enum": ["444", "444wca", "444fast", "444ni", "444bf", "444bld"]})
    }

    /// Reads TNoodle's name, the WCA event, or a name that earlier versions of TNoodle or csTimer used.
    fn read(name: &str) -> Result<Puzzle> {
        event_of(name).map(Puzzle).ok_or_else(|| {
            ApiError::Unknown(format!(
                "no puzzle {:?}; the puzzles are 444 (or 444wca, 444fast) and 444ni (or 444bf, 444bld)",
                abbreviated(name)
            ))
        })
    }
}

/// The program.
#[derive(JsonSchema, Serialize)]
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

/// The program and its version: never TNoodle's, so that clients do not take this for the official program.
pub(super) async fn version() -> Json<Version> {
    Json(Version {
        project_name: env!("CARGO_PKG_NAME"),
        project_version: env!("CARGO_PKG_VERSION"),
        signed_build: false,
        signature_key_bytes: None,
    })
}

impl Describe for Query {}

/// Refuses parameters that are not supported: clients that send them would misinterpret the response.
pub(super) fn require_supported(Query(query): &Query) -> Result<()> {
    let mut names = query.iter().map(|(name, _)| name.as_str());
    names.try_for_each(|name| {
        Err(bad_parameter(match name {
            "seed" => "seed is not supported: a known seed would reveal the scrambles in advance",
            "callback" => "callback is not supported: there is no JSONP; see --cors-origin",
            _ => return Ok(()),
        }))
    })
}

parameters! {
    pub(crate) struct ViewParameters {
        /// The turns that lead from the solved cube to the position, by default none.
        scramble: Option<String> where {"examples": ["Rw U2 F' x"]},
        style: PictureStyle,
    }
}

/// The size and the colors of a picture.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Description {
    size: Size,
    /// The colors of the faces, as `rrggbb`.
    color_scheme: Scheme,
}

/// The size of a picture in pixels.
#[derive(JsonSchema, Serialize)]
struct Size {
    /// The width.
    width: usize,
    /// The height.
    height: usize,
}

/// The format of a view: a picture, or a description.
pub(super) struct ViewFormat(Option<Format>);

impl PathParameter for ViewFormat {
    const ABOUT: (&str, &str) = (
        "format",
        "`svg`, `png`, or `json` for the size and the colors.",
    );

    fn schema() -> Value {
        json!({"type": "string", "enum": ["svg", "png", "json"]})
    }

    fn read(text: &str) -> Result<ViewFormat> {
        let picture = (text != "json").then(|| text.parse()).transpose();
        picture.map(ViewFormat).map_err(|_: UnknownName| {
            ApiError::Unknown("the format of a picture must be svg, png or json".to_owned())
        })
    }
}

/// A picture of a position, or its size and colors.
pub(super) async fn view(
    ViewFormat(format): ViewFormat,
    parameters: ViewParameters,
) -> Result<Response> {
    let turns = parameters.scramble.unwrap_or_default();
    let (position, style) = (ParsedPosition::from_turns(&turns)?, parameters.style);
    let Some(format) = format else {
        let (width, height) = (WIDTH, HEIGHT);
        let size = Size { width, height };
        let color_scheme = style.scheme;
        return Ok(Json(Description { size, color_scheme }).into_response());
    };
    style.require_format(format)?;
    style.draw(position.cube, format).await
}

parameters! {
    pub(crate) struct ListParameters {
        /// With any value: include the status.
        status as "includeStatus": Option<String>,
    }
}

/// A puzzle, and its status if requested.
#[derive(JsonSchema, Serialize)]
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

/// Puzzles with their names, and the status of the service if requested.
fn list(state: &AppState, puzzles: &[Puzzle], query: ListParameters) -> Result<Vec<Listed>> {
    let status = match query.status {
        None => None,
        Some(_) => match state.engines.get_now(None) {
            Ok(_) => Some((1.0, state.engines.buffer().len())),
            Err(Unavailable::Starting { progress, .. }) => Some((progress.done, 0)),
            Err(error) => return Err(error.into()),
        },
    };
    let describe = |puzzle: &Puzzle| {
        let [short_name, long_name] = puzzle.names();
        Listed {
            short_name,
            long_name,
            initialization_status: status.map(|(done, _)| done),
            cache_queue: status.map(|(_, ready)| ready),
        }
    };
    Ok(puzzles.iter().map(describe).collect())
}

/// All puzzles.
pub(super) async fn puzzles(
    State(state): State<AppState>,
    Parameters(query): LenientParameters<ListParameters>,
) -> Result<Json<Vec<Listed>>> {
    list(&state, &Event::ALL.map(Puzzle), query).map(Json)
}

/// One puzzle.
pub(super) async fn puzzle(
    State(state): State<AppState>,
    InPath(puzzle): InPath<Puzzle>,
    Parameters(query): LenientParameters<ListParameters>,
) -> Result<Json<Listed>> {
    let mut listed = list(&state, &[puzzle], query)?;
    Ok(Json(listed.remove(0)))
}

parameters! {
    pub(crate) struct ArrayParameters {
        /// Number of scrambles.
        count as "numScrambles": Count<0, true>,
    }
}

parameters! {
    pub(crate) struct RawParameters {
        array: ArrayParameters,
        /// With any value: number the lines, `1. ` and so on.
        enumerate: Option<String>,
    }
}

/// Scrambles as an array of strings.
pub(super) async fn scrambles(
    caller: Caller,
    InPath(puzzle): InPath<Puzzle>,
    given: Query,
    Parameters(query): LenientParameters<ArrayParameters>,
) -> Result<Response> {
    require_supported(&given)?;
    stream_scrambles(caller, puzzle, query, Media::Json, false).await
}

/// Scrambles as lines of text, separated by CR LF.
pub(super) async fn raw_scrambles(
    caller: Caller,
    InPath(puzzle): InPath<Puzzle>,
    given: Query,
    Parameters(query): LenientParameters<RawParameters>,
) -> Result<Response> {
    require_supported(&given)?;
    let is_numbered = query.enumerate.is_some();
    stream_scrambles(caller, puzzle, query.array, Media::Text, is_numbered).await
}

/// Sends each scramble as soon as it exists. An error after the first one cuts the connection off.
async fn stream_scrambles(
    caller: Caller,
    puzzle: Puzzle,
    query: ArrayParameters,
    media: Media,
    is_numbered: bool,
) -> Result<Response> {
    let [opening, separator, closing] = match media {
        Media::Text => ["", "\r\n", ""],
        _ => ["[", ",", "]"],
    };
    let Count(count) = query.count;
    let options = caller.options(None, caller.state.settings.effort).await?;
    if caller.is_head {
        return Ok(only_head(media.name()));
    }
    let mut scrambles = ScrambleStream::begin(&caller.state, count, options)?;
    // Wait for the first one, so that the status can tell an error.
    let first = scrambles.next(puzzle.0).await?;
    let nothing = first.is_none().then(|| Ok([opening, closing].concat()));
    let made = stream::iter(first.map(Ok)).chain(scrambles.into_stream(puzzle.0));
    let pieces = made.zip(stream::iter(1..)).map(move |(made, number)| {
        let turns = made?.sequence.to_string();
        let item = match media {
            Media::Text if is_numbered => format!("{number}. {turns}"),
            Media::Text => turns,
            _ => Value::from(turns).to_string(),
        };
        let before = if number == 1 { opening } else { separator };
        let after = if number == count { closing } else { "" };
        Ok::<_, ApiError>([before, &item, after].concat())
    });
    Ok(streamed(media.name(), stream::iter(nothing).chain(pieces)))
}

/// A picture of a position.
pub(super) async fn picture(
    _: InPath<Puzzle>,
    InPath(format): InPath<ViewFormat>,
    Parameters(parameters): LenientParameters<ViewParameters>,
) -> Result<Response> {
    view(format, parameters).await
}

/// A WCA event.
#[derive(Deserialize, JsonSchema, Serialize)]
pub(super) struct EventData {
    /// The identifier.
    id: String,
    /// The name.
    name: String,
    /// The puzzle that TNoodle makes its scrambles with.
    puzzle_id: String,
    /// The group of puzzles.
    puzzle_group_id: String,
    /// The allowed formats of its rounds.
    format_ids: Vec<String>,
    /// Whether rounds may have other time limits.
    can_change_time_limit: bool,
    /// Whether solves are timed.
    is_timed_event: bool,
    /// Whether turns are counted.
    is_fewest_moves: bool,
    /// Whether an attempt has several cubes.
    is_multiple_blindfolded: bool,
}

/// The WCA events of the 4x4x4 cube. As in TNoodle, the puzzle of both is `444`, although scrambles for the
/// blindfolded event are those of `444ni`.
pub(super) async fn events() -> Json<Vec<EventData>> {
    let events = serde_json::from_str(include_str!("events.json"));
    Json(events.expect("the file has events"))
}

/// A format of a round.
#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FormatData {
    /// The name.
    name: String,
    /// The short name.
    short_name: String,
}

/// The formats of WCA rounds by their identifiers.
pub(super) async fn formats() -> Json<BTreeMap<String, FormatData>> {
    let formats = serde_json::from_str(include_str!("formats.json"));
    Json(formats.expect("the file has formats"))
}

/// The colors of faces.
#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
#[serde(transparent)]
pub(super) struct FaceColors(#[schemars(with = "Scheme")] BTreeMap<char, String>);

/// The colors of a puzzle's faces, as `#rrggbb`.
pub(super) async fn colors(_: InPath<Puzzle>) -> Json<FaceColors> {
    let scheme = Scheme::default();
    let color = |face: Face| (face.letter(), format!("#{}", scheme.color(face)));
    Json(FaceColors(Face::ALL.map(color).into()))
}

/// Reads the colors of faces from the body. Other faces have their default color.
async fn read_scheme(given: Posted<Scheme>) -> Result<Scheme> {
    let shape = "the body must be an object with the colors of any of the faces B, D, F, L, R, U, each \
                 \"#rgb\" or \"#rrggbb\"";
    given.read(shape).await
}

/// A scramble and its picture.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Drawn {
    /// The turns.
    scramble: String,
    /// The picture of the state, as an SVG document.
    svg_image: String,
}

/// A scramble and its picture, for TNoodle's page.
pub(super) async fn scramble(
    caller: Caller,
    InPath(puzzle): InPath<Puzzle>,
    given: Posted<Scheme>,
) -> Result<Json<Drawn>> {
    let scheme = read_scheme(given).await?;
    let options = caller.options(None, caller.state.settings.effort).await?;
    let events = [puzzle.0].into_iter();
    let scramble = ScrambleStream::collect_for(&caller.state, events, options)
        .await?
        .remove(0);
    Ok(Json(Drawn {
        scramble: scramble.sequence.to_string(),
        svg_image: svg(&scramble.state, &scheme),
    }))
}

/// A picture of the solved cube.
pub(super) async fn solved(_: InPath<Puzzle>, given: Posted<Scheme>) -> Result<Response> {
    let scheme = read_scheme(given).await?;
    Ok(draw_svg(&Cube::solved(), &scheme))
}
