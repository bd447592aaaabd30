//! `POST /v1/wcif`: scrambles for a whole competition.

use std::time::SystemTime;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::header;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use super::schema;
use super::streaming::document;
use crate::competition::{Document, FillOptions, FillPlan, FilledWcif, Interchange};
use crate::http::extract::body::read_competition;
use crate::http::extract::parameters::{effort, flag, query};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, BodyProblems, Problem, Problems};
use crate::http::state::{AppState, Reservation};
use crate::pool::Client;

/// Query parameters, as text so that errors can name the allowed values.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// 1: remove all events except 444 and 444bf.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 1, default = 0)]
    only: Option<String>,
    /// 1: replace existing scramble sets, which are otherwise a conflict.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 1, default = 0)]
    replace: Option<String>,
    /// The effort level: higher levels take longer and give fewer moves. Up to the service's maximum (by
    /// default 7).
    #[param(value_type = Option<u8>, minimum = 1, maximum = 10)]
    effort: Option<String>,
    /// The method: one of the service's methods (by default `five-stage` and `reduction`).
    #[param(example = "reduction")]
    method: Option<String>,
}

/// Query parameters as extracted.
pub(crate) type Extracted = Result<Query<Parameters>, QueryRejection>;

/// A competition with scrambles.
pub(crate) struct Done {
    pub(crate) wcif: FilledWcif,
    /// Number of scrambles whose search the deadline cut short.
    pub(crate) hurried: usize,
    pub(crate) memory: Reservation,
}

/// Makes the scrambles for the competition in a request's body.
pub(crate) async fn fill_competition(
    state: &AppState,
    client: Client,
    parameters: Extracted,
    request: Request,
) -> Result<Done, ApiError> {
    let parameters = query(
        parameters,
        "only, replace, effort, method, each at most once",
    )?;
    let fill_options = FillOptions {
        only: flag("only", parameters.only.as_deref())?,
        replace: flag("replace", parameters.replace.as_deref())?,
    };
    let effort = effort(&state.settings, parameters.effort.as_deref())?;
    let (body, memory) = read_competition(state, client, request).await?;
    let plan = FillPlan::new(Document::from_json(body)?.wcif, fill_options)?;
    let ids = plan.scramble_ids();
    if ids.len() > state.settings.max_stream as usize {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events need {} scrambles; a request may have {}",
            ids.len(),
            state.settings.max_stream
        )));
    }
    let methods = &state.readiness.methods;
    let (_, options) = methods
        .job_options(parameters.method.as_deref(), effort)
        .await?;
    let events = ids.iter().map(|id| id.event);
    let scrambles = ScrambleStream::collect_for(state, client, events, options).await?;
    let hurried = scrambles.iter().filter(|made| made.hurried).count();
    let scrambles = scrambles.iter().map(|made| made.sequence.to_string());
    Ok(Done {
        wcif: plan.fill(scrambles.collect()),
        hurried,
        memory,
    })
}

/// Scrambles for a competition.
///
/// Each round of 444 and 444bf gets `scrambleSetCount` scramble sets. A set has a scramble for each
/// attempt of the round's format and two extra ones, or as many extra ones as TNoodle's extension
/// `ExtraScrambleCount` says. Other events and unknown members are kept. The response is the document
/// that the WCA's programs exchange. Not from the official WCA scramble program.
#[utoipa::path(
    post,
    path = "/v1/wcif",
    operation_id = "wcif",
    tag = "competitions",
    params(Parameters),
    request_body = schema::WcifBody,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The competition with scrambles", body = schema::Interchange),
        (status = 409, description = "The competition has scrambles already", body = Problem,
            content_type = "application/problem+json"),
        (status = 422, description = "The competition is invalid, or takes longer than a request may",
            body = Problem, content_type = "application/problem+json"),
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
        memory,
    } = fill_competition(&state, client, parameters, request).await?;
    let interchange = Interchange::new(wcif, SystemTime::now());
    let disposition = format!("attachment; filename=\"{}\"", interchange.file_name());
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok(document(
        headers,
        hurried,
        interchange.into_pieces(),
        memory,
    ))
}
