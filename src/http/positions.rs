//! `POST /v1/solve` and `POST /v1/verify`.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, JsonRejection};
use axum::extract::{FromRequest, Request, State};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::answer::answer;
use super::problem::{ApiError, BodyProblems, Problems};
use super::schema;
use super::state::{AppState, Client, Settings};
use crate::pool::TimedSolution;
use crate::scramble::{Given, SolutionReport, Verdict};
use crate::stage::EffortLevel;

/// A position: either the turns that lead to it or its state, not both.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Position {
    /// Turns of the solved cube: WCA notation, and lower-case letters for single inner slices.
    #[schema(example = "Rw U2 F' x")]
    scramble: Option<String>,
    /// 96 facelets, faces in the order U R F D L B, in face letters (U R F D L B) or colour letters
    /// (W R G Y O B).
    #[schema(min_length = 96, max_length = 96)]
    state: Option<String>,
    /// How much work goes into a solution, up to what the service allows (by default 7).
    #[schema(minimum = 1, maximum = 10)]
    effort: Option<u8>,
}

/// The most bytes of a request's body.
pub(super) const MOST_BODY: usize = 16 * 1024;

/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads the position that a request's body gives.
async fn read(request: Request) -> Result<Position, ApiError> {
    let shape = || {
        ApiError::BadBody(
            "the body must be {\"scramble\": \"R U …\"} or {\"state\": \"96 facelets\"}, and may \
             have a whole number \"effort\""
                .to_owned(),
        )
    };
    let body = Json::<Map<String, Value>>::from_request(request, &());
    let body = tokio::time::timeout(BODY_TIMEOUT, body).await;
    match body.map_err(|_| ApiError::SlowBody)? {
        Ok(Json(fields)) => serde_json::from_value(Value::Object(fields)).map_err(|_| shape()),
        Err(JsonRejection::MissingJsonContentType(_)) => Err(ApiError::UnsupportedMediaType),
        Err(JsonRejection::BytesRejection(BytesRejection::FailedToBufferBody(
            FailedToBufferBody::LengthLimitError(_),
        ))) => Err(ApiError::TooLarge { most: MOST_BODY }),
        Err(_) => Err(shape()),
    }
}

impl Position {
    fn given(&self) -> Result<Given, ApiError> {
        let given = match (&self.scramble, &self.state) {
            (Some(turns), None) => Given::by_turns(turns),
            (None, Some(facelets)) => Given::by_facelets(facelets),
            _ => {
                let text = "give either \"scramble\" or \"state\"".to_owned();
                return Err(ApiError::BadBody(text));
            }
        };
        given.map_err(|error| ApiError::BadPosition(error.to_string()))
    }

    fn effort(&self, settings: &Settings) -> Result<EffortLevel, ApiError> {
        settings
            .effort_of(self.effort.map(EffortLevel::new))
            .map_err(|error| ApiError::BadBody(error.to_string()))
    }
}

/// A solution of a position.
///
/// With the moves of each of the five stages, and the outer turns that end it.
#[utoipa::path(
    post,
    path = "/v1/solve",
    operation_id = "solve",
    tag = "positions",
    request_body = Position,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "a solution", body = schema::SolutionReport),
        BodyProblems,
        Problems,
    ),
)]
pub(super) async fn solve(
    State(state): State<AppState>,
    request: Request,
) -> Result<Json<SolutionReport>, ApiError> {
    let position = read(request).await?;
    let (given, effort) = (position.given()?, position.effort(&state.settings)?);
    let working = state.readiness.working()?;
    let (client, deadline) = (Client::default(), state.deadline());
    let limits = client.limits(deadline);
    let reply = working.pool().solve(given.cube, effort, &limits)?;
    let TimedSolution { solved, took } = answer(reply, deadline).await?;
    Ok(Json(SolutionReport::new(&given.cube, &solved, took)))
}

/// What can be said of a position without solving it.
///
/// Its state, whether it is far enough from solved for WCA regulation 4b3, and, of turns, their
/// length and whether they are in WCA notation.
#[utoipa::path(
    post,
    path = "/v1/verify",
    operation_id = "verify",
    tag = "positions",
    request_body = Position,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "a verdict", body = schema::Verdict),
        BodyProblems,
        Problems,
    ),
)]
pub(super) async fn verify(
    State(state): State<AppState>,
    request: Request,
) -> Result<Json<Verdict>, ApiError> {
    let position = read(request).await?;
    position.effort(&state.settings)?;
    Ok(Json(position.given()?.verdict()))
}
