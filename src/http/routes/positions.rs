//! `POST /v1/solve`, `POST /v1/verify` and `GET /v1/picture`.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use cube444::Effort;
use cube444::cube::Cube;
use cube444::picture::{Format, Scale, Scheme, png, svg};
use cube444::scramble::{ParsedPosition, SolutionReport, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

use super::streaming::blocking;
use crate::http::extract::{Caller, NoParameters, Parameters, Posted, bad_parameter, parameters};
use crate::http::jobs::solve as solve_cube;
use crate::http::problem::{ApiError, Result};
use crate::http::state::{AppState, Unavailable};

/// A position: either the turns that lead to it or its state, not both.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Position")]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenPosition {
    /// The turns that lead from the solved cube to the position, in WCA notation or in other common forms:
    /// `r` for the layer next to R, `2R` and `2-3Rw` as in cubing.js, `M E S`, `R3`, groups such as `(R U)2`
    /// and `(R U)'`, commutators `[A, B]`, conjugates `[A: B]`, and comments after `//`. Spaces can be left out, as in
    /// `RUR'U'`. A line number, `1. ` or `1) `, may come first.
    #[schemars(example = &"Rw U2 F' x")]
    scramble: Option<String>,
    /// 96 facelets, faces in the order U R F D L B, as face letters (U R F D L B) or color letters
    /// (W R G Y O B), in upper or lower case. White space is ignored.
    #[schemars(length(min = 96))]
    state: Option<String>,
    /// The effort level of a solution, up to the service's maximum (by default 7).
    #[schemars(range(min = 1, max = Effort::MAX.get()))]
    effort: Option<u8>,
    /// The method of a solution: one of the service's methods (by default `five-stage` and `reduction`).
    #[schemars(example = &"reduction")]
    method: Option<String>,
}

/// The expected body, for error messages.
const SHAPE: &str = "the body must be {\"scramble\": \"R U …\"} or {\"state\": \"96 facelets\"}, \
                     optionally with a whole number \"effort\" and a \"method\"";

/// Reads a position from turns or facelets. Fails with `otherwise` unless exactly one of them is present.
async fn read_position(
    turns: Option<String>,
    facelets: Option<String>,
    otherwise: ApiError,
) -> Result<ParsedPosition> {
    // Explaining facelets that are not a position tries hundreds of ways to read them.
    blocking("reading a position", move || match (turns, facelets) {
        (Some(turns), None) => Ok(ParsedPosition::from_turns(&turns)?),
        (None, Some(facelets)) => Ok(ParsedPosition::from_facelets(&facelets)?),
        _ => Err(otherwise),
    })
    .await?
}

/// Reads a position, and the effort level and the method of its solution.
async fn read(
    given: Posted<GivenPosition>,
    state: &AppState,
) -> Result<(ParsedPosition, Effort, Option<String>)> {
    let given = given.read(SHAPE).await?;
    let effort = state.settings.effort_of(given.effort.map(Effort::new));
    let bad = |name: &str, error| ApiError::BadMember(name.to_owned(), error);
    let effort = effort.map_err(|error| bad("effort", error))?;
    let otherwise = ApiError::BadBody("give either \"scramble\" or \"state\"".to_owned());
    let position = read_position(given.scramble, given.state, otherwise).await?;
    // The method must exist, but need not be ready: verifying does not use it.
    match state.engines.get_now(given.method.as_deref()) {
        Err(error @ Unavailable::Unknown(_)) => Err(bad("method", error.to_string())),
        _ => Ok((position, effort, given.method)),
    }
}

/// `POST /v1/solve`.
pub(crate) async fn solve(
    caller: Caller,
    _: Parameters<NoParameters>,
    given: Posted<GivenPosition>,
) -> Result<Json<SolutionReport>> {
    let (given, effort, method) = read(given, &caller.state).await?;
    let job = caller.options(method.as_deref(), effort).await?;
    let (solution, took) = solve_cube(&caller.state, given.cube, job).await?;
    Ok(Json(SolutionReport::new(&given.cube, &solution, took)))
}

/// `POST /v1/verify`.
pub(crate) async fn verify(
    State(state): State<AppState>,
    _: Parameters<NoParameters>,
    given: Posted<GivenPosition>,
) -> Result<Json<Verdict>> {
    let (given, ..) = read(given, &state).await?;
    Ok(Json(given.verdict()))
}

parameters! {
    /// The colors and the size of a picture. An empty text counts as absent.
    pub(crate) struct PictureStyle {
        /// The colors of the faces B,D,F,L,R,U, each `rgb` or `rrggbb`.
        scheme: Scheme,
        /// The scale of a PNG.
        scale: Scale,
    }
}

impl PictureStyle {
    /// The picture of a state.
    pub(crate) async fn draw(self, cube: Cube, format: Format) -> Result<Response> {
        if format == Format::Svg {
            return Ok(draw_svg(&cube, &self.scheme));
        }
        let bytes = blocking("drawing a picture", move || {
            png(&cube, &self.scheme, self.scale)
        });
        Ok(([(header::CONTENT_TYPE, "image/png")], bytes.await?).into_response())
    }

    /// Refuses a scale for SVG.
    pub(crate) fn require_format(&self, format: Format) -> Result<()> {
        if format == Format::Svg && self.scale != Scale::default() {
            return Err(bad_parameter("scale is only for png"));
        }
        Ok(())
    }
}

/// The picture of a state as SVG.
pub(crate) fn draw_svg(cube: &Cube, scheme: &Scheme) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
    ];
    (headers, svg(cube, scheme)).into_response()
}

parameters! {
    pub(crate) struct PictureParameters {
        /// The turns that lead from the solved cube to the position.
        scramble: Option<String> where {"examples": ["Rw U2 F' x"]},
        /// Alternatively its 96 facelets, faces in the order U R F D L B, as face letters (U R F D L B) or color
        /// letters (W R G Y O B), in upper or lower case. White space is ignored.
        state: Option<String> where {"minLength": 96},
        /// The file format.
        format: Format,
        style: PictureStyle,
    }
}

/// `GET /v1/picture`.
pub(crate) async fn picture(Parameters(given): Parameters<PictureParameters>) -> Result<Response> {
    given.style.require_format(given.format)?;
    let otherwise = bad_parameter("give either scramble or state");
    let position = read_position(given.scramble, given.state, otherwise).await?;
    given.style.draw(position.cube, given.format).await
}
