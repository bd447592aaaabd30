//! `POST /v1/solve` and `POST /v1/verify`.

use axum::Json;
use axum::extract::{Request, State};
use serde::Deserialize;
use utoipa::ToSchema;

use super::schema;
use crate::http::extract::body::read_object;
use crate::http::jobs::RequestScope;
use crate::http::problem::{ApiError, BodyProblems, Problem, Problems};
use crate::http::state::{AppState, MethodRefused, Settings};
use crate::pool::{Client, Order, TimedSolution};
use crate::scramble::{Given, SolutionReport, Verdict};
use crate::search::EffortLevel;

/// A position: either the turns that lead to it or its state, not both.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    /// Turns of the solved cube: WCA notation, and what else people write, such as `r` for the layer next
    /// to R, `2R` and `2-3Rw` of cubing.js, `M E S`, `R3`, parentheses and comments after `//`. The number of
    /// a line, `1. ` or `1) `, may come first.
    #[schema(example = "Rw U2 F' x")]
    scramble: Option<String>,
    /// 96 facelets, faces in the order U R F D L B, in face letters (U R F D L B) or colour letters
    /// (W R G Y O B), in lower case too, with any white space between them.
    #[schema(min_length = 96)]
    state: Option<String>,
    /// How much work goes into a solution, up to what the service allows (by default 7).
    #[schema(minimum = 1, maximum = 10)]
    effort: Option<u8>,
    /// The method of a solution, one of those that the service has (by default `five-stage` and
    /// `reduction`); its own if none is named.
    #[schema(example = "reduction")]
    method: Option<String>,
}

/// What a body must be like.
const SHAPE: &str = "the body must be {\"scramble\": \"R U …\"} or {\"state\": \"96 facelets\"}, and \
                     may have a whole number \"effort\" and a \"method\"";

/// The position that turns lead to or facelets show, of which one must be given.
pub(crate) fn given(
    turns: Option<&str>,
    facelets: Option<&str>,
) -> Option<Result<Given, ApiError>> {
    let given = match (turns, facelets) {
        (Some(turns), None) => Given::by_turns(turns),
        (None, Some(facelets)) => Given::by_facelets(facelets),
        _ => return None,
    };
    Some(given.map_err(ApiError::from))
}

impl Position {
    async fn read(request: Request) -> Result<Position, ApiError> {
        if request.uri().query().is_some_and(|query| !query.is_empty()) {
            let text = "there are no parameters; the body says all".to_owned();
            return Err(ApiError::BadParameter(text));
        }
        read_object(request, SHAPE).await
    }

    fn given(&self) -> Result<Given, ApiError> {
        let given = given(self.scramble.as_deref(), self.state.as_deref());
        given.unwrap_or_else(|| {
            let text = "give either \"scramble\" or \"state\"".to_owned();
            Err(ApiError::BadBody(text))
        })
    }

    fn order(&self, state: &AppState, effort: EffortLevel) -> Result<Order, ApiError> {
        let order = state
            .readiness
            .methods
            .order(self.method.as_deref(), effort);
        order.map(|(_, order)| order).map_err(|error| match error {
            MethodRefused::Unknown(_) => ApiError::BadBody(error.to_string()),
            error => error.into(),
        })
    }

    fn effort(&self, settings: &Settings) -> Result<EffortLevel, ApiError> {
        settings
            .effort_of(self.effort.map(EffortLevel::new))
            .map_err(|error| ApiError::BadBody(error.to_string()))
    }
}

/// A solution of a position.
///
/// With the moves of each of the method's stages, and the outer turns that end it.
#[utoipa::path(
    post,
    path = "/v1/solve",
    operation_id = "solve",
    tag = "positions",
    request_body = Position,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "a solution", body = schema::SolutionReport),
        (status = 422, description = "no such position", body = Problem,
            content_type = "application/problem+json"),
        BodyProblems,
        Problems,
    ),
)]
pub(crate) async fn solve(
    State(state): State<AppState>,
    client: Client,
    request: Request,
) -> Result<Json<SolutionReport>, ApiError> {
    let position = Position::read(request).await?;
    let (given, effort) = (position.given()?, position.effort(&state.settings)?);
    let scope = RequestScope::new(&state)?;
    let order = position.order(&state, effort)?.for_client(client);
    let (limits, deadline) = scope.limits();
    let reply = scope.working.pool().solve(given.cube, order, &limits)?;
    let TimedSolution { solved, took } = scope.answer(reply, deadline).await?;
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
        (status = 422, description = "no such position", body = Problem,
            content_type = "application/problem+json"),
        BodyProblems,
        Problems,
    ),
)]
pub(crate) async fn verify(
    State(state): State<AppState>,
    request: Request,
) -> Result<Json<Verdict>, ApiError> {
    let position = Position::read(request).await?;
    let effort = position.effort(&state.settings)?;
    // Solving it may have to wait for the method, a verdict need not.
    if let Err(error @ ApiError::BadBody(_)) = position.order(&state, effort) {
        return Err(error);
    }
    Ok(Json(position.given()?.verdict()))
}
