//! The interfaces of TNoodle's server since version 1.0: `/api/v0` for programs, and `/frontend` for its page.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use axum::Json;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, Uri};
use axum::response::{IntoResponse, Response};
use cube444::cube::notation::abbreviated;
use cube444::cube::{Cube, Face};
use cube444::picture::{Format, HEIGHT, Scheme, WIDTH, svg};
use cube444::scramble::{Event, ParsedPosition};
use cube444_competition::event_of;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use crate::http::extract::{Caller, JSON, Media, Query, bad_parameter, read_object};
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

impl FromStr for Puzzle {
    type Err = ApiError;

    /// Reads TNoodle's name, the WCA event, or a name that earlier versions of TNoodle or csTimer used.
    fn from_str(name: &str) -> Result<Puzzle> {
        event_of(name).map(Puzzle).ok_or_else(|| {
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

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Puzzle> {
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

/// Rejects a parameter that is not supported: clients that send it would misinterpret the response.
pub(super) fn refuse_unsupported(name: &str) -> Result<()> {
    Err(bad_parameter(match name {
        "seed" => "seed is not supported: a known seed would reveal the scrambles in advance",
        "callback" => "callback is not supported: there is no JSONP; see --cors-origin",
        _ => return Ok(()),
    }))
}

/// A picture of a position, the parameter `scramble`, or, if the format is `json`, its size and colours. Parameters other
/// than `scramble`, `scheme` and `scale` are ignored.
pub(super) async fn view(format: &str, query: Query) -> Result<Response> {
    let picture = match format {
        "json" => None,
        name => Some(name.parse().map_err(|_| {
            ApiError::Unknown("the format of a picture must be svg, png or json".to_owned())
        })?),
    };
    let parameters = query.ignoring_others(&["scramble", "scheme", "scale"])?;
    let turns = parameters.get("scramble").unwrap_or_default();
    let position = ParsedPosition::from_turns(turns)?;
    // A description takes a scale, like a PNG, and ignores it.
    let style = PictureStyle::new(picture.unwrap_or(Format::Png), &parameters)?;
    if picture.is_some() {
        return style.draw(position.cube).await;
    }
    let size = json!({"width": WIDTH, "height": HEIGHT});
    Ok(Json(json!({"size": size, "colorScheme": style.scheme})).into_response())
}

/// Puzzles with their names, and the status of the service if requested. Other parameters are ignored.
fn list(state: &AppState, puzzles: &[Puzzle], query: Query) -> Result<Vec<Value>> {
    let parameters = query.ignoring_others(&["includeStatus"])?;
    let status = match parameters.get("includeStatus") {
        None => None,
        Some(_) => match state.engines.get_now(None) {
            Ok(_) => Some((1.0, state.engines.idle_count())),
            Err(Unavailable::Starting { progress, .. }) => Some((progress.done, 0)),
            Err(error) => return Err(error.into()),
        },
    };
    let describe = |puzzle: &Puzzle| {
        let [short_name, long_name] = puzzle.names();
        let mut listed = json!({"shortName": short_name, "longName": long_name});
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
    query: Query,
) -> Result<Json<Vec<Value>>> {
    list(&state, &Event::ALL.map(Puzzle), query).map(Json)
}

/// One puzzle.
pub(super) async fn puzzle(
    State(state): State<AppState>,
    puzzle: Puzzle,
    query: Query,
) -> Result<Json<Value>> {
    let mut listed = list(&state, &[puzzle], query)?;
    Ok(Json(listed.remove(0)))
}

/// Scrambles as an array of strings, or, if the path ends in `/raw`, as lines of text, separated by CR LF. With any value
/// of `enumerate` the lines are numbered. Each scramble is sent as soon as it exists.
///
/// Their states are drawn uniformly. If an error occurs after the first one, the connection is cut off.
pub(super) async fn scrambles(
    caller: Caller,
    puzzle: Puzzle,
    uri: Uri,
    query: Query,
) -> Result<Response> {
    let mut names = query.0.iter().map(|(name, _)| name);
    names.try_for_each(|name| refuse_unsupported(name))?;
    let is_raw = uri.path().ends_with("/raw");
    let (media, [opening, separator, closing]) = match is_raw {
        true => (Media::Text, ["", "\r\n", ""]),
        false => (Media::Json, ["[", ",", "]"]),
    };
    let parameters = query.ignoring_others(match is_raw {
        true => &["numScrambles", "enumerate"],
        false => &["numScrambles"],
    })?;
    let is_numbered = parameters.get("enumerate").is_some();
    let count = parameters.integer("numScrambles", 0..=caller.state.settings.max_stream)?;
    let count = count.unwrap_or(1);
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
///
/// Also available while the service is starting.
pub(super) async fn picture(
    _: Puzzle,
    Path((_, format)): Path<(String, String)>,
    query: Query,
) -> Result<Response> {
    view(&format, query).await
}

/// The WCA events of the 4x4x4 cube. As in TNoodle, the puzzle of both is `444`, although scrambles for the
/// blindfolded event are those of `444ni`.
pub(super) const EVENTS: JsonFile = (JSON, include_str!("events.json"));

/// The formats of WCA rounds by their identifiers.
pub(super) const FORMATS: JsonFile = (JSON, include_str!("formats.json"));

type JsonFile = ([(HeaderName, &'static str); 1], &'static str);

/// The colours of a puzzle's faces, as `#rrggbb`.
pub(super) async fn colors(_: Puzzle) -> Json<BTreeMap<char, String>> {
    let scheme = Scheme::default();
    let colour = |face: Face| (face.letter(), format!("#{}", scheme.colour(face)));
    Json(Face::ALL.map(colour).into())
}

/// Reads the colours of faces from the body. Other faces have their default colour.
async fn read_scheme(request: Request) -> Result<Scheme> {
    let shape = "the body must be an object with the colours of any of the faces B, D, F, L, R, U, each \
                 \"#rgb\" or \"#rrggbb\"";
    read_object(request, shape).await
}

/// A scramble and its picture, as an SVG document, for TNoodle's page.
pub(super) async fn scramble(
    caller: Caller,
    puzzle: Puzzle,
    request: Request,
) -> Result<Json<Value>> {
    let scheme = read_scheme(request).await?;
    let options = caller.options(None, caller.state.settings.effort).await?;
    let mut stream = ScrambleStream::begin(&caller.state, 1, options)?;
    let made = stream.next(puzzle.0).await?;
    let scramble = made.expect("the stream has one scramble");
    let (turns, svg) = (scramble.sequence.to_string(), svg(&scramble.state, &scheme));
    Ok(Json(json!({"scramble": turns, "svgImage": svg})))
}

/// A picture of the solved cube.
pub(super) async fn solved(_: Puzzle, request: Request) -> Result<Response> {
    let scheme = read_scheme(request).await?;
    Ok(draw_svg(&Cube::solved(), &scheme))
}
