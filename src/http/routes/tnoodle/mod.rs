//! The interfaces of TNoodle's server, so that programs made for it can use this service instead.
//!
//! There are three: the current one for programs ([`v0`]), the one of TNoodle's page ([`frontend`], and
//! [`wcif`] for competitions), and the one of versions before 1.0 ([`legacy`]). Errors differ: TNoodle
//! reports some with status 200 or 500; these routes use the appropriate status and a problem document.
//! Nothing here claims to be TNoodle.

mod about;
mod frontend;
mod legacy;
mod number;
mod puzzle;
mod query;
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

/// Adds the member `error` to problem documents of paths that end in `.json`: programs for the legacy
/// interface expect it.
pub(crate) async fn add_error_member(request: Request, next: Next) -> Response {
    let is_json = request.uri().path().ends_with(".json");
    let mut response = next.run(request).await;
    let error = response.extensions().get::<ApiError>();
    if let Some(problem) = error.filter(|_| is_json).map(ApiError::problem) {
        *response.body_mut() = Body::from(problem.with_error().to_json());
    }
    response
}
