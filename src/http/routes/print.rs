//! `/print`: scramble sheets.

use std::time::SystemTime;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{Method, header};
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use super::piecewise::{document, only_head};
use super::schema;
use crate::competition::{
    Document, Heading, MOST_EXTRAS, MOST_ROUNDS, MOST_SETS, Paper, Sheets, USUAL_EXTRAS,
    usual_attempts,
};
use crate::http::extract::body::read_competition;
use crate::http::extract::parameters::{effort, event, whole};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, BodyProblems, Problem, Problems};
use crate::http::state::{AppState, Share};
use crate::pool::Client;

/// The most scrambles of a document: two events of four rounds of 26 sets, and some; 13 MB.
const MOST_PRINTED: usize = 2_000;

/// The memory that a scramble takes until it is printed, in bytes, with some to spare.
const BYTES_A_SCRAMBLE: usize = 1024;

/// The longest name of a competition, in characters.
pub(crate) const LONGEST_NAME: usize = 200;

/// The media type of sheets.
const MEDIA: &str = "text/html; charset=utf-8";

/// Query parameters of fresh sheets, still as text so that errors can say what is allowed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Fresh {
    /// The WCA event.
    #[param(inline, value_type = Option<schema::EventId>)]
    event: Option<String>,
    /// How many scramble sets, each of five scrambles, or three of 444bf.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 26, default = 1)]
    sets: Option<String>,
    /// How many extra scrambles a set has.
    #[param(value_type = Option<u32>, minimum = 0, maximum = 99, default = 2)]
    extras: Option<String>,
    /// What stands above: the name of a competition, up to 200 characters.
    #[param(max_length = 200)]
    competition: Option<String>,
    /// And the number of a round.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 4)]
    round: Option<String>,
    /// The paper.
    #[param(inline, value_type = Option<schema::PaperSize>)]
    paper: Option<String>,
    /// How much work goes into each scramble: more work, fewer moves. Up to what the service allows
    /// (by default 7).
    #[param(value_type = Option<u8>, minimum = 1, maximum = 10)]
    effort: Option<String>,
    /// The method, one of those that the service has (by default `five-stage` and `reduction`); its own
    /// if none is named.
    #[param(example = "reduction")]
    method: Option<String>,
}

/// Query parameters of sheets of a document.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Given {
    /// The paper.
    #[param(inline, value_type = Option<schema::PaperSize>)]
    paper: Option<String>,
}

fn paper(text: Option<&str>) -> Result<Paper, ApiError> {
    text.map_or(Ok(Paper::default()), str::parse)
        .map_err(|error| ApiError::BadParameter(error.to_string()))
}

/// The name of a competition, if one is given.
fn name(text: Option<String>) -> Result<Option<String>, ApiError> {
    match text {
        Some(name) if name.chars().count() > LONGEST_NAME => Err(ApiError::BadParameter(format!(
            "competition must have at most {LONGEST_NAME} characters"
        ))),
        // What is put in the place of bytes that are no text.
        Some(name) if name.contains(char::REPLACEMENT_CHARACTER) => Err(ApiError::BadParameter(
            "competition must be text in UTF-8".to_owned(),
        )),
        name => Ok(name),
    }
}

/// Sheets as an answer.
fn respond(sheets: Sheets, paper: Paper, hurried: usize, share: Share) -> Response {
    let policy = format!(
        "{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        paper.policy()
    );
    let headers = [
        (header::CONTENT_TYPE, MEDIA.to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    document(headers, hurried, sheets.into_pages(paper), share)
}

/// Sheets of fresh scrambles, to be printed.
///
/// One HTML document, a set on a page or more. Not from the official WCA scramble program.
#[utoipa::path(
    get,
    path = "/print",
    operation_id = "print",
    tag = "competitions",
    params(Fresh),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "sheets", body = String, content_type = "text/html"),
        (status = 400, description = "a bad parameter", body = Problem,
            content_type = "application/problem+json"),
        (status = 422, description = "this takes longer than a request may", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(crate) async fn fresh(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    parameters: Result<Query<Fresh>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(wanted) = parameters.map_err(|_| {
        ApiError::BadParameter(
            "the parameters allowed are event, sets, extras, competition, round, paper, effort and \
             method, each once"
                .to_owned(),
        )
    })?;
    let heading = Heading {
        competition: name(wanted.competition)?,
        round: whole("round", wanted.round.as_deref(), 1..=MOST_ROUNDS)?,
        event: event(wanted.event.as_deref())?,
    };
    let sets = whole("sets", wanted.sets.as_deref(), 1..=MOST_SETS)?.unwrap_or(1);
    let extras = whole("extras", wanted.extras.as_deref(), 0..=MOST_EXTRAS)?;
    let sizes = (
        usual_attempts(heading.event),
        extras.unwrap_or(USUAL_EXTRAS),
    );
    let paper = paper(wanted.paper.as_deref())?;
    let effort = effort(&state.settings, wanted.effort.as_deref())?;
    let count = (sets * (sizes.0 + sizes.1)) as usize;
    if count > MOST_PRINTED {
        return Err(ApiError::BadParameter(format!(
            "sets and extras ask for {count} scrambles; at most {MOST_PRINTED} can be printed at once"
        )));
    }
    state.readiness.working()?;
    let methods = &state.readiness.methods;
    let (_, order) = methods.order(wanted.method.as_deref(), effort)?;
    if method == Method::HEAD {
        return Ok(only_head(MEDIA));
    }
    let share = state.documents.share(count * BYTES_A_SCRAMBLE).await?;
    let events = std::iter::repeat_n(heading.event, count);
    let scrambles = ScrambleStream::all_for(&state, client, events, order).await?;
    let hurried = scrambles.iter().filter(|made| made.hurried).count();
    let sheets = Sheets::fresh(heading, sizes, &scrambles, SystemTime::now());
    Ok(respond(sheets, paper, hurried, share))
}

/// Sheets of a competition's scrambles, to be printed.
///
/// One HTML document, all scramble sets of 444 and 444bf, each on a page or more. No scrambles are made.
#[utoipa::path(
    post,
    path = "/print",
    operation_id = "print_given",
    tag = "competitions",
    params(Given),
    request_body = schema::WcifBody,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "sheets", body = String, content_type = "text/html"),
        (status = 422, description = "there is nothing to print, or it cannot be printed", body = Problem,
            content_type = "application/problem+json"),
        BodyProblems,
        Problems,
    ),
)]
pub(crate) async fn given(
    State(state): State<AppState>,
    parameters: Result<Query<Given>, QueryRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    let Query(wanted) = parameters.map_err(|_| {
        ApiError::BadParameter("the only parameter allowed is paper, once".to_owned())
    })?;
    let paper = paper(wanted.paper.as_deref())?;
    let (body, share) = read_competition(&state, request).await?;
    let sheets = Sheets::of(&Document::from_json(body)?)?;
    let count = sheets.scrambles();
    if count > MOST_PRINTED {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events have {count} scrambles; at most {MOST_PRINTED} can be printed at once"
        )));
    }
    Ok(respond(sheets, paper, 0, share))
}
