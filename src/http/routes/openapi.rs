//! The interface's description for programs. Its routes describe themselves, where they are
//! declared; this is the rest.

use axum::http::Method;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

/// The description, without routes.
#[derive(OpenApi)]
#[openapi(
    info(description = "WCA-style random-state scrambles for the 4x4x4 cube, each solved, inverted \
        and replayed before it is handed out. This is not the official WCA scramble program.\n\n\
        Every error is a problem document (RFC 9457). Answers must not be stored."),
    servers((url = "/", description = "the service that this description comes from")),
    modifiers(&BearerToken),
    tags(
        (name = "scrambles", description = "Scrambles to random states"),
        (name = "positions", description = "Given positions"),
        (name = "competitions", description = "Scrambles for whole competitions"),
        (name = "tnoodle", description = "The interfaces of TNoodle's server, for programs made for it; \
            not TNoodle, and not the official WCA scramble program"),
        (name = "operations", description = "For those who run the service"),
    ),
)]
pub(crate) struct Description;

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

/// The routes that are described, and the methods that they take, of which there are two.
pub(crate) fn operations(
    description: &utoipa::openapi::OpenApi,
) -> impl Iterator<Item = (Method, &str)> {
    description.paths.paths.iter().flat_map(|(route, item)| {
        [(Method::GET, &item.get), (Method::POST, &item.post)]
            .into_iter()
            .filter(|(_, operation)| operation.is_some())
            .map(move |(method, _)| (method, route.as_str()))
    })
}
