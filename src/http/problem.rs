//! Errors as problem documents (RFC 9457).

use std::any::Any;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

use super::state::{MethodRefused, NoShare, NotReady, Progress};
use crate::competition::WcifError;
use crate::cube::FaceletError;
use crate::pool::QueueFull;
use crate::scramble::GivenError;

/// An error that a client meets.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum ApiError {
    /// No such path.
    #[error("there is nothing at this path; see / for what there is")]
    NotFound,
    /// No such thing as the path names.
    #[error("{0}")]
    Unknown(String),
    /// The request names no host, several, or a malformed one.
    #[error("a request of HTTP/1.1 must have the header Host once, with a host and perhaps a port")]
    BadHost,
    /// The path does not take this method.
    #[error("this path does not take this method; see the Allow header")]
    MethodNotAllowed,
    /// None of the media types that the client accepts can be had.
    #[error("this can be had as application/json, text/plain or application/x-ndjson; see Accept")]
    NotAcceptable,
    /// A query parameter is unknown or out of range.
    #[error("{0}")]
    BadParameter(String),
    /// The body is not what is expected.
    #[error("{0}")]
    BadBody(String),
    /// The body is larger than allowed.
    #[error("the body may have at most {most} bytes{advice}")]
    TooLarge {
        /// The most bytes.
        most: usize,
        /// What else can be done.
        advice: &'static str,
    },
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    SlowBody,
    /// The body is not said to be JSON.
    #[error(
        "the body must be JSON, with Content-Type: application/json and without Content-Encoding"
    )]
    UnsupportedMediaType,
    /// The body gives no position of the cube.
    #[error(transparent)]
    BadPosition(#[from] GivenError),
    /// The body describes no competition that there can be, or none that this can be done for.
    #[error("{0}")]
    BadCompetition(String),
    /// A competition has scrambles, which are not to be replaced.
    #[error("{0} (replace=1)")]
    HasScrambles(String),
    /// So many scrambles cannot be made by the deadline.
    #[error("{0}")]
    TooMuchWork(String),
    /// The token is missing or wrong.
    #[error("a valid token is needed: Authorization: Bearer …")]
    Unauthorized,
    /// The service is starting or shutting down.
    #[error(transparent)]
    NotReady(#[from] NotReady),
    /// The method that is named cannot be had, or not yet.
    #[error(transparent)]
    Method(#[from] MethodRefused),
    /// The queue is full.
    #[error("too many requests are waiting; try again when Retry-After says")]
    Overloaded {
        /// By then there should be room.
        retry_after: Duration,
    },
    /// The client has too much under way.
    #[error(
        "this client has as many scrambles and solutions under way as it may have; try again when \
         Retry-After says"
    )]
    TooManyRequests {
        /// By then there should be room.
        retry_after: Duration,
    },
    /// There are as many connections as there may be.
    #[error("too many connections are open; try again when Retry-After says")]
    AtCapacity,
    /// Other documents take the memory.
    #[error("too many competitions and sheets are under way; try again when Retry-After says")]
    NoShare,
    /// The answer was not ready in time.
    #[error("the answer was not ready in time; try again, with less effort or a smaller count")]
    TimedOut,
    /// A defect. What it is goes to the log only.
    #[error("the service failed; the error has been logged")]
    Internal,
}

impl From<WcifError> for ApiError {
    fn from(error: WcifError) -> ApiError {
        let text = error.to_string();
        match error {
            WcifError::NotJson(_) | WcifError::Shape { .. } => ApiError::BadBody(text),
            WcifError::Impossible { .. } => ApiError::BadCompetition(text),
            WcifError::HasScrambles { .. } => ApiError::HasScrambles(text),
            // The first of them decides, and all are told.
            WcifError::Several(errors) => match errors.into_iter().next().map(ApiError::from) {
                Some(ApiError::BadBody(_)) => ApiError::BadBody(text),
                _ => ApiError::BadCompetition(text),
            },
        }
    }
}

impl From<QueueFull> for ApiError {
    fn from(full: QueueFull) -> ApiError {
        match full {
            QueueFull::OfAll { retry_after } => ApiError::Overloaded { retry_after },
            QueueFull::OfClient { retry_after } => ApiError::TooManyRequests { retry_after },
        }
    }
}

impl From<NoShare> for ApiError {
    fn from(_: NoShare) -> ApiError {
        ApiError::NoShare
    }
}

/// A problem document (RFC 9457).
#[derive(Serialize, ToSchema)]
pub(super) struct Problem {
    /// What is wrong, for programs: `urn:scramble444:problem:` and a word that does not change.
    #[serde(rename = "type")]
    kind: String,
    /// What is wrong, for people.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What is wrong in this case, and what is allowed.
    detail: String,
    /// How far the start is, if the service or the method is starting.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
    /// What is wrong with facelets, if they show no position.
    #[serde(skip_serializing_if = "Option::is_none")]
    flaw: Option<Flaw>,
    /// As `detail`, where clients of TNoodle look for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Why facelets show no position that turns lead to, for programs.
#[derive(Serialize, ToSchema)]
struct Flaw {
    /// `length` or `letter`: they cannot be read; `center-count`: a colour is not on 4 centers;
    /// `no-such-piece`: no piece has these stickers; `mirrored-corner`: a corner's stickers in reversed
    /// order; `duplicate`: a piece is there twice; `flipped-wing`: a wing is there twice and the other one
    /// of its edge nowhere; `twist`: the corners' twists do not add up. There may be more kinds some day.
    kind: &'static str,
    /// The places whose stickers do not fit.
    places: Vec<FlawedPlace>,
}

/// A place whose stickers do not fit.
#[derive(Serialize, ToSchema)]
struct FlawedPlace {
    /// Its faces, such as `URF`; of the two wings of an edge, `UFr` is the one next to R.
    place: String,
    /// Its facelets: their indices, 0 to 95.
    facelets: Vec<usize>,
}

impl Flaw {
    fn of(error: &FaceletError) -> Flaw {
        let places = error.places().into_iter();
        let flawed = places.map(|(place, facelets)| FlawedPlace {
            place: place.to_owned(),
            facelets,
        });
        Flaw {
            kind: error.kind(),
            places: flawed.collect(),
        }
    }
}

impl Problem {
    /// The same with the member `error`.
    pub(super) fn with_error(self) -> Problem {
        Problem {
            error: Some(self.detail.clone()),
            ..self
        }
    }

    /// The document as text.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("text and numbers can be written as JSON")
    }
}

impl ApiError {
    /// The HTTP status, the last part of the problem's type, and its title.
    fn facts(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            ApiError::NotFound | ApiError::Unknown(_) => {
                (StatusCode::NOT_FOUND, "not-found", "Not found")
            }
            ApiError::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "method-not-allowed",
                "Method not allowed",
            ),
            ApiError::NotAcceptable => (
                StatusCode::NOT_ACCEPTABLE,
                "not-acceptable",
                "Not acceptable",
            ),
            ApiError::BadParameter(_) | ApiError::Method(MethodRefused::Unknown(_)) => {
                (StatusCode::BAD_REQUEST, "bad-parameter", "Bad parameter")
            }
            ApiError::BadHost => (StatusCode::BAD_REQUEST, "bad-host", "Bad host"),
            ApiError::BadBody(_) => (StatusCode::BAD_REQUEST, "bad-body", "Bad body"),
            ApiError::TooLarge { .. } => {
                (StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Body too large")
            }
            ApiError::SlowBody => (StatusCode::REQUEST_TIMEOUT, "slow-body", "Slow body"),
            ApiError::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported-media-type",
                "Unsupported media type",
            ),
            ApiError::BadPosition(_) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "bad-position",
                "Bad position",
            ),
            ApiError::BadCompetition(_) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "bad-competition",
                "Bad competition",
            ),
            ApiError::HasScrambles(_) => (
                StatusCode::CONFLICT,
                "has-scrambles",
                "Has scrambles already",
            ),
            ApiError::TooMuchWork(_) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "too-much-work",
                "Too much work",
            ),
            ApiError::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized", "Unauthorized"),
            ApiError::NotReady(NotReady::Starting(_))
            | ApiError::Method(MethodRefused::Starting { .. }) => {
                (StatusCode::SERVICE_UNAVAILABLE, "starting", "Starting")
            }
            ApiError::Method(MethodRefused::Failed(_)) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "method-failed",
                "Method not available",
            ),
            ApiError::NotReady(NotReady::Draining) => {
                (StatusCode::SERVICE_UNAVAILABLE, "draining", "Shutting down")
            }
            ApiError::Overloaded { .. } | ApiError::AtCapacity | ApiError::NoShare => {
                (StatusCode::SERVICE_UNAVAILABLE, "overloaded", "Overloaded")
            }
            ApiError::TooManyRequests { .. } => (
                StatusCode::TOO_MANY_REQUESTS,
                "too-many-requests",
                "Too many requests",
            ),
            ApiError::TimedOut => (StatusCode::GATEWAY_TIMEOUT, "timed-out", "Timed out"),
            ApiError::Internal => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "Internal error",
            ),
        }
    }

    /// The last part of the problem's type URI, stable for programs to test.
    pub(super) fn kind(&self) -> &'static str {
        self.facts().1
    }

    /// After how long it is worth trying again.
    fn retry_after(&self) -> Option<Duration> {
        match self {
            ApiError::Overloaded { retry_after } | ApiError::TooManyRequests { retry_after } => {
                Some(*retry_after)
            }
            ApiError::NotReady(_)
            | ApiError::AtCapacity
            | ApiError::Method(MethodRefused::Starting { .. }) => Some(Duration::from_secs(1)),
            ApiError::NoShare => Some(Duration::from_secs(10)),
            // Another replica may have it; this one will not before it is started anew.
            ApiError::Method(MethodRefused::Failed(_)) => Some(Duration::from_secs(60)),
            _ => None,
        }
    }

    /// The problem document.
    pub(super) fn problem(&self) -> Problem {
        let (status, kind, title) = self.facts();
        Problem {
            kind: format!("urn:scramble444:problem:{kind}"),
            title,
            status: status.as_u16(),
            detail: self.to_string(),
            progress: match self {
                ApiError::NotReady(NotReady::Starting(progress))
                | ApiError::Method(MethodRefused::Starting { progress, .. }) => {
                    Some(progress.clone())
                }
                _ => None,
            },
            flaw: match self {
                ApiError::BadPosition(GivenError::Facelets(error)) => Some(Flaw::of(error)),
                _ => None,
            },
            error: None,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response<Body> {
        let (status, ..) = self.facts();
        let mut response = (status, self.problem().to_json()).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(after) = self.retry_after() {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(after)));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"scramble444\""),
            );
        }
        if [ApiError::NotReady(NotReady::Draining), ApiError::AtCapacity].contains(&self) {
            // A client that keeps its connection would stay with a replica that does not serve it.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Whole seconds, rounded up; more than a minute is not worth believing.
fn whole_seconds(after: Duration) -> u32 {
    after.as_secs_f64().ceil().clamp(1.0, 60.0) as u32
}

/// Answers a request whose handler panicked, without repeating what the panic said.
pub(super) fn from_panic(_: Box<dyn Any + Send>) -> Response<Body> {
    tracing::error!("a request handler panicked");
    ApiError::Internal.into_response()
}

/// Problems that any request for scrambles or about positions may meet.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "describes what ApiError is at run time")]
pub(super) enum Problems {
    /// A token is needed.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(Problem),
    /// The client has too much under way; Retry-After says when to try again.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(Problem),
    /// A defect.
    #[response(status = 500, content_type = "application/problem+json")]
    Internal(Problem),
    /// Starting, overloaded or shutting down; Retry-After says when to try again.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
    /// Not ready in time.
    #[response(status = 504, content_type = "application/problem+json")]
    TimedOut(Problem),
}

/// Problems that a request with a body may meet.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "describes what ApiError is at run time")]
pub(super) enum BodyProblems {
    /// A bad body.
    #[response(status = 400, content_type = "application/problem+json")]
    Bad(Problem),
    /// The body did not arrive in time.
    #[response(status = 408, content_type = "application/problem+json")]
    Slow(Problem),
    /// The body is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// The body is not JSON.
    #[response(status = 415, content_type = "application/problem+json")]
    NotJson(Problem),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_from_a_second_to_a_minute() {
        for (millis, seconds) in [(0, 1), (200, 1), (1_000, 1), (1_500, 2), (1_000_000, 60)] {
            assert_eq!(
                whole_seconds(Duration::from_millis(millis)),
                seconds,
                "{millis}"
            );
        }
    }
}
