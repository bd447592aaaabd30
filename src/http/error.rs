//! Errors as problem documents (RFC 9457).

use std::any::Any;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::json;

use super::readiness::Progress;

/// An error that a client meets.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ApiError {
    /// No such path.
    #[error("there is nothing at this path; see / for what there is")]
    NotFound,
    /// The path does not take this method.
    #[error("this path does not take this method; see the Allow header")]
    MethodNotAllowed,
    /// A query parameter is unknown or out of range.
    #[error("{0}")]
    BadParameter(String),
    /// Tables are being loaded or built.
    #[error("the service is starting: {0}")]
    Starting(Progress),
    /// The service is shutting down.
    #[error("the service is shutting down")]
    Draining,
    /// The queue is full.
    #[error("too many scrambles are waiting to be made; try again shortly")]
    Overloaded,
    /// A defect. What it is goes to the log only.
    #[error("the service failed to make a scramble; the error has been logged")]
    Internal,
}

impl ApiError {
    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            ApiError::NotFound => StatusCode::NOT_FOUND,
            ApiError::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::BadParameter(_) => StatusCode::BAD_REQUEST,
            ApiError::Starting(_) | ApiError::Draining | ApiError::Overloaded => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            ApiError::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The last part of the problem's type URI, stable for programs to test.
    fn kind(&self) -> &'static str {
        match self {
            ApiError::NotFound => "not-found",
            ApiError::MethodNotAllowed => "method-not-allowed",
            ApiError::BadParameter(_) => "bad-parameter",
            ApiError::Starting(_) => "starting",
            ApiError::Draining => "draining",
            ApiError::Overloaded => "overloaded",
            ApiError::Internal => "internal",
        }
    }

    fn title(&self) -> &'static str {
        match self {
            ApiError::NotFound => "Not found",
            ApiError::MethodNotAllowed => "Method not allowed",
            ApiError::BadParameter(_) => "Bad parameter",
            ApiError::Starting(_) => "Starting",
            ApiError::Draining => "Shutting down",
            ApiError::Overloaded => "Overloaded",
            ApiError::Internal => "Internal error",
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response<Body> {
        let status = self.status();
        let mut problem = json!({
            "type": format!("urn:scramble444:problem:{}", self.kind()),
            "title": self.title(),
            "status": status.as_u16(),
            "detail": self.to_string(),
        });
        if let ApiError::Starting(progress) = &self {
            problem["progress"] = json!(progress);
        }
        let mut response = (status, problem.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// Answers a request whose handler panicked, without repeating what the panic said.
pub(super) fn from_panic(_: Box<dyn Any + Send>) -> Response<Body> {
    tracing::error!("a request handler panicked");
    ApiError::Internal.into_response()
}
