//! The interfaces of TNoodle's server, so that programs made for it can use this service instead.
//!
//! There are three: the current one for programs ([`v0`]), the one of TNoodle's page ([`frontend`], and
//! [`wcif`] for competitions), and the one of versions before 1.0 ([`legacy`]). Errors differ: TNoodle
//! reports some with status 200 or 500; these routes use the appropriate status and a problem document.
//! Nothing here claims to be TNoodle.

mod about;
mod frontend;
mod legacy;
mod puzzle;
mod query;
mod v0;
mod view;
mod wcif;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{get, post};

use crate::http::problem::ApiError;
use crate::http::state::AppState;

/// All routes of these interfaces.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/version", get(about::version))
        .route("/version.json", get(about::version))
        .route("/api/v0/puzzles", get(about::puzzles))
        .route("/puzzles/.json", get(about::puzzles))
        .route("/api/v0/puzzles/{puzzle}", get(about::puzzle))
        .route("/api/v0/scramble/{puzzle}", get(v0::scrambles))
        .route("/api/v0/scramble/{puzzle}/raw", get(v0::raw))
        .route("/api/v0/view/{puzzle}/{format}", get(v0::view))
        .route("/frontend/data/events", get(about::events))
        .route("/frontend/data/formats", get(about::formats))
        .route("/frontend/puzzle/{puzzle}/colors", get(about::colors))
        .route(
            "/frontend/puzzle/{puzzle}/scramble",
            post(frontend::scramble),
        )
        .route(
            "/frontend/puzzle/{puzzle}/svg",
            post(frontend::svg_of_solved),
        )
        .route("/scramble/{file}", get(legacy::scrambles))
        .route("/view/{file}", get(legacy::view))
        .route("/wcif/scrambles", post(wcif::fill))
}

/// The first segments of the paths of these interfaces.
const ROOTS: [&str; 8] = [
    "api",
    "frontend",
    "puzzles",
    "scramble",
    "version",
    "version.json",
    "view",
    "wcif",
];

/// Drops the empty segments before others in the paths of these interfaces, as TNoodle's server does: programs
/// append paths to a base address that may end in a slash. Must run before routing.
pub(crate) async fn drop_empty_segments(mut request: Request) -> Request {
    let uri = request.uri();
    if let Some(path) = without_empty_segments(uri.path()) {
        let query = uri
            .query()
            .map_or(String::new(), |query| format!("?{query}"));
        let mut parts = uri.clone().into_parts();
        let path = PathAndQuery::try_from(path + &query);
        parts.path_and_query = Some(path.expect("a part of a valid path and a query are valid"));
        *request.uri_mut() = Uri::from_parts(parts).expect("only the path has changed");
    }
    request
}

/// The path without empty segments before others, if it has any and belongs to these interfaces.
fn without_empty_segments(path: &str) -> Option<String> {
    let mut shorter = path.replace("//", "/");
    while shorter.contains("//") {
        shorter = shorter.replace("//", "/");
    }
    let root = shorter.split('/').nth(1)?;
    (shorter != path && ROOTS.contains(&root)).then_some(shorter)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::http::routes::openapi::{description, operations};

    #[test]
    fn the_roots_are_those_of_the_routes() {
        let [all, others] = [true, false].map(description);
        let paths = |of| {
            operations(of)
                .map(|(_, path)| path)
                .collect::<BTreeSet<_>>()
        };
        let (all, others) = (paths(&all), paths(&others));
        let roots = all
            .difference(&others)
            .map(|path| path.split('/').nth(1).unwrap());
        let roots: BTreeSet<&str> = roots.collect();
        assert!(roots.iter().eq(ROOTS.iter()), "{roots:?}");
    }

    #[test]
    fn empty_segments_are_dropped_from_these_paths_only() {
        for (path, expected) in [
            ("//api/v0/scramble/444", "/api/v0/scramble/444"),
            ("/api///v0//scramble/444", "/api/v0/scramble/444"),
            ("////version", "/version"),
            ("/version//", "/version/"),
        ] {
            assert_eq!(without_empty_segments(path).as_deref(), Some(expected));
        }
        for path in [
            "/version",
            "/version/",
            "/",
            "//",
            "//v1/scrambles",
            "/v1//scrambles",
            "//metrics",
        ] {
            assert_eq!(without_empty_segments(path), None, "{path}");
        }
    }
}
