//! `POST /v1/solve`, `POST /v1/verify` and `GET /v1/picture`.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use cube444::Effort;
use cube444::cube::Cube;
use cube444::picture::{Format, Scale, Scheme, png, svg};
use cube444::scramble::{ParsedPosition, SolutionReport, Verdict};
use serde::Deserialize;

use super::streaming::blocking;
use crate::http::extract::{Caller, Parameters, Query, bad_parameter, read_object};
use crate::http::jobs::solve as solve_cube;
use crate::http::problem::{ApiError, Result};
use crate::http::state::{AppState, Unavailable};

/// A position: either the turns that lead to it or its state, not both.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenPosition {
    /// The turns that lead from the solved cube to the position, in WCA notation or in other common forms:
    /// `r` for the layer next to R, `2R` and `2-3Rw` as in cubing.js, `M E S`, `R3`, groups such as `(R U)2`
    /// and `(R U)'`, commutators `[A, B]`, conjugates `[A: B]`, and comments after `//`. A line number, `1. `
    /// or `1) `, may come first.
    scramble: Option<String>,
    /// 96 facelets, faces in the order U R F D L B, as face letters (U R F D L B) or colour letters
    /// (W R G Y O B), in upper or lower case. White space is ignored.
    state: Option<String>,
    /// The effort level of a solution, up to the service's maximum (by default 7).
    effort: Option<u8>,
    /// The method of a solution: one of the service's methods (by default `five-stage` and `reduction`).
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
    query: Query,
    request: Request,
    state: &AppState,
) -> Result<(ParsedPosition, Effort, Option<String>)> {
    query.only(&[])?;
    let given: GivenPosition = read_object(request, SHAPE).await?;
    let effort = state.settings.effort_of(given.effort.map(Effort::new));
    let effort = effort.map_err(ApiError::BadBody)?;
    let otherwise = ApiError::BadBody("give either \"scramble\" or \"state\"".to_owned());
    let position = read_position(given.scramble, given.state, otherwise).await?;
    // The method must exist, but need not be ready: verifying does not use it.
    match state.engines.get_now(given.method.as_deref()) {
        Err(error @ Unavailable::Unknown(_)) => Err(ApiError::BadBody(error.to_string())),
        _ => Ok((position, effort, given.method)),
    }
}

/// Solves a position.
///
/// The response also has the turns of each stage.
pub(crate) async fn solve(
    caller: Caller,
    query: Query,
    request: Request,
) -> Result<Json<SolutionReport>> {
    let (given, effort, method) = read(query, request, &caller.state).await?;
    let job = caller.options(method.as_deref(), effort).await?;
    let (solution, took) = solve_cube(&caller.state, given.cube, job).await?;
    Ok(Json(SolutionReport::new(&given.cube, &solution, took)))
}

/// Facts about a position.
///
/// Its state, whether it is far enough from solved for WCA regulation 4b3, and, if turns are given, their
/// length and whether they are in WCA notation.
pub(crate) async fn verify(
    State(state): State<AppState>,
    query: Query,
    request: Request,
) -> Result<Json<Verdict>> {
    let (given, ..) = read(query, request, &state).await?;
    Ok(Json(given.verdict()))
}

/// The form of a picture.
pub(crate) struct PictureStyle {
    format: Format,
    pub(crate) scheme: Scheme,
    /// Only for PNG.
    scale: Scale,
}

impl PictureStyle {
    /// Reads the parameters `scheme` and `scale`. An empty one counts as absent.
    pub(crate) fn new(format: Format, parameters: &Parameters) -> Result<PictureStyle> {
        let (scheme, scale) = (parameters.filled("scheme")?, parameters.filled("scale")?);
        if format == Format::Svg && scale != Scale::default() {
            return Err(bad_parameter("scale is only for png"));
        }
        Ok(PictureStyle {
            format,
            scheme,
            scale,
        })
    }

    /// The picture of a state.
    pub(crate) async fn draw(self, cube: Cube) -> Result<Response> {
        if self.format == Format::Svg {
            return Ok(draw_svg(&cube, &self.scheme));
        }
        let bytes = blocking("drawing a picture", move || {
            png(&cube, &self.scheme, self.scale)
        });
        Ok(([(header::CONTENT_TYPE, "image/png")], bytes.await?).into_response())
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

/// A picture of a position.
///
/// The net of the cube, U above F, D below F, and L F R B side by side: 170 by 128 pixels, a PNG times
/// its scale. Also available while the service is starting.
pub(crate) async fn picture(query: Query) -> Result<Response> {
    let parameters = query.only(&["scramble", "state", "format", "scheme", "scale"])?;
    let format = parameters.parsed("format")?.unwrap_or(Format::Svg);
    let style = PictureStyle::new(format, &parameters)?;
    let given = |name| parameters.get(name).map(str::to_owned);
    let otherwise = bad_parameter("give either scramble or state");
    let position = read_position(given("scramble"), given("state"), otherwise).await?;
    style.draw(position.cube).await
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::http::routes::operations::description;

    #[test]
    fn all_members_of_a_body_are_described() {
        let unknown = serde_json::from_str::<GivenPosition>("{\"?\":0}").err();
        // unknown field `?`, expected one of `scramble`, …
        let unknown = unknown.unwrap().to_string();
        let taken: BTreeSet<&str> = unknown.split('`').skip(3).step_by(2).collect();
        let description = description(true);
        let schema = &description["components"]["schemas"]["Position"];
        let described = schema["properties"].as_object().unwrap().keys();
        assert!(taken.into_iter().eq(described), "{unknown}");
    }
}
