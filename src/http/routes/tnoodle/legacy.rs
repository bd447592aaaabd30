//! `/scramble/TITLE.EXT` and `/view/PUZZLE.EXT`: TNoodle's interface before version 1.0, which most
//! programs made for it speak.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::about::{self, Listed, Version};
use super::number;
use super::puzzle::Puzzle;
use super::refused::refuse;
use super::view;
use crate::http::extract::media::Media;
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Problem, Problems};
use crate::http::routes::pictures::read_scheme;
use crate::http::routes::piecewise::only_head;
use crate::http::routes::schema;
use crate::http::state::{AppState, Settings};
use crate::picture::Scheme;
use crate::pool::Client;

/// The most scrambles, and the most copies, of one group.
const MOST_OF_GROUP: u32 = 100;

/// Scrambles that a request asks for together.
struct Group {
    title: String,
    puzzle: Puzzle,
    count: u32,
    copies: u32,
    scheme: Scheme,
}

impl Group {
    /// Reads `PUZZLE*COUNT*COPIES*SCHEME`, of which all but the puzzle may be left out.
    fn new(title: String, text: &str) -> Result<Group, ApiError> {
        let mut parts = text.split('*');
        let puzzle = parts.next().unwrap_or_default().parse()?;
        let count = number::clamped("the number of scrambles", parts.next(), MOST_OF_GROUP)?;
        let copies = number::clamped("the number of copies", parts.next(), MOST_OF_GROUP)?;
        let scheme = read_scheme(parts.next())?;
        Ok(Group {
            title,
            puzzle,
            count,
            copies,
            scheme,
        })
    }
}

/// A request that has been understood.
struct Wanted {
    groups: Vec<Group>,
    show_indices: bool,
}

impl Wanted {
    fn new(query: Vec<(String, String)>, settings: &Settings) -> Result<Wanted, ApiError> {
        let refused = |text: &str| Err(ApiError::BadParameter(text.to_owned()));
        let (mut groups, mut show_indices) = (Vec::new(), false);
        for (name, value) in query {
            refuse(Some(&name))?;
            match name.as_str() {
                // TNoodle's page counts up with it to get around caches, beginning with 0.
                "showIndices" => show_indices = value != "0",
                "generationUrl" => {}
                _ => groups.push(Group::new(name, &value)?),
            }
        }
        if groups.is_empty() {
            return refused("name what is wanted, such as ?=444*5 for five scrambles");
        }
        let lines = groups.iter().map(|group| group.count * group.copies.max(1));
        let most = settings.max_stream;
        if lines.sum::<u32>() > most {
            return refused(&format!("together there may be at most {most} lines"));
        }
        Ok(Wanted {
            groups,
            show_indices,
        })
    }

    /// The scrambles of each group.
    async fn make(&self, state: &AppState, client: Client) -> Result<Vec<Vec<String>>, ApiError> {
        let count = self.groups.iter().map(|group| group.count).sum();
        let mut scrambles = ScrambleStream::begin(state, client, count, state.settings.effort)?;
        let mut made = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let mut turns = Vec::with_capacity(group.count as usize);
            for _ in 0..group.count {
                let next = scrambles.next().await;
                let next = next.expect("as many were asked for as all groups together have")?;
                turns.push(group.puzzle.scramble(next).sequence.to_string());
            }
            made.push(turns);
        }
        Ok(made)
    }

    fn text(&self, made: &[Vec<String>]) -> String {
        let mut text = String::new();
        for (group, scrambles) in self.groups.iter().zip(made) {
            for _ in 0..group.copies {
                for (index, turns) in scrambles.iter().enumerate() {
                    if self.show_indices {
                        text += &format!("{}. ", index + 1);
                    }
                    text += turns;
                    text += "\r\n";
                }
            }
        }
        text
    }

    fn sheets(self, made: Vec<Vec<String>>) -> Vec<Sheet> {
        let groups = self.groups.into_iter().zip(made);
        let sheet = |(group, scrambles): (Group, Vec<String>)| Sheet {
            scrambles,
            extra_scrambles: Vec::new(),
            scrambler: group.puzzle.short_name,
            copies: group.copies,
            title: group.title,
            fmc: false,
            color_scheme: group.scheme,
            total_attempt: 0,
            attempt: 0,
            round: 0,
        };
        groups.map(sheet).collect()
    }
}

/// A group of scrambles.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sheet {
    /// The turns of each.
    scrambles: Vec<String>,
    /// Always empty.
    extra_scrambles: Vec<String>,
    /// The puzzle's name.
    scrambler: &'static str,
    /// As asked for; the scrambles are there once.
    copies: u32,
    /// The name before `=` in the query.
    title: String,
    /// Always false.
    fmc: bool,
    /// The colours of the faces, as `rrggbb`.
    #[schema(value_type = schema::Colours)]
    color_scheme: Scheme,
    /// Always 0.
    total_attempt: u32,
    /// Always 0.
    attempt: u32,
    /// Always 0.
    round: u32,
}

/// Scrambles as text or JSON.
///
/// `TITLE.txt`: one a line; every line ends in CR LF, the last one too. `TITLE.json`: an array of groups.
/// The query is one or more of `NAME=PUZZLE*COUNT*COPIES*SCHEME`, of which all but the puzzle may be left
/// out: `?=444*5`. Problems of `.json` have a member `error`.
#[utoipa::path(
    get,
    path = "/scramble/{file}",
    operation_id = "tnoodle_legacy_scrambles",
    tag = "tnoodle",
    params(
        ("file" = String, Path, description = "any title, and `.txt` or `.json`", example = ".txt"),
        ("e" = Option<String>, Query, description = "or any other name, the empty one too: \
            `PUZZLE*COUNT*COPIES*SCHEME`; counts above 100 are taken for 100", example = "444*5"),
        ("showIndices" = Option<String>, Query, description = "with any value but 0: begin each line \
            of text with its number, `1. ` and so on"),
    ),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "scrambles", content(
            (String = "text/plain"),
            (Vec<Sheet> = "application/json"),
        )),
        (status = 400, description = "a bad parameter", body = Problem,
            content_type = "application/problem+json"),
        (status = 404, description = "no such puzzle or format", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn scrambles(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    file: Result<Path<String>, PathRejection>,
    query: Result<Query<Vec<(String, String)>>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Path(file) = file.map_err(|_| ApiError::NotFound)?;
    let media = match file.rsplit_once('.') {
        Some((_, "json")) => Media::Json,
        Some((_, "txt")) | None => Media::Text,
        Some(_) => {
            let text = "scrambles can be had as .txt or .json".to_owned();
            return Err(ApiError::Unknown(text));
        }
    };
    let Query(query) = query
        .map_err(|_| ApiError::BadParameter("the query must be NAME=PUZZLE*COUNT".to_owned()))?;
    let wanted = Wanted::new(query, &state.settings)?;
    if method == Method::HEAD {
        state.readiness.working()?;
        return Ok(only_head(media.name()));
    }
    let made = wanted.make(&state, client).await?;
    Ok(if media == Media::Json {
        Json(wanted.sheets(made)).into_response()
    } else {
        wanted.text(&made).into_response()
    })
}

/// A picture of a position.
///
/// It can be had while tables are being prepared, too. Problems of `.json` have a member `error`.
#[utoipa::path(
    get,
    path = "/view/{file}",
    operation_id = "tnoodle_legacy_view",
    tag = "tnoodle",
    params(
        ("file" = String, Path, description = "`444`, `444ni`, or another name of these, and `.svg`, \
            `.png`, or `.json` for size and colours", example = "444.svg"),
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
    file: Result<Path<String>, PathRejection>,
    parameters: Result<Query<view::Parameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Path(file) = file.map_err(|_| ApiError::NotFound)?;
    let (puzzle, format) = file.rsplit_once('.').unwrap_or((&file, ""));
    // All puzzles look alike; but what is none is an error.
    puzzle.parse::<Puzzle>()?;
    view::view(format, parameters)
}

/// All puzzles.
#[utoipa::path(
    get,
    path = "/puzzles/.json",
    operation_id = "tnoodle_legacy_puzzles",
    tag = "tnoodle",
    params(about::Parameters),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "puzzles", body = Vec<Listed>),
        (status = 400, description = "a bad parameter", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn puzzles(
    state: State<AppState>,
    parameters: Result<Query<about::Parameters>, QueryRejection>,
) -> Result<Json<Vec<Listed>>, ApiError> {
    about::puzzles(state, parameters).await
}

/// The program and its version.
#[utoipa::path(
    get,
    path = "/version.json",
    operation_id = "tnoodle_legacy_version",
    tag = "tnoodle",
    security((), ("token" = [])),
    responses((status = 200, description = "the program", body = Version), Problems),
)]
pub(super) async fn version() -> Json<Version> {
    about::version().await
}
