//! `/print`: scramble sheets.

use std::time::SystemTime;

use axum::extract::{Request, State};
use axum::http::{Method, header};
use axum::response::Response;
use cube444_competition::{
    DEFAULT_EXTRAS, Heading, Layout, MAX_EXTRAS, MAX_NAME, MAX_ROUNDS, MAX_SETS, Sheets, Wcif,
    default_attempts,
};

use super::streaming::{blocking, document, only_head};
use crate::http::extract::{Parameters, Query, bad_parameter, read_competition};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::state::{AppState, BYTES_PER_SCRAMBLE, Reservation};
use crate::pool::{Client, JobOptions};

/// Maximum number of scrambles of a document. Enough for two events of four rounds of 26 sets; 13 MB.
const MAX_PRINTED: usize = 2_000;

/// The media type of sheets.
const MEDIA: &str = "text/html; charset=utf-8";

/// The layout: the parameters `paper`, `letters` (the letter of its face on each sticker, for printing in black and
/// white), `cover` (a page that lists the rounds, sets, copies and pages, without scrambles) and `set-numbers` (sets of a
/// round are numbered instead of lettered).
fn layout(parameters: &Parameters) -> Result<Layout> {
    Ok(Layout {
        paper: parameters.parsed("paper")?.unwrap_or_default(),
        letters: parameters.flag("letters")?,
        cover: parameters.flag("cover")?,
        set_numbers: parameters.flag("set-numbers")?,
    })
}

/// The name of the competition, if the parameter is present.
fn name(parameters: &Parameters) -> Result<Option<String>> {
    match parameters.get("competition") {
        Some(name) if name.chars().count() > MAX_NAME => Err(bad_parameter(format_args!(
            "competition must have at most {MAX_NAME} characters"
        ))),
        name => Ok(name.map(str::to_owned)),
    }
}

fn respond(sheets: Sheets, layout: Layout, hurried: usize, memory: Reservation) -> Response {
    let policy = format!(
        "{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        layout.paper.policy()
    );
    let headers = (
        [(header::CONTENT_TYPE, MEDIA)],
        [(header::CONTENT_SECURITY_POLICY, policy)],
    );
    document(headers, hurried, sheets.into_pages(layout), memory)
}

/// Scramble sheets with new scrambles.
///
/// An HTML document to print; each set begins on a new page. Not from the official WCA scramble program.
pub(crate) async fn new_sheets(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    query: Query,
) -> Result<Response> {
    let parameters = query.only(&[
        "event",
        "sets",
        "extras",
        "competition",
        "round",
        "paper",
        "letters",
        "cover",
        "set-numbers",
        "scheme",
        "effort",
        "method",
    ])?;
    let heading = Heading {
        competition: name(&parameters)?,
        round: parameters.integer("round", 1..=MAX_ROUNDS)?,
        event: parameters.parsed("event")?.unwrap_or_default(),
        scheme: parameters.scheme()?,
    };
    let sets = parameters.integer("sets", 1..=MAX_SETS)?.unwrap_or(1);
    let extras = parameters.integer("extras", 0..=MAX_EXTRAS)?;
    let extras = extras.unwrap_or(DEFAULT_EXTRAS);
    let sizes = (default_attempts(heading.event), extras);
    let layout = layout(&parameters)?;
    let effort = parameters.effort(&state.settings)?;
    let count = (sets * (sizes.0 + sizes.1)) as usize;
    if count > MAX_PRINTED {
        return Err(bad_parameter(format_args!(
            "sets and extras make {count} scrambles; a document may have {MAX_PRINTED}"
        )));
    }
    let engine = state.engines.get(parameters.get("method")).await?;
    let options = JobOptions::new(engine, effort, client);
    if method == Method::HEAD {
        return Ok(only_head(MEDIA));
    }
    let mut memory = state.document_memory.reservation(client);
    memory.grow(count * BYTES_PER_SCRAMBLE).await?;
    let events = std::iter::repeat_n(heading.event, count);
    let scrambles = ScrambleStream::collect_for(&state, events, options).await?;
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
    query: Query,
    request: Request,
) -> Result<Response> {
    let parameters = query.only(&["paper", "letters", "cover", "set-numbers"])?;
    let layout = layout(&parameters)?;
    let (body, memory) = read_competition(&state, client, request).await?;
    let sheets = blocking("reading a competition", || {
        Sheets::from_wcif(&Wcif::from_json(body)?)
    });
    let sheets = sheets.await??;
    let count = sheets.scrambles();
    if count > MAX_PRINTED {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events have {count} scrambles, copies included; a document may have {MAX_PRINTED}"
        )));
    }
    Ok(respond(sheets, layout, 0, memory))
}
