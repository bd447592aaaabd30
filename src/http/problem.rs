//! Errors as problem documents (RFC 9457).

use std::any::Any;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use cube444::cube::FaceletError;
use cube444::scramble::PositionError;
use cube444_competition::WcifError;
use serde::Serialize;

use super::state::{MemoryExhausted, Progress, Unavailable};
use crate::pool::QueueFull;

/// An error response.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum ApiError {
    /// No route has this path.
    #[error("no such path; / lists the routes")]
    NotFound,
    /// A part of the path names something that does not exist.
    #[error("{0}")]
    Unknown(String),
    /// The request has no `Host` header, several, or an invalid one.
    #[error("an HTTP/1.1 request needs one Host header with a host and an optional port")]
    BadHost,
    /// The route does not support this HTTP method.
    #[error("this path does not support this method; see the Allow header")]
    MethodNotAllowed,
    /// The client accepts none of the available media types.
    #[error("available types: application/json, text/plain, application/x-ndjson; see Accept")]
    NotAcceptable,
    /// A query parameter is unknown or out of range.
    #[error("{0}")]
    BadParameter(String),
    /// The body does not have the expected form.
    #[error("{0}")]
    BadBody(String),
    /// The body is too large.
    #[error("the body may have at most {max} bytes{advice}")]
    TooLarge {
        /// The limit in bytes.
        max: usize,
        /// An alternative for the client, or nothing.
        advice: &'static str,
    },
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    SlowBody,
    /// The headers do not say that the body is JSON.
    #[error(
        "the body must be JSON, with Content-Type: application/json and without Content-Encoding"
    )]
    UnsupportedMediaType,
    /// The turns or facelets are not a position of the cube.
    #[error(transparent)]
    BadPosition(#[from] PositionError),
    /// The competition contradicts itself, or exceeds a limit.
    #[error("{0}")]
    BadCompetition(String),
    /// The scrambles cannot be made by the deadline.
    #[error("{0}")]
    TooMuchWork(String),
    /// The token is missing or invalid.
    #[error("a valid token is required: Authorization: Bearer …")]
    Unauthorized,
    /// There is no engine for the request.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The queue is full.
    #[error("too many requests are waiting; try again after the time in Retry-After")]
    Overloaded {
        /// Estimated time until the queue has room.
        retry_after: Duration,
    },
    /// The client's share of the queue is full.
    #[error(
        "this client has the maximum number of scrambles and solutions in progress; try again after \
         the time in Retry-After"
    )]
    TooManyRequests {
        /// Estimated time until the client's share has room.
        retry_after: Duration,
    },
    /// The connection exceeds the limit.
    #[error("too many connections are open; try again after the time in Retry-After")]
    AtCapacity,
    /// The memory for competition files and sheets is exhausted.
    #[error(
        "too many competitions and sheets are in progress; try again after the time in Retry-After"
    )]
    MemoryExhausted,
    /// The response was not ready in time.
    #[error("the response was not ready in time; try again with less effort or a smaller count")]
    TimedOut,
    /// A defect of the service. Its cause is only logged.
    #[error("the service failed; the error has been logged")]
    Internal,
}

impl From<WcifError> for ApiError {
    fn from(error: WcifError) -> ApiError {
        let text = error.to_string();
        match error {
            WcifError::NotJson(_) | WcifError::Shape { .. } => ApiError::BadBody(text),
            WcifError::Invalid { .. } => ApiError::BadCompetition(text),
            // The first one determines the kind; the text has all.
            WcifError::Several { errors, .. } => {
                match errors.into_iter().next().map(ApiError::from) {
                    Some(ApiError::BadBody(_)) => ApiError::BadBody(text),
                    _ => ApiError::BadCompetition(text),
                }
            }
        }
    }
}

impl From<QueueFull> for ApiError {
    fn from(full: QueueFull) -> ApiError {
        match full {
            QueueFull::Pool { retry_after } => ApiError::Overloaded { retry_after },
            QueueFull::Client { retry_after } => ApiError::TooManyRequests { retry_after },
        }
    }
}

impl From<MemoryExhausted> for ApiError {
    fn from(_: MemoryExhausted) -> ApiError {
        ApiError::MemoryExhausted
    }
}

/// A problem document (RFC 9457).
#[derive(Serialize)]
pub(super) struct Problem {
    /// The kind of error: `urn:scramble444:problem:` and a word. Stable.
    #[serde(rename = "type")]
    kind: String,
    /// The kind of error in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// The error in this case, and the allowed values.
    detail: String,
    /// Progress of the start, if the service or the method is starting.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
    /// The flaw of impossible facelets.
    #[serde(skip_serializing_if = "Option::is_none")]
    flaw: Option<Flaw>,
    /// Same as `detail`, under the name that clients of TNoodle expect.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Why facelets are impossible, for programs.
#[derive(Serialize)]
struct Flaw {
    /// `length` or `letter`: they cannot be read; `center-count`: a colour is not on 4 centers;
    /// `no-such-piece`: no piece has these stickers; `mirrored-corner`: a corner's stickers in reversed
    /// order; `duplicate`: a piece occurs twice; `flipped-wing`: one wing of an edge occurs twice and the
    /// other is missing; `twist`: the sum of the corners' twists is impossible. More kinds may be added.
    kind: &'static str,
    /// The places with wrong stickers.
    places: Vec<FlawedPlace>,
}

/// A place with wrong stickers.
#[derive(Serialize)]
struct FlawedPlace {
    /// Its faces, such as `URF`; of the two wings of an edge, `UFr` is the one next to R.
    place: String,
    /// The indices of its facelets, 0 to 95.
    facelets: Vec<usize>,
}

impl Flaw {
    fn of(error: &FaceletError) -> Flaw {
        let places = error.places().into_iter();
        let flawed = places.map(|(place, facelets)| FlawedPlace {
            place: place.to_string(),
            facelets,
        });
        Flaw {
            kind: error.kind(),
            places: flawed.collect(),
        }
    }
}

impl Problem {
    /// Adds the member `error`.
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
    /// The HTTP status, the word in the problem's type, and its title.
    fn classification(&self) -> (StatusCode, &'static str, &'static str) {
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
            ApiError::BadParameter(_) | ApiError::Unavailable(Unavailable::Unknown(_)) => {
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
            ApiError::TooMuchWork(_) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "too-much-work",
                "Too much work",
            ),
            ApiError::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized", "Unauthorized"),
            ApiError::Unavailable(
                Unavailable::Starting(_) | Unavailable::MethodStarting { .. },
            ) => (StatusCode::SERVICE_UNAVAILABLE, "starting", "Starting"),
            ApiError::Unavailable(Unavailable::Failed(_)) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "method-failed",
                "Method not available",
            ),
            ApiError::Unavailable(Unavailable::Draining) => {
                (StatusCode::SERVICE_UNAVAILABLE, "draining", "Shutting down")
            }
            ApiError::Overloaded { .. } | ApiError::AtCapacity | ApiError::MemoryExhausted => {
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

    /// The word in the problem's type. Stable.
    pub(super) fn kind(&self) -> &'static str {
        self.classification().1
    }

    /// When a client should try again.
    fn retry_after(&self) -> Option<Duration> {
        match self {
            ApiError::Overloaded { retry_after } | ApiError::TooManyRequests { retry_after } => {
                Some(*retry_after)
            }
            ApiError::MemoryExhausted => Some(Duration::from_secs(10)),
            ApiError::Unavailable(Unavailable::Unknown(_)) => None,
            // This replica will not have the method until it is restarted, but another one may.
            ApiError::Unavailable(Unavailable::Failed(_)) => Some(Duration::from_secs(60)),
            ApiError::Unavailable(_) | ApiError::AtCapacity => Some(Duration::from_secs(1)),
            _ => None,
        }
    }

    /// The problem document.
    pub(super) fn problem(&self) -> Problem {
        let (status, kind, title) = self.classification();
        Problem {
            kind: format!("urn:scramble444:problem:{kind}"),
            title,
            status: status.as_u16(),
            detail: self.to_string(),
            progress: match self {
                ApiError::Unavailable(
                    Unavailable::Starting(progress) | Unavailable::MethodStarting { progress, .. },
                ) => Some(progress.clone()),
                _ => None,
            },
            flaw: match self {
                ApiError::BadPosition(PositionError::Facelets { error, .. }) => {
                    Some(Flaw::of(error))
                }
                _ => None,
            },
            error: None,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response<Body> {
        let (status, ..) = self.classification();
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
        if [
            ApiError::Unavailable(Unavailable::Draining),
            ApiError::AtCapacity,
        ]
        .contains(&self)
        {
            // On a kept connection the client would stay with a replica that does not serve it.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Whole seconds, rounded up, from 1 to 60: estimates beyond a minute are unreliable.
fn whole_seconds(after: Duration) -> u32 {
    after.as_secs_f64().ceil().clamp(1.0, 60.0) as u32
}

/// The response if a handler panics. The panic's message is not repeated, as it may hold secrets.
pub(super) fn from_panic(_: Box<dyn Any + Send>) -> Response<Body> {
    tracing::error!("a request handler panicked");
    ApiError::Internal.into_response()
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
