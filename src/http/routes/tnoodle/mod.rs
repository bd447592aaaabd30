//! The interfaces of TNoodle's server, so that programs made for it can use this service instead.
//!
//! There are three: the current one for programs and that of TNoodle's page ([`v0`], and `/wcif` for
//! competitions), and the one of versions before 1.0 ([`legacy`]). Errors differ: TNoodle reports some
//! with status 200 or 500; these routes use the appropriate status and a problem document.
//! Nothing here claims to be TNoodle.

mod legacy;
mod v0;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{get, post};

use super::wcif;
use crate::http::problem::ApiError;
use crate::http::state::AppState;

/// All routes of these interfaces.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/version", get(v0::version))
        .route("/version.json", get(v0::version))
        .route("/api/v0/puzzles", get(v0::puzzles))
        .route("/puzzles/.json", get(v0::puzzles))
        .route("/api/v0/puzzles/{puzzle}", get(v0::puzzle))
        .route("/api/v0/scramble/{puzzle}", get(v0::scrambles))
        .route("/api/v0/scramble/{puzzle}/raw", get(v0::scrambles))
        .route("/api/v0/view/{puzzle}/{format}", get(v0::picture))
        .route("/frontend/data/events", get(v0::EVENTS))
        .route("/frontend/data/formats", get(v0::FORMATS))
        .route("/frontend/puzzle/{puzzle}/colors", get(v0::colors))
        .route("/frontend/puzzle/{puzzle}/scramble", post(v0::scramble))
        .route("/frontend/puzzle/{puzzle}/svg", post(v0::solved))
        .route("/scramble/{file}", get(legacy::scrambles))
        .route("/view/{file}", get(legacy::picture))
        .route("/wcif/scrambles", post(wcif::fill))
}

/// Drops the empty segments before others in the path, as TNoodle's server does: programs append paths to a base
/// address that may end in a slash. Must run before routing.
pub(crate) async fn drop_empty_segments(mut request: Request) -> Request {
    let uri = request.uri();
    let mut path = uri.path().to_owned();
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    if path != uri.path() {
        let query = uri.query().map_or(String::new(), |it| format!("?{it}"));
        // Nothing reads the other parts.
        let shorter = Uri::try_from(path + &query);
        *request.uri_mut() = shorter.expect("a part of a valid path and a query are valid");
    }
    request
}

/// Adds the member `error` to problem documents of paths that end in `.json`: programs for the legacy
/// interface expect it.
pub(crate) async fn add_error_member(request: Request, next: Next) -> Response {
    let is_json = request.uri().path().ends_with(".json");
    let mut response = next.run(request).await;
    let error = response.extensions().get::<ApiError>();
    if let Some(mut problem) = error.filter(|_| is_json).map(ApiError::problem) {
        problem["error"] = problem["detail"].clone();
        *response.body_mut() = Body::from(problem.to_string());
    }
    response
}
