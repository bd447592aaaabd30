//! The interfaces of TNoodle's server, so that programs made for it can use this service instead.
//!
//! There are three: the current one for programs and that of TNoodle's page ([`v0`], and `/wcif` for
//! competitions), and the one of versions before 1.0 ([`legacy`]). Errors differ: TNoodle reports some
//! with status 200 or 500; these routes use the appropriate status and a problem document.
//! Nothing here claims to be TNoodle.

mod legacy;
mod v0;

use axum::body::Body;
use axum::extract::Request;
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::Response;

use super::common::{HURRIED, JSON_TYPE, NEW_SETS, NOTES, PNG, SVG, TEXT};
use super::wcif::{self, AnyWcif};
use crate::http::describe::Detail::{self, Content, Error};
use crate::http::describe::{Routes, TNOODLE, routes, schema};
use crate::http::problem::{ApiError, BAD_COMPETITION, BAD_PARAMETER, BAD_POSITION, TOO_MUCH_WORK};

/// All routes of these interfaces.
pub(crate) fn routes() -> Routes {
    routes! { Routes::default(), TNOODLE;
        /// The program and its version.
        ///
        /// Never TNoodle's name and version, so that clients do not take this for the official program.
        tnoodle_version: GET "/version" v0::version;
        /// The program and its version.
        tnoodle_legacy_version: GET "/version.json" v0::version;
        /// All puzzles.
        tnoodle_puzzles: GET "/api/v0/puzzles" v0::puzzles;
        /// All puzzles.
        tnoodle_legacy_puzzles: GET "/puzzles/.json" v0::puzzles;
        /// One puzzle.
        tnoodle_puzzle: GET "/api/v0/puzzles/{puzzle}" v0::puzzle;
        /// Scrambles as an array of strings.
        ///
        /// Their states are drawn uniformly. If an error occurs after the first one, the connection is cut off.
        tnoodle_scrambles: GET "/api/v0/scramble/{puzzle}" v0::scrambles,
            Content(JSON_TYPE, schema::<Vec<String>>);
        /// Scrambles as text.
        ///
        /// One per line. Lines are separated by CR LF; the last one has none.
        tnoodle_raw_scrambles: GET "/api/v0/scramble/{puzzle}/raw" v0::raw_scrambles, TEXT;
        /// A picture of a position.
        ///
        /// Also available while the service is starting.
        tnoodle_view: GET "/api/v0/view/{puzzle}/{format}" v0::picture, SVG, PNG,
            Content(JSON_TYPE, schema::<v0::Description>), Error(BAD_POSITION);
        /// The events.
        tnoodle_events: GET "/frontend/data/events" v0::events;
        /// The formats of rounds by their identifiers.
        tnoodle_formats: GET "/frontend/data/formats" v0::formats;
        /// The colors of a puzzle's faces, as `#rrggbb`.
        tnoodle_colors: GET "/frontend/puzzle/{puzzle}/colors" v0::colors;
        /// A scramble and its picture.
        ///
        /// The body has the colors. Faces that it does not name have their default color.
        tnoodle_scramble: POST "/frontend/puzzle/{puzzle}/scramble" v0::scramble;
        /// A picture of the solved cube.
        ///
        /// The body has the colors. Faces that it does not name have their default color.
        tnoodle_svg: POST "/frontend/puzzle/{puzzle}/svg" v0::solved, SVG;
        /// Scrambles as text or JSON.
        ///
        /// `TITLE.txt`: one per line; every line ends in CR LF. `TITLE.json`: an array of groups. The query has one or
        /// more of `NAME=PUZZLE*COUNT*COPIES*SCHEME`, in which all but the puzzle are optional: `?=444*5`. Problem
        /// documents for `.json` have a member `error`.
        tnoodle_legacy_scrambles: GET "/scramble/{file}" legacy::scrambles, TEXT,
            Detail::Parameters(legacy::group_parameters), Error(BAD_PARAMETER),
            Content(JSON_TYPE, schema::<Vec<legacy::Sheet>>);
        /// A picture of a position.
        ///
        /// Also available while the service is starting. Problem documents for `.json` have a member `error`.
        tnoodle_legacy_view: GET "/view/{file}" legacy::picture, SVG, PNG,
            Content(JSON_TYPE, schema::<v0::Description>), Error(BAD_POSITION);
        /// Scrambles for a competition.
        ///
        /// Like `/v1/wcif`, except that the response is only the competition, as from TNoodle.
        tnoodle_wcif: POST "/wcif/scrambles" wcif::fill, Content(JSON_TYPE, schema::<AnyWcif>), NEW_SETS, HURRIED, NOTES,
            Error(BAD_COMPETITION), Error(TOO_MUCH_WORK);
    }
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
        problem.error = Some(problem.detail.clone());
        *response.body_mut() = Body::from(problem.to_string());
    }
    response
}
