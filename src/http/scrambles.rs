//! `GET /v1/scrambles`.

use std::collections::HashSet;
use std::time::Instant;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::AppState;
use super::error::ApiError;
use crate::pool::JobError;
use crate::search::{CancelFlag, Limits};

/// Query parameters, still as text so that errors can say what is allowed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    event: Option<String>,
    count: Option<String>,
}

/// One scramble of an answer.
#[derive(Serialize)]
pub(super) struct Item {
    /// The turns in WCA notation.
    scramble: String,
    /// Their number, in outer block turns.
    moves: usize,
    /// The state they lead to: 96 facelets, faces in the order U R F D L B.
    state: String,
}

/// What made an answer.
#[derive(Serialize)]
pub(super) struct Generator {
    /// Always `scramble444`.
    name: &'static str,
    /// The program's version.
    version: &'static str,
    /// Profile of the tables in use: `compact` or `full`.
    tables: &'static str,
}

/// The answer.
#[derive(Serialize)]
pub(super) struct Answer {
    /// The WCA event.
    event: &'static str,
    /// As many scrambles as were asked for, to pairwise different states.
    scrambles: Vec<Item>,
    /// What made them.
    generator: Generator,
}

/// The one event there is.
const EVENT: &str = "444";

impl Parameters {
    fn count(&self, most: u32) -> Result<u32, ApiError> {
        let Some(text) = &self.count else {
            return Ok(1);
        };
        text.parse()
            .ok()
            .filter(|count| (1..=most).contains(count))
            .ok_or_else(|| {
                ApiError::BadParameter(format!("count must be a whole number from 1 to {most}"))
            })
    }

    fn check_event(&self) -> Result<(), ApiError> {
        match self.event.as_deref() {
            None | Some(EVENT) => Ok(()),
            Some(_) => Err(ApiError::BadParameter(format!("event must be {EVENT}"))),
        }
    }
}

/// Cancels a request's jobs when its client leaves and the handler is dropped.
struct CancelOnDrop(CancelFlag);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

pub(super) async fn get(
    State(state): State<AppState>,
    method: Method,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(parameters) = parameters.map_err(|_| {
        ApiError::BadParameter("the parameters allowed are event and count, each once".to_owned())
    })?;
    parameters.check_event()?;
    let count = parameters.count(state.max_count)?;
    let pool = state.readiness.pool()?;
    if method == Method::HEAD {
        // Nobody would see the scrambles.
        return Ok(StatusCode::OK.into_response());
    }

    let limits = Limits {
        deadline: Some(Instant::now() + state.request_deadline),
        cancel: CancelFlag::default(),
    };
    let _cancel = CancelOnDrop(limits.cancel.clone());
    let jobs = pool
        .submit(count, &limits)
        .map_err(|_| ApiError::Overloaded)?;
    let mut scrambles = Vec::with_capacity(jobs.len());
    let mut states = HashSet::new();
    for job in jobs {
        let result = job.await.unwrap_or(Err(JobError::Failed));
        let scramble = result.map_err(|error| {
            tracing::error!(%error, "a scramble failed");
            ApiError::Internal
        })?;
        if !states.insert(scramble.state.normalized()) {
            // Among 10^45 states this does not happen by chance.
            tracing::error!("two equal random states: the random number generator is broken");
            return Err(ApiError::Internal);
        }
        scrambles.push(Item {
            scramble: scramble.sequence.to_string(),
            moves: scramble.moves(),
            state: scramble.state.facelets(),
        });
    }
    let answer = Answer {
        event: EVENT,
        scrambles,
        generator: Generator {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            tables: pool.generator().tables(),
        },
    };
    Ok(Json(answer).into_response())
}
