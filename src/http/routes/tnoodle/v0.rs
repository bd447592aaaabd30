//! `/api/v0`: TNoodle's interface for programs.

use axum::body::Bytes;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::Method;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::Value;

use super::puzzle::Puzzle;
use super::query::SupportedQuery;
use super::view;
use crate::http::extract::media::Media;
use crate::http::extract::parameters::integer;
use crate::http::jobs::ScrambleStream;
use crate::http::problem::ApiError;
use crate::http::routes::streaming::{only_head, streamed};
use crate::http::state::AppState;
use crate::pool::Client;

/// Query parameters of scrambles. Others are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListParameters {
    num_scrambles: Option<String>,
    /// With any value, lines of text are numbered.
    enumerate: Option<String>,
}

/// The format of a list of scrambles.
struct ListFormat {
    media: Media,
    opening: &'static str,
    separator: &'static str,
    closing: &'static str,
    /// Writes a scramble, given its number, from 1, and its turns.
    item: fn(u32, String) -> String,
}

impl ListFormat {
    /// Makes scrambles, and sends each as soon as it exists.
    async fn send(
        &'static self,
        state: &AppState,
        client: Client,
        method: &Method,
        puzzle: Puzzle,
        count: Option<&str>,
    ) -> Result<Response, ApiError> {
        let count = integer("numScrambles", count, 0..=state.settings.max_stream)?.unwrap_or(1);
        let options = state.default_options()?;
        if method == Method::HEAD {
            return Ok(only_head(self.media.name()));
        }
        let mut scrambles = ScrambleStream::begin(state, client, count, options)?;
        // Wait for the first one, so that the status can tell an error.
        let first = scrambles.next().await.transpose()?;
        let nothing = first
            .is_none()
            .then(|| Ok([self.opening, self.closing].concat()));
        let made = stream::iter(first.map(Ok)).chain(scrambles.into_stream());
        let pieces = made.zip(stream::iter(1..)).map(move |(made, number)| {
            let turns = puzzle.scramble(made?).sequence.to_string();
            let before = if number == 1 {
                self.opening
            } else {
                self.separator
            };
            let after = if number == count { self.closing } else { "" };
            Ok::<_, ApiError>([before, &(self.item)(number, turns), after].concat())
        });
        let pieces = stream::iter(nothing).chain(pieces);
        let pieces = pieces.map(|piece| piece.map(Bytes::from));
        Ok(streamed(self.media.name(), pieces))
    }
}

/// Scrambles as an array of strings.
///
/// Their states are drawn uniformly. If an error occurs after the first one, the connection is cut off.
pub(super) async fn scrambles(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    puzzle: Puzzle,
    SupportedQuery(query): SupportedQuery<ListParameters>,
) -> Result<Response, ApiError> {
    static ARRAY: ListFormat = ListFormat {
        media: Media::Json,
        opening: "[",
        separator: ",",
        closing: "]",
        item: |_, turns| Value::from(turns).to_string(),
    };
    let count = query.num_scrambles.as_deref();
    ARRAY.send(&state, client, &method, puzzle, count).await
}

/// Scrambles as text.
///
/// One per line. Lines are separated by CR LF; the last one has none.
pub(super) async fn raw(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    puzzle: Puzzle,
    SupportedQuery(query): SupportedQuery<ListParameters>,
) -> Result<Response, ApiError> {
    static LINES: ListFormat = ListFormat {
        media: Media::Text,
        opening: "",
        separator: "\r\n",
        closing: "",
        item: |_, turns| turns,
    };
    static NUMBERED: ListFormat = ListFormat {
        item: |number, turns| format!("{number}. {turns}"),
        ..LINES
    };
    let count = query.num_scrambles.as_deref();
    let format = match query.enumerate {
        None => &LINES,
        Some(_) => &NUMBERED,
    };
    format.send(&state, client, &method, puzzle, count).await
}

/// A picture of a position.
///
/// Also available while the service is starting.
pub(super) async fn view(
    _: Puzzle,
    path: Result<Path<(String, String)>, PathRejection>,
    parameters: Result<Query<view::ViewParameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Path((_, format)) = path.map_err(|_| ApiError::NotFound)?;
    view::view(&format, parameters)
}
