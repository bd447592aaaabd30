//! Errors as problem documents (RFC 9457).

use std::any::Any;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use cube444::scramble::{Flaw, PositionError};
use cube444_competition::WcifError;
use html_escape::encode_text;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::line::Overloaded;
use super::state::{Progress, Unavailable};

/// A result whose error is a response.
pub(crate) type Result<T, E = ApiError> = std::result::Result<T, E>;

/// An error response.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ApiError {
    /// No route has this path.
    #[error("no such path; / lists the routes")]
    NotFound,
    /// A part of the path names something that does not exist.
    #[error("{0}")]
    Unknown(String),
    /// The request has no `Host` header, several, or an invalid one.
    #[error("an HTTP/1.1 request needs one Host header with a host and an optional port")]
    BadHost,
    /// The head of the request is malformed.
    #[error("the head of the request is not HTTP/1.1, or malformed")]
    BadHead,
    /// The head of the request is too large.
    #[error(
        "the head of the request may have 16 KiB and 100 fields; if cookies of other programs on this host fill it, \
         delete them, or use 127.0.0.1 instead of localhost"
    )]
    LargeHead,
    /// The route does not support this HTTP method.
    #[error("this path does not support this method; see the Allow header")]
    MethodNotAllowed,
    /// The client accepts none of the available media types.
    #[error("available types: {0}; see Accept")]
    NotAcceptable(&'static str),
    /// The `Host` header names neither this machine nor an allowed host.
    #[error(
        "Host must be localhost, an IP address, a name without a dot or in .localhost, .local, .internal or .home.arpa, an \
         --allowed-host or the host of a --cors-origin; if a proxy passes on another name, the service needs \
         --trusted-proxy with its address"
    )]
    ForeignHost,
    /// A page of another site sent the request.
    #[error(
        "pages of other sites may only send this if the service has their origin as --cors-origin"
    )]
    ForeignSite,
    /// A header that may occur once is repeated.
    #[error("the header {0} may occur only once")]
    RepeatedHeader(HeaderName),
    /// The body is encoded in another way than in chunks.
    #[error("the only transfer coding is chunked")]
    UnknownTransferCoding,
    /// A query parameter is unknown or repeated: which of them, its name, and the parameters of the route.
    #[error("{0} parameter {1:?}; allowed: {names}", names = if .2.is_empty() { "none".to_owned() } else { .2.join(", ") })]
    UnexpectedParameter(&'static str, String, Vec<&'static str>),
    /// A query parameter has an invalid value: its name, if it is a single one, and the error.
    #[error("{1}")]
    BadParameter(Option<String>, String),
    /// The body does not have the expected form.
    #[error("{0}")]
    BadBody(String),
    /// A member of the body is unknown, repeated or invalid: its name, and the error.
    #[error("{1}")]
    BadMember(String, String),
    /// The body is larger than this limit in bytes. The text is an alternative for the client, or nothing.
    #[error("the body may have at most {0} bytes{1}")]
    TooLarge(usize, &'static str),
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    SlowBody,
    /// The headers do not say that the body is JSON.
    #[error(
        "the body must be JSON in UTF-8, with Content-Type: application/json and without Content-Encoding"
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
    /// There is no room for the request.
    #[error("{0}; try again after the time in Retry-After")]
    Overloaded(#[from] Overloaded),
    /// The connection exceeds the limit.
    #[error("too many connections are open; try again after the time in Retry-After")]
    AtCapacity,
    /// The response was not ready in time.
    #[error("the response was not ready in time; try again with less effort or fewer scrambles")]
    TimedOut,
    /// A defect of the service. Its cause is only logged.
    #[error("the service failed; the error has been logged")]
    Internal,
}

/// A kind of error.
#[derive(Clone, Copy)]
pub(crate) struct ProblemKind {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The word in the problem's type. Stable.
    pub(crate) word: &'static str,
    /// The problem's title.
    title: &'static str,
    /// What it means, for the description of routes.
    pub(crate) meaning: &'static str,
}

macro_rules! kinds {
    ($($name:ident: $status:literal $word:literal $title:literal, $meaning:literal;)+) => {$(
        pub(crate) const $name: ProblemKind = ProblemKind { status: $status, word: $word, title: $title, meaning: $meaning };
    )+};
}

kinds! {
    BAD_PARAMETER: 400 "bad-parameter" "Bad parameter", "A parameter is invalid, unknown or repeated.";
    BAD_HEADER: 400 "bad-header" "Bad header", "A header is repeated.";
    BAD_HEAD: 400 "bad-head" "Bad head", "The head of the request is malformed.";
    BAD_HOST: 400 "bad-host" "Bad host", "There is no valid `Host`.";
    BAD_BODY: 400 "bad-body" "Bad body", "The body is invalid.";
    UNAUTHORIZED: 401 "unauthorized" "Unauthorized", "A valid token is required.";
    FOREIGN_SITE: 403 "foreign-site" "Foreign site",
        "The service and the browser are on one machine, and a page of another site sent the request.";
    NOT_FOUND: 404 "not-found" "Not found", "The path, or something that it names, does not exist.";
    METHOD_NOT_ALLOWED: 405 "method-not-allowed" "Method not allowed", "The path has other methods.";
    NOT_ACCEPTABLE: 406 "not-acceptable" "Not acceptable", "The media type is not available.";
    SLOW_BODY: 408 "slow-body" "Slow body", "The body did not arrive in time.";
    TOO_LARGE: 413 "too-large" "Body too large", "The body is too large.";
    UNSUPPORTED_MEDIA_TYPE: 415 "unsupported-media-type" "Unsupported media type", "The body is not JSON.";
    FOREIGN_HOST: 421 "foreign-host" "Foreign host",
        "The service serves this machine or allowed hosts only, and `Host` names another one.";
    LARGE_HEAD: 431 "large-head" "Head too large", "The head of the request is too large.";
    BAD_POSITION: 422 "bad-position" "Bad position", "The position is impossible.";
    BAD_COMPETITION: 422 "bad-competition" "Bad competition",
        "The competition contradicts itself, exceeds a limit, or has no scrambles to print.";
    TOO_MUCH_WORK: 422 "too-much-work" "Too much work", "The scrambles take longer than a request may.";
    TOO_MANY_REQUESTS: 429 "too-many-requests" "Too many requests",
        "The client has the maximum number of jobs in progress.";
    INTERNAL: 500 "internal" "Internal error", "The service failed.";
    NOT_IMPLEMENTED: 501 "not-implemented" "Not implemented", "The transfer coding is not `chunked`.";
    STARTING: 503 "starting" "Starting", "The service or the method is starting.";
    DRAINING: 503 "draining" "Shutting down", "The service is shutting down.";
    OVERLOADED: 503 "overloaded" "Overloaded", "The service has too much to do.";
    METHOD_FAILED: 503 "method-failed" "Method not available", "The method could not be prepared.";
    TIMED_OUT: 504 "timed-out" "Timed out", "The response was not ready in time.";
}

/// A problem document (RFC 9457).
#[derive(Default, derive_more::Display, JsonSchema, Serialize)]
#[display("{}", json!(self))]
pub(crate) struct Problem {
    /// The kind of error: `urn:scramble444:problem:` and a word. Stable.
    r#type: String,
    /// The kind of error in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// The error in this case, and the allowed values.
    pub(crate) detail: String,
    /// Progress of the start, if the service or the method is starting.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
    /// The parameters that the route takes, if one is unknown or repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<Vec<&'static str>>,
    /// The parameter, or the member of the body, that is invalid, unknown or repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<String>,
    /// The flaw of impossible facelets.
    #[serde(skip_serializing_if = "Option::is_none")]
    flaw: Option<Flaw>,
    /// Same as `detail`, under the name that clients of TNoodle expect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl From<WcifError> for ApiError {
    fn from(error: WcifError) -> ApiError {
        let kind = if error.is_malformed() {
            ApiError::BadBody
        } else {
            ApiError::BadCompetition
        };
        kind(error.to_string())
    }
}

impl ApiError {
    /// The kind of error.
    fn classification(&self) -> ProblemKind {
        match self {
            Self::NotFound | Self::Unknown(_) => NOT_FOUND,
            Self::MethodNotAllowed => METHOD_NOT_ALLOWED,
            Self::NotAcceptable(_) => NOT_ACCEPTABLE,
            Self::BadParameter(..) | Self::UnexpectedParameter(..) => BAD_PARAMETER,
            Self::RepeatedHeader(_) => BAD_HEADER,
            Self::UnknownTransferCoding => NOT_IMPLEMENTED,
            Self::ForeignHost => FOREIGN_HOST,
            Self::ForeignSite => FOREIGN_SITE,
            Self::BadHost => BAD_HOST,
            Self::BadHead => BAD_HEAD,
            Self::LargeHead => LARGE_HEAD,
            Self::BadBody(_) | Self::BadMember(..) => BAD_BODY,
            Self::TooLarge(..) => TOO_LARGE,
            Self::SlowBody => SLOW_BODY,
            Self::UnsupportedMediaType => UNSUPPORTED_MEDIA_TYPE,
            Self::BadPosition(_) => BAD_POSITION,
            Self::BadCompetition(_) => BAD_COMPETITION,
            Self::TooMuchWork(_) => TOO_MUCH_WORK,
            Self::Unauthorized => UNAUTHORIZED,
            Self::Unavailable(unavailable) => match unavailable {
                Unavailable::Unknown(_) => BAD_PARAMETER,
                Unavailable::Starting { .. } => STARTING,
                Unavailable::Failed(_) => METHOD_FAILED,
                Unavailable::Draining => DRAINING,
            },
            Self::Overloaded(Overloaded::Client(_)) => TOO_MANY_REQUESTS,
            Self::Overloaded(_) | Self::AtCapacity => OVERLOADED,
            Self::TimedOut => TIMED_OUT,
            Self::Internal => INTERNAL,
        }
    }

    /// The error, of a parameter if that has an invalid value and is not named.
    pub(crate) fn of(self, name: &str) -> ApiError {
        match self {
            Self::BadParameter(None, text) => Self::BadParameter(Some(name.to_owned()), text),
            error => error,
        }
    }

    /// The HTTP status.
    pub(crate) fn status(&self) -> StatusCode {
        let status = StatusCode::from_u16(self.classification().status);
        status.expect("kinds have only statuses")
    }

    /// The word in the problem's type. Stable.
    pub(crate) fn kind(&self) -> &'static str {
        self.classification().word
    }

    /// The problem as a page, for people who open an address in a browser, with a link to the page of the service.
    pub(crate) fn page(&self, path: &str) -> String {
        // Relative, as a proxy may serve the service below a path.
        let home = "../".repeat(path.matches('/').count().saturating_sub(1));
        let title = self.classification().title;
        let detail = self.to_string();
        let detail = encode_text(&detail);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} - scramble444</title>\n\
             <main><h1>{title}</h1>\n<p>{detail}</p>\n<p><a href=\"./{home}\">scramble444</a></p></main>\n</html>\n"
        )
    }

    /// When a client should try again.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            ApiError::Overloaded(Overloaded::Line(after) | Overloaded::Client(after)) => {
                Some(*after)
            }
            ApiError::Overloaded(Overloaded::Documents) => Some(Duration::from_secs(10)),
            ApiError::Unavailable(Unavailable::Unknown(_)) => None,
            // This replica will not have the method until it is restarted, but another one may.
            ApiError::Unavailable(Unavailable::Failed(_)) => Some(Duration::from_secs(60)),
            ApiError::Unavailable(_) | ApiError::AtCapacity => Some(Duration::from_secs(1)),
            _ => None,
        }
    }

    /// The problem document.
    pub(crate) fn problem(&self) -> Problem {
        let kind = self.classification();
        let mut problem = Problem {
            r#type: format!("urn:scramble444:problem:{}", kind.word),
            title: kind.title,
            status: kind.status,
            detail: self.to_string(),
            ..Problem::default()
        };
        match self {
            ApiError::Unavailable(Unavailable::Starting { progress, .. }) => {
                problem.progress = Some(progress.clone());
            }
            ApiError::UnexpectedParameter(_, name, allowed) => {
                (problem.parameter, problem.allowed) = (Some(name.clone()), Some(allowed.clone()));
            }
            ApiError::BadParameter(name, _) => problem.parameter = name.clone(),
            ApiError::BadMember(name, _) => problem.parameter = Some(name.clone()),
            ApiError::Unavailable(Unavailable::Unknown(_)) => {
                problem.parameter = Some("method".to_owned());
            }
            ApiError::BadPosition(error) => problem.flaw = error.flaw(),
            _ => {}
        }
        problem
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response<Body> {
        let mut response = (self.status(), self.problem().to_string()).into_response();
        let headers = response.headers_mut();
        let mut add = |name, value| headers.insert(name, HeaderValue::from_static(value));
        add(header::CONTENT_TYPE, PROBLEM);
        if self == ApiError::Unauthorized {
            add(header::WWW_AUTHENTICATE, "Bearer realm=\"scramble444\"");
        }
        if self == ApiError::AtCapacity {
            // On a kept connection the client would stay with a replica that does not serve it.
            add(header::CONNECTION, "close");
        }
        if let Some(after) = self.retry_after() {
            headers.insert(header::RETRY_AFTER, whole_seconds(after).into());
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The media type of problem documents.
pub(crate) const PROBLEM: &str = "application/problem+json";

/// Whole seconds, rounded up, from 1 to 60: estimates beyond a minute are unreliable.
pub(crate) fn whole_seconds(after: Duration) -> u32 {
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

    #[test]
    fn refusals_that_may_pass_say_when_to_try_again() {
        let estimate = Duration::from_millis(6_500);
        let progress = crate::http::state::Progress {
            step: String::new(),
            done: 0.0,
        };
        for (error, expected) in [
            (Overloaded::Line(estimate).into(), Some("7")),
            (Overloaded::Client(estimate).into(), Some("7")),
            (Overloaded::Documents.into(), Some("10")),
            (
                Unavailable::Starting {
                    method: Some("reduction"),
                    progress,
                }
                .into(),
                Some("1"),
            ),
            (Unavailable::Draining.into(), Some("1")),
            (Unavailable::Failed("reduction").into(), Some("60")),
            (ApiError::AtCapacity, Some("1")),
            (Unavailable::Unknown("own".to_owned()).into(), None),
            (ApiError::TimedOut, None),
            (ApiError::Internal, None),
            (ApiError::TooMuchWork(String::new()), None),
        ] {
            let error: ApiError = error;
            let response = error.clone().into_response();
            let after = response.headers().get(header::RETRY_AFTER);
            let after = after.map(|after| after.to_str().unwrap());
            assert_eq!(after, expected, "{error:?}");
        }
    }
}
