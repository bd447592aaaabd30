//! The interface's description for programs, generated from the handlers and their types.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use super::{operations, positions, scrambles};

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
        operations::live,
        operations::ready
    ),
    modifiers(&BearerToken),
    tags(
        (name = "scrambles", description = "Scrambles to random states"),
        (name = "positions", description = "Given positions"),
        (name = "operations", description = "For those who run the service"),
    ),
)]
pub(super) struct Description;

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
