//! The OpenAPI description, except the routes, which are described beside their handlers.

use axum::http::Method;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

/// The description without routes.
#[derive(OpenApi)]
#[openapi(
    info(description = "WCA-style random-state scrambles for the 4x4x4 cube. Every scramble is replayed \
        before it is sent. This is not the official WCA scramble program.\n\n\
        Errors are problem documents (RFC 9457). Responses must not be cached."),
    servers((url = "/", description = "This service")),
    modifiers(&BearerToken),
    tags(
        (name = "scrambles", description = "Scrambles"),
        (name = "positions", description = "Positions"),
        (name = "competitions", description = "Competitions"),
        (name = "tnoodle", description = "The interfaces of TNoodle's server, for programs made for it. \
            This is not TNoodle, and not the official WCA scramble program."),
        (name = "operations", description = "Probes"),
    ),
)]
pub(crate) struct Description;

/// The token that a service may require.
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

/// The described routes with their HTTP methods, which are GET or POST.
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
