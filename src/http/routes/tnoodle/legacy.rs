//! `/scramble/TITLE.EXT` and `/view/PUZZLE.EXT`: TNoodle's interface before version 1.0, which most
//! programs made for TNoodle use.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use cube444::picture::Scheme;
use serde_json::{Value, json};

use super::puzzle::Puzzle;
use super::query::{clamped, refuse_unsupported};
use super::view;
use crate::http::extract::media::Media;
use crate::http::jobs::ScrambleStream;
use crate::http::problem::ApiError;
use crate::http::routes::pictures::read_scheme;
use crate::http::routes::streaming::only_head;
use crate::http::state::{AppState, Settings};
use crate::pool::{Client, JobOptions};

/// Maximum number of scrambles and of copies of a group.
const MAX_OF_GROUP: u32 = 100;

/// One `NAME=PUZZLE*COUNT*COPIES*SCHEME` of a request.
struct SheetGroup {
    title: String,
    puzzle: Puzzle,
    count: u32,
    copies: u32,
    scheme: Scheme,
}

impl SheetGroup {
    /// Reads `PUZZLE*COUNT*COPIES*SCHEME`. All but the puzzle are optional.
    fn new(title: String, text: &str) -> Result<SheetGroup, ApiError> {
        let mut parts = text.split('*');
        let puzzle = parts.next().unwrap_or_default().parse()?;
        let count = clamped("the number of scrambles", parts.next(), MAX_OF_GROUP)?;
        let copies = clamped("the number of copies", parts.next(), MAX_OF_GROUP)?;
        let scheme = read_scheme(parts.next())?;
        Ok(SheetGroup {
            title,
            puzzle,
            count,
            copies,
            scheme,
        })
    }
}

/// A valid request.
struct LegacyRequest {
    groups: Vec<SheetGroup>,
    show_indices: bool,
}

impl LegacyRequest {
    fn new(query: Vec<(String, String)>, settings: &Settings) -> Result<LegacyRequest, ApiError> {
        let (mut groups, mut show_indices) = (Vec::new(), false);
        for (name, value) in query {
            refuse_unsupported(&name)?;
            match name.as_str() {
                // Not only "1": TNoodle's page counts up from 0 to bypass caches.
                "showIndices" => show_indices = value != "0",
                "generationUrl" => {}
                _ => groups.push(SheetGroup::new(name, &value)?),
            }
        }
        let bad_parameter = |text: &str| Err(ApiError::BadParameter(text.to_owned()));
        if groups.is_empty() {
            return bad_parameter("name a puzzle, such as ?=444*5 for five scrambles");
        }
        let lines = groups.iter().map(|group| group.count * group.copies.max(1));
        let max_lines = settings.max_stream;
        if lines.sum::<u32>() > max_lines {
            return bad_parameter(&format!("a request may have at most {max_lines} lines"));
        }
        Ok(LegacyRequest {
            groups,
            show_indices,
        })
    }

    /// Makes the scrambles of each group.
    async fn make(
        &self,
        state: &AppState,
        client: Client,
        options: JobOptions,
    ) -> Result<Vec<Vec<String>>, ApiError> {
        let count = self.groups.iter().map(|group| group.count).sum();
        let mut scrambles = ScrambleStream::begin(state, client, count, options)?;
        let mut made = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let mut turns = Vec::with_capacity(group.count as usize);
            for _ in 0..group.count {
                let next = scrambles.next().await;
                let next = next.expect("the stream has the scrambles of all groups")?;
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

    /// The groups as sheets. Members that are always the same stand for what this service does not have.
    fn sheets(&self, made: &[Vec<String>]) -> Vec<Value> {
        let sheet = |(group, scrambles): (&SheetGroup, &Vec<String>)| {
            json!({
                "scrambles": scrambles,
                "extraScrambles": [],
                "scrambler": group.puzzle.short_name,
                "copies": group.copies,
                "title": group.title,
                "fmc": false,
                "colorScheme": group.scheme,
                "totalAttempt": 0,
                "attempt": 0,
                "round": 0,
            })
        };
        self.groups.iter().zip(made).map(sheet).collect()
    }
}

/// Scrambles as text or JSON.
///
/// `TITLE.txt`: one per line; every line ends in CR LF. `TITLE.json`: an array of groups. The query has one
/// or more of `NAME=PUZZLE*COUNT*COPIES*SCHEME`, in which all but the puzzle are optional: `?=444*5`.
/// Problem documents for `.json` have a member `error`.
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
            let text = "the format of scrambles must be .txt or .json".to_owned();
            return Err(ApiError::Unknown(text));
        }
    };
    let Query(query) = query
        .map_err(|_| ApiError::BadParameter("the query must be NAME=PUZZLE*COUNT".to_owned()))?;
    let request = LegacyRequest::new(query, &state.settings)?;
    let options = state.default_options()?;
    if method == Method::HEAD {
        return Ok(only_head(media.name()));
    }
    let made = request.make(&state, client, options).await?;
    Ok(if media == Media::Json {
        Json(request.sheets(&made)).into_response()
    } else {
        request.text(&made).into_response()
    })
}

/// A picture of a position.
///
/// Also available while the service is starting. Problem documents for `.json` have a member `error`.
pub(super) async fn view(
    file: Result<Path<String>, PathRejection>,
    parameters: Result<Query<view::ViewParameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Path(file) = file.map_err(|_| ApiError::NotFound)?;
    let (puzzle, format) = file.rsplit_once('.').unwrap_or((&file, ""));
    // All puzzles have the same picture, but the name must exist.
    puzzle.parse::<Puzzle>()?;
    view::view(format, parameters)
}
