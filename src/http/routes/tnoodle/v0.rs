//! `/api/v0`: TNoodle's interface for programs.

use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{Method, Uri};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use serde_json::Value;

use super::puzzle::Puzzle;
use super::{refuse_unsupported, view};
use crate::http::extract::media::Media;
use crate::http::extract::parameters::{Parameters, bad_parameter};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::ApiError;
use crate::http::routes::streaming::{only_head, streamed};
use crate::http::state::AppState;
use crate::pool::Client;

/// Scrambles as an array of strings, or, if the path ends in `/raw`, as lines of text, separated by CR LF. With any value
/// of `enumerate` the lines are numbered. Each scramble is sent as soon as it exists.
///
/// Their states are drawn uniformly. If an error occurs after the first one, the connection is cut off.
pub(super) async fn scrambles(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    puzzle: Puzzle,
    uri: Uri,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    if ["numScrambles", "enumerate"].map(|name| parameters.is_repeated(name)) != [false; 2] {
        return Err(bad_parameter("each parameter may be given once"));
    }
    let mut names = parameters.0.iter().map(|(name, _)| name);
    names.try_for_each(|name| refuse_unsupported(name))?;
    let (media, [opening, separator, closing]) = if uri.path().ends_with("/raw") {
        (Media::Text, ["", "\r\n", ""])
    } else {
        (Media::Json, ["[", ",", "]"])
    };
    let is_numbered = parameters.get("enumerate").is_some();
    let count = parameters.integer("numScrambles", 0..=state.settings.max_stream)?;
    let count = count.unwrap_or(1);
    let options = state.default_options(client)?;
    if method == Method::HEAD {
        return Ok(only_head(media.name()));
    }
    let mut scrambles = ScrambleStream::begin(&state, count, options)?;
    // Wait for the first one, so that the status can tell an error.
    let first = scrambles.next().await.transpose()?;
    let nothing = first.is_none().then(|| Ok([opening, closing].concat()));
    let made = stream::iter(first.map(Ok)).chain(scrambles.into_stream());
    let pieces = made.zip(stream::iter(1..)).map(move |(made, number)| {
        let turns = made?.for_event(puzzle.event).sequence.to_string();
        let item = match media {
            Media::Text if is_numbered => format!("{number}. {turns}"),
            Media::Text => turns,
            _ => Value::from(turns).to_string(),
        };
        let before = if number == 1 { opening } else { separator };
        let after = if number == count { closing } else { "" };
        Ok::<_, ApiError>([before, &item, after].concat())
    });
    let pieces = stream::iter(nothing).chain(pieces);
    let pieces = pieces.map(|piece| piece.map(Bytes::from));
    Ok(streamed(media.name(), pieces))
}

/// A picture of a position.
///
/// Also available while the service is starting.
pub(super) async fn picture(
    _: Puzzle,
    path: Result<Path<(String, String)>, PathRejection>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let Path((_, format)) = path.map_err(|_| ApiError::NotFound)?;
    view(&format, &parameters)
}
