//! The interfaces of TNoodle's server, so that programs made for it can ask this service instead.
//!
//! There are three, from different times: the current one for programs ([`v0`]), the one of TNoodle's
//! own page ([`frontend`], and [`wcif`] for competitions), and that of versions before 1.0 ([`legacy`]). Where TNoodle answers a
//! request that it cannot fulfil with status 200, or with 500, these answer with a problem document and
//! the status that fits. They say nowhere that they were TNoodle.

mod about;
mod frontend;
mod legacy;
mod number;
mod puzzle;
mod refused;
mod v0;
mod view;
mod wcif;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::problem::ApiError;
use crate::http::state::AppState;

/// All routes of these interfaces.
pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::default()
        .routes(routes!(about::version))
        .routes(routes!(about::puzzles))
        .routes(routes!(about::puzzle))
        .routes(routes!(v0::scrambles))
        .routes(routes!(v0::raw))
        .routes(routes!(v0::view))
        .routes(routes!(frontend::events))
        .routes(routes!(frontend::formats))
        .routes(routes!(frontend::colors))
        .routes(routes!(frontend::scramble))
        .routes(routes!(frontend::svg_of_solved))
        .routes(routes!(legacy::scrambles))
        .routes(routes!(legacy::view))
        .routes(routes!(legacy::puzzles))
        .routes(routes!(legacy::version))
        .routes(routes!(wcif::fill))
}

/// Gives problems of `….json` a member `error`, since programs of the legacy interface look for nothing
/// else.
pub(crate) async fn tell_error(request: Request, next: Next) -> Response {
    let is_json = request.uri().path().ends_with(".json");
    let mut response = next.run(request).await;
    let error = response.extensions().get::<ApiError>();
    if let Some(problem) = error.filter(|_| is_json).map(ApiError::problem) {
        *response.body_mut() = Body::from(problem.with_error().to_json());
    }
    response
}
