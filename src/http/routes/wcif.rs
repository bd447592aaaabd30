//! `POST /v1/wcif`: scrambles for a whole competition.

use std::time::SystemTime;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::header;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use super::piecewise::document;
use super::schema;
use crate::competition::{Document, FillOptions, Filled, Filling, Interchange};
use crate::http::extract::body::read_competition;
use crate::http::extract::parameters::{effort, flag};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, BodyProblems, Problem, Problems};
use crate::http::state::{AppState, Share};
use crate::pool::Client;

/// Query parameters, still as text so that errors can say what is allowed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// 1: drop all other events.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 1, default = 0)]
    only: Option<String>,
    /// 1: replace scramble sets that are there. Without, they are a conflict.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 1, default = 0)]
    replace: Option<String>,
    /// How much work goes into each scramble: more work, fewer moves. Up to what the service allows
    /// (by default 7).
    #[param(value_type = Option<u8>, minimum = 1, maximum = 10)]
    effort: Option<String>,
    /// The method, one of those that the service has (by default `five-stage` and `reduction`); its own
    /// if none is named.
    #[param(example = "reduction")]
    method: Option<String>,
}

/// Query parameters as they are extracted.
pub(crate) type Extracted = Result<Query<Parameters>, QueryRejection>;

/// A competition that has been filled.
pub(crate) struct Done {
    pub(crate) wcif: Filled,
    /// How many scrambles the deadline cut short.
    pub(crate) hurried: usize,
    pub(crate) share: Share,
}

/// Fills the competition in a request's body.
pub(crate) async fn filled(
    state: &AppState,
    client: Client,
    parameters: Extracted,
    request: Request,
) -> Result<Done, ApiError> {
    let Query(parameters) = parameters.map_err(|_| {
        ApiError::BadParameter(
            "the parameters allowed are only, replace, effort and method, each once".to_owned(),
        )
    })?;
    let options = FillOptions {
        only: flag("only", parameters.only.as_deref())?,
        replace: flag("replace", parameters.replace.as_deref())?,
    };
    let effort = effort(&state.settings, parameters.effort.as_deref())?;
    let (body, share) = read_competition(state, request).await?;
    let filling = Filling::new(Document::from_json(body)?.wcif, options)?;
    let places = filling.places();
    if places.len() > state.settings.max_stream as usize {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events ask for {} scrambles; at most {} can be had at once",
            places.len(),
            state.settings.max_stream
        )));
    }
    let methods = &state.readiness.methods;
    let (_, order) = methods.order(parameters.method.as_deref(), effort)?;
    let events = places.iter().map(|place| place.event);
    let scrambles = ScrambleStream::all_for(state, client, events, order).await?;
    let hurried = scrambles.iter().filter(|made| made.hurried).count();
    let scrambles = scrambles.iter().map(|made| made.sequence.to_string());
    Ok(Done {
        wcif: filling.filled(scrambles.collect()),
        hurried,
        share,
    })
}

/// Scrambles for a competition.
///
/// The rounds of 444 and 444bf get their scramble sets: as many as `scrambleSetCount` says, with a
/// scramble for each attempt of the round's format and two extra ones, or as many as TNoodle's extension
/// `ExtraScrambleCount` says. Other events, and members that are not known here, stay as they are. The
/// answer is the document that the WCA's programs exchange. Not from the official WCA scramble program.
#[utoipa::path(
    post,
    path = "/v1/wcif",
    operation_id = "wcif",
    tag = "competitions",
    params(Parameters),
    request_body = schema::WcifBody,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "the competition with scrambles", body = schema::Interchange),
        (status = 409, description = "it has scrambles already", body = Problem,
            content_type = "application/problem+json"),
        (status = 422, description = "no such competition can be, or it takes longer than a request may", body = Problem,
            content_type = "application/problem+json"),
        BodyProblems,
        Problems,
    ),
)]
pub(crate) async fn fill(
    State(state): State<AppState>,
    client: Client,
    parameters: Extracted,
    request: Request,
) -> Result<Response, ApiError> {
    let Done {
        wcif,
        hurried,
        share,
    } = filled(&state, client, parameters, request).await?;
    let interchange = Interchange::new(wcif, SystemTime::now());
    let disposition = format!("attachment; filename=\"{}\"", interchange.file_name());
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok(document(headers, hurried, interchange.into_pieces(), share))
}
