//! `/frontend/puzzle`: what TNoodle's page shows of a puzzle. The body of a request has the colours of faces; others
//! have their default colour.

use axum::Json;
use axum::extract::{Request, State};
use axum::response::Response;
use cube444::cube::Cube;
use cube444::picture::{Scheme, svg};
use serde_json::{Value, json};

use super::puzzle::Puzzle;
use crate::http::extract::body::read_object;
use crate::http::jobs::ScrambleStream;
use crate::http::problem::ApiError;
use crate::http::routes::pictures::Style;
use crate::http::state::AppState;
use crate::pool::Client;

/// Reads a colour scheme from the body.
async fn read_scheme(request: Request) -> Result<Scheme, ApiError> {
    let shape = "the body must be an object with the colours of any of the faces B, D, F, L, R, U, each \
                 \"#rgb\" or \"#rrggbb\"";
    read_object(request, shape).await
}

/// A scramble and its picture, as an SVG document.
pub(super) async fn scramble(
    State(state): State<AppState>,
    client: Client,
    puzzle: Puzzle,
    request: Request,
) -> Result<Json<Value>, ApiError> {
    let scheme = read_scheme(request).await?;
    let mut stream = ScrambleStream::begin(&state, client, 1, state.default_options()?)?;
    let made = stream.next().await.expect("the stream has one scramble")?;
    let scramble = puzzle.scramble(made);
    let svg = svg(&scramble.state, &scheme);
    Ok(Json(
        json!({"scramble": scramble.sequence.to_string(), "svgImage": svg}),
    ))
}

/// A picture of the solved cube.
pub(super) async fn svg_of_solved(_: Puzzle, request: Request) -> Result<Response, ApiError> {
    let scheme = read_scheme(request).await?;
    Ok(Style::svg(scheme).draw(&Cube::solved()))
}
