//! The interface's description for programs, generated from the handlers and their types.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{IntoResponses, Modify, OpenApi};

use super::error::Problem;
use super::{health, positions, scrambles};

/// The description.
#[derive(OpenApi)]
#[openapi(
    info(description = "WCA-style random-state scrambles for the 4x4x4 cube, each solved, inverted \
        and replayed before it is handed out. This is not the official WCA scramble program.\n\n\
        Every error is a problem document (RFC 9457). Answers must not be stored."),
    paths(
        scrambles::get,
        positions::solve,
        positions::verify,
        health::live,
        health::ready
    ),
    modifiers(&BearerToken),
    tags(
        (name = "scrambles", description = "Scrambles to random states"),
        (name = "positions", description = "Given positions"),
        (name = "operations", description = "For those who run the service"),
    ),
)]
pub(super) struct Description;

/// Problems that any request under `/v1` may meet.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "describes what ApiError is at run time")]
pub(super) enum Problems {
    /// A token is needed.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(#[to_schema] Problem),
    /// A defect.
    #[response(status = 500, content_type = "application/problem+json")]
    Internal(#[to_schema] Problem),
    /// Starting, overloaded or shutting down; Retry-After says when to try again.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(#[to_schema] Problem),
    /// Not ready in time.
    #[response(status = 504, content_type = "application/problem+json")]
    TimedOut(#[to_schema] Problem),
}

/// Problems that a request with a body may meet.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "describes what ApiError is at run time")]
pub(super) enum BodyProblems {
    /// A bad body.
    #[response(status = 400, content_type = "application/problem+json")]
    Bad(#[to_schema] Problem),
    /// The body did not arrive in time.
    #[response(status = 408, content_type = "application/problem+json")]
    Slow(#[to_schema] Problem),
    /// The body is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(#[to_schema] Problem),
    /// The body is not JSON.
    #[response(status = 415, content_type = "application/problem+json")]
    NotJson(#[to_schema] Problem),
    /// No such position.
    #[response(status = 422, content_type = "application/problem+json")]
    NoPosition(#[to_schema] Problem),
}

/// The token that a service may ask for.
struct BearerToken;

impl Modify for BearerToken {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        openapi
            .components
            .get_or_insert_default()
            .add_security_scheme("token", SecurityScheme::Http(bearer));
    }
}
