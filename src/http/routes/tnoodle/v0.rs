//! `/api/v0`: TNoodle's interface for programs.

use axum::body::Bytes;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::Method;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::puzzle::{Named, Puzzle};
use super::refused::refuse;
use super::view;
use crate::http::extract::media::Media;
use crate::http::extract::parameters::whole;
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Problem, Problems};
use crate::http::routes::piecewise::{only_head, piecewise};
use crate::http::routes::schema;
use crate::http::state::AppState;
use crate::pool::Client;

/// Query parameters of scrambles. Others are ignored.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct Count {
    /// How many scrambles, up to what the service allows in a stream (by default 10,000).
    #[param(value_type = Option<u32>, minimum = 0, default = 1)]
    num_scrambles: Option<String>,
    #[param(ignore)]
    seed: Option<String>,
    #[param(ignore)]
    callback: Option<String>,
}

/// Query parameters of scrambles as text. Others are ignored.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct Enumerated {
    /// How many scrambles, up to what the service allows in a stream (by default 10,000).
    #[param(value_type = Option<u32>, minimum = 0, default = 1)]
    num_scrambles: Option<String>,
    /// With any value: begin each line with its number, `1. ` and so on.
    enumerate: Option<String>,
    #[param(ignore)]
    seed: Option<String>,
    #[param(ignore)]
    callback: Option<String>,
}

/// A query that cannot be read.
fn bad_query(_: QueryRejection) -> ApiError {
    ApiError::BadParameter("each parameter may be given once".to_owned())
}

/// How scrambles are put together to an answer.
struct List {
    media: Media,
    opening: &'static str,
    separator: &'static str,
    closing: &'static str,
    /// What is written of a scramble by its number, from 1, and its turns.
    item: fn(u32, String) -> String,
}

impl List {
    /// Makes and sends scrambles, each as soon as it exists.
    async fn send(
        &'static self,
        state: &AppState,
        client: Client,
        method: &Method,
        puzzle: Puzzle,
        count: Option<&str>,
    ) -> Result<Response, ApiError> {
        let count = whole("numScrambles", count, 0..=state.settings.max_stream)?.unwrap_or(1);
        if method == Method::HEAD {
            state.readiness.working()?;
            return Ok(only_head(self.media.name()));
        }
        let mut scrambles = ScrambleStream::begin(state, client, count, state.settings.effort)?;
        // As long as nothing has been sent, the status can say that something went wrong.
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
            let behind = if number == count { self.closing } else { "" };
            Ok::<_, ApiError>([before, &(self.item)(number, turns), behind].concat())
        });
        let pieces = stream::iter(nothing).chain(pieces);
        let pieces = pieces.map(|piece| piece.map(Bytes::from));
        Ok(piecewise(self.media.name(), pieces))
    }
}

/// Scrambles as an array of strings.
///
/// Each is handed out once, to a state drawn uniformly. If something fails on the way, the connection
/// is cut off.
#[utoipa::path(
    get,
    path = "/api/v0/scramble/{puzzle}",
    operation_id = "tnoodle_scrambles",
    tag = "tnoodle",
    params(Named, Count),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "scrambles", body = Vec<String>),
        (status = 400, description = "a bad parameter", body = Problem,
            content_type = "application/problem+json"),
        (status = 404, description = "no such puzzle", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn scrambles(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    puzzle: Puzzle,
    wanted: Result<Query<Count>, QueryRejection>,
) -> Result<Response, ApiError> {
    static ARRAY: List = List {
        media: Media::Json,
        opening: "[",
        separator: ",",
        closing: "]",
        item: |_, turns| Value::from(turns).to_string(),
    };
    let Query(wanted) = wanted.map_err(bad_query)?;
    refuse(wanted.seed.and(Some("seed")))?;
    refuse(wanted.callback.and(Some("callback")))?;
    let count = wanted.num_scrambles.as_deref();
    ARRAY.send(&state, client, &method, puzzle, count).await
}

/// Scrambles as text.
///
/// One a line. Between lines there is CR LF; the last one ends without.
#[utoipa::path(
    get,
    path = "/api/v0/scramble/{puzzle}/raw",
    operation_id = "tnoodle_raw_scrambles",
    tag = "tnoodle",
    params(
        Named,
        Enumerated,
    ),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "scrambles", body = String, content_type = "text/plain"),
        (status = 400, description = "a bad parameter", body = Problem,
            content_type = "application/problem+json"),
        (status = 404, description = "no such puzzle", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn raw(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    puzzle: Puzzle,
    wanted: Result<Query<Enumerated>, QueryRejection>,
) -> Result<Response, ApiError> {
    static LINES: List = List {
        media: Media::Text,
        opening: "",
        separator: "\r\n",
        closing: "",
        item: |_, turns| turns,
    };
    static NUMBERED: List = List {
        item: |number, turns| format!("{number}. {turns}"),
        ..LINES
    };
    let Query(wanted) = wanted.map_err(bad_query)?;
    refuse(wanted.seed.and(Some("seed")))?;
    refuse(wanted.callback.and(Some("callback")))?;
    let count = wanted.num_scrambles.as_deref();
    let list = match wanted.enumerate {
        None => &LINES,
        Some(_) => &NUMBERED,
    };
    list.send(&state, client, &method, puzzle, count).await
}

/// A picture of a position.
///
/// It can be had while tables are being prepared, too.
#[utoipa::path(
    get,
    path = "/api/v0/view/{puzzle}/{format}",
    operation_id = "tnoodle_view",
    tag = "tnoodle",
    params(
        Named,
        ("format" = inline(schema::ViewFormat), Path,
            description = "`svg`, `png`, or `json` for size and colours"),
        view::Parameters,
    ),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "a picture, or what can be said of it", content(
            (String = "image/svg+xml"),
            (schema::File = "image/png"),
            (view::Description = "application/json"),
        )),
        (status = 400, description = "a bad parameter", body = Problem,
            content_type = "application/problem+json"),
        (status = 404, description = "no such puzzle or format", body = Problem,
            content_type = "application/problem+json"),
        (status = 422, description = "no such position", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn view(
    _: Puzzle,
    path: Result<Path<(String, String)>, PathRejection>,
    parameters: Result<Query<view::Parameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Path((_, format)) = path.map_err(|_| ApiError::NotFound)?;
    view::view(&format, parameters)
}
