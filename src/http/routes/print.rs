//! `/print`: scramble sheets.

use std::time::SystemTime;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{Method, header};
use axum::response::Response;
use cube444_competition::{
    DEFAULT_EXTRAS, Document, Heading, Layout, MAX_EXTRAS, MAX_NAME, MAX_ROUNDS, MAX_SETS, Paper,
    Sheets, default_attempts,
};
use serde::Deserialize;

use super::streaming::{document, only_head};
use crate::http::extract::body::read_competition;
use crate::http::extract::parameters::{effort, event, flag, integer, query};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::ApiError;
use crate::http::state::{AppState, Reservation};
use crate::pool::{Client, JobOptions};

/// Maximum number of scrambles of a document. Enough for two events of four rounds of 26 sets; 13 MB.
const MAX_PRINTED: usize = 2_000;

/// Memory to reserve for a new scramble, in bytes; an upper bound.
const BYTES_PER_SCRAMBLE: usize = 1024;

/// The media type of sheets.
const MEDIA: &str = "text/html; charset=utf-8";

/// Query parameters of new sheets, as text so that errors can name the allowed values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewParameters {
    /// The WCA event.
    event: Option<String>,
    /// Number of scramble sets. A set has five scrambles, for 444bf three, and the extra ones.
    sets: Option<String>,
    /// Number of extra scrambles per set.
    extras: Option<String>,
    /// The name of the competition, for the heading.
    competition: Option<String>,
    /// The number of the round, for the heading.
    round: Option<String>,
    /// The paper size.
    paper: Option<String>,
    /// 1: put the letter of its face (U R F D L B) on each sticker, for printing in black and white.
    letters: Option<String>,
    /// 1: begin with a cover page that lists the rounds, sets, copies and pages. It has no scrambles.
    cover: Option<String>,
    /// 1: number the sets of a round (1, 2, …) instead of lettering them (A, B, …).
    #[serde(rename = "set-numbers")]
    set_numbers: Option<String>,
    /// The effort level: higher levels take longer and give fewer moves. Up to the service's maximum (by
    /// default 7).
    effort: Option<String>,
    /// The method: one of the service's methods (by default `five-stage` and `reduction`).
    method: Option<String>,
}

/// Query parameters of sheets with given scrambles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenParameters {
    /// The paper size.
    paper: Option<String>,
    /// 1: put the letter of its face (U R F D L B) on each sticker, for printing in black and white.
    letters: Option<String>,
    /// 1: begin with a cover page that lists the rounds, sets, copies and pages. It has no scrambles.
    cover: Option<String>,
    /// 1: number the sets of a round (1, 2, …) instead of lettering them (A, B, …).
    #[serde(rename = "set-numbers")]
    set_numbers: Option<String>,
}

/// The layout: the parameters `paper`, and `letters`, `cover` and `set-numbers`.
fn layout(paper: Option<&str>, switches: [Option<&str>; 3]) -> Result<Layout, ApiError> {
    let paper = paper.map_or(Ok(Paper::default()), str::parse);
    let [letters, cover, set_numbers] = switches;
    Ok(Layout {
        paper: paper.map_err(|error| ApiError::BadParameter(error.to_string()))?,
        letters: flag("letters", letters)?,
        cover: flag("cover", cover)?,
        set_numbers: flag("set-numbers", set_numbers)?,
    })
}

/// The name of the competition, if the parameter is present.
fn name(text: Option<String>) -> Result<Option<String>, ApiError> {
    match text {
        Some(name) if name.chars().count() > MAX_NAME => Err(ApiError::BadParameter(format!(
            "competition must have at most {MAX_NAME} characters"
        ))),
        // The extractor replaces invalid UTF-8.
        Some(name) if name.contains(char::REPLACEMENT_CHARACTER) => Err(ApiError::BadParameter(
            "competition must be text in UTF-8".to_owned(),
        )),
        name => Ok(name),
    }
}

fn respond(sheets: Sheets, layout: Layout, hurried: usize, memory: Reservation) -> Response {
    let policy = format!(
        "{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        layout.paper.policy()
    );
    let headers = [
        (header::CONTENT_TYPE, MEDIA.to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    document(headers, hurried, sheets.into_pages(layout), memory)
}

/// Scramble sheets with new scrambles.
///
/// An HTML document to print; each set begins on a new page. Not from the official WCA scramble program.
pub(crate) async fn new_sheets(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    parameters: Result<Query<NewParameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let query = query(
        parameters,
        "event, sets, extras, competition, round, paper, letters, cover, set-numbers, effort, method, each \
         at most once",
    )?;
    let heading = Heading {
        competition: name(query.competition)?,
        round: integer("round", query.round.as_deref(), 1..=MAX_ROUNDS)?,
        event: event(query.event.as_deref())?,
    };
    let sets = integer("sets", query.sets.as_deref(), 1..=MAX_SETS)?.unwrap_or(1);
    let extras = integer("extras", query.extras.as_deref(), 0..=MAX_EXTRAS)?;
    let sizes = (
        default_attempts(heading.event),
        extras.unwrap_or(DEFAULT_EXTRAS),
    );
    let switches = [&query.letters, &query.cover, &query.set_numbers];
    let layout = layout(query.paper.as_deref(), switches.map(Option::as_deref))?;
    let effort = effort(&state.settings, query.effort.as_deref())?;
    let count = (sets * (sizes.0 + sizes.1)) as usize;
    if count > MAX_PRINTED {
        return Err(ApiError::BadParameter(format!(
            "sets and extras make {count} scrambles; a document may have {MAX_PRINTED}"
        )));
    }
    let engine = state.engines.get(query.method.as_deref()).await?;
    let options = JobOptions::new(engine, effort);
    if method == Method::HEAD {
        return Ok(only_head(MEDIA));
    }
    let mut memory = state.document_memory.reservation(client);
    memory.grow(count * BYTES_PER_SCRAMBLE).await?;
    let events = std::iter::repeat_n(heading.event, count);
    let scrambles = ScrambleStream::collect_for(&state, client, events, options).await?;
    let hurried = scrambles.iter().filter(|made| made.hurried).count();
    let sheets = Sheets::new(heading, sizes, &scrambles, SystemTime::now());
    Ok(respond(sheets, layout, hurried, memory))
}

/// Scramble sheets with the scrambles of a competition.
///
/// An HTML document to print, with the scramble sets of 444 and 444bf; each set begins on a new page. No
/// scrambles are made.
pub(crate) async fn given_sheets(
    State(state): State<AppState>,
    client: Client,
    parameters: Result<Query<GivenParameters>, QueryRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    let query = query(
        parameters,
        "paper, letters, cover, set-numbers, each at most once",
    )?;
    let switches = [&query.letters, &query.cover, &query.set_numbers];
    let layout = layout(query.paper.as_deref(), switches.map(Option::as_deref))?;
    let (body, memory) = read_competition(&state, client, request).await?;
    let sheets = Sheets::from_document(&Document::from_json(body)?)?;
    let count = sheets.scrambles();
    if count > MAX_PRINTED {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events have {count} scrambles, copies included; a document may have {MAX_PRINTED}"
        )));
    }
    Ok(respond(sheets, layout, 0, memory))
}
