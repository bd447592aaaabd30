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
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
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

    #[test]
    fn the_roots_are_those_of_the_routes() {
        let (_, description) = routes().split_for_parts();
        let root = |path: &String| path.split('/').nth(1).unwrap().to_owned();
        let roots: BTreeSet<String> = description.paths.paths.keys().map(root).collect();
        assert!(roots.iter().eq(ROOTS), "{roots:?}");
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
