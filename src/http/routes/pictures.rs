//! `GET /v1/picture`, and pictures as answers.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::positions::given;
use super::schema;
use crate::cube::Cube;
use crate::http::problem::{ApiError, Problem, Problems};
use crate::picture::{Format, Scale, Scheme, png, svg};

/// Query parameters, still as text so that errors can say what is allowed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// The turns of the solved cube that lead to the position.
    #[param(example = "Rw U2 F' x")]
    scramble: Option<String>,
    /// Or its 96 facelets, faces in the order U R F D L B, in face letters (U R F D L B) or colour
    /// letters (W R G Y O B), in lower case too, with any white space between them.
    #[param(min_length = 96)]
    state: Option<String>,
    /// The file format.
    #[param(inline, value_type = Option<schema::PictureFormat>)]
    format: Option<String>,
    /// The colours of the faces B,D,F,L,R,U, each `rgb` or `rrggbb`.
    #[param(example = "00f,ff0,0f0,f80,f00,fff")]
    scheme: Option<String>,
    /// How many times each pixel of a PNG is repeated in both directions.
    #[param(value_type = Option<u8>, minimum = 1, maximum = 8, default = 1)]
    scale: Option<String>,
}

/// Reads colours; where no text is given, or an empty one, they are the usual ones.
pub(crate) fn read_scheme(text: Option<&str>) -> Result<Scheme, ApiError> {
    let text = text.filter(|text| !text.is_empty());
    text.map_or(Ok(Scheme::default()), str::parse)
        .map_err(bad_parameter)
}

/// How a picture is wanted.
pub(crate) struct Style {
    /// The file format.
    format: Format,
    /// The colours.
    scheme: Scheme,
    /// The size of a PNG; an SVG has none.
    scale: Option<Scale>,
}

impl Style {
    /// Reads query parameters; one that is empty means the same as none.
    pub(crate) fn new(
        format: Format,
        scheme: Option<&str>,
        scale: Option<&str>,
    ) -> Result<Style, ApiError> {
        let scheme = read_scheme(scheme)?;
        let scale = scale.filter(|text| !text.is_empty());
        let scale: Option<Scale> = scale.map(str::parse).transpose().map_err(bad_parameter)?;
        if format == Format::Svg && scale.is_some() {
            let text = "scale is for png; an svg has no pixels".to_owned();
            return Err(ApiError::BadParameter(text));
        }
        Ok(Style {
            format,
            scheme,
            scale,
        })
    }

    /// An SVG in these colours.
    pub(crate) fn svg(scheme: Scheme) -> Style {
        Style {
            format: Format::Svg,
            scheme,
            scale: None,
        }
    }

    /// The picture of a state.
    pub(crate) fn draw(&self, cube: &Cube) -> Response {
        match self.format {
            Format::Svg => {
                let headers = [(header::CONTENT_TYPE, "image/svg+xml")];
                (headers, svg(cube, &self.scheme)).into_response()
            }
            Format::Png => {
                let headers = [(header::CONTENT_TYPE, "image/png")];
                let bytes = png(cube, &self.scheme, self.scale.unwrap_or_default());
                (headers, bytes).into_response()
            }
        }
    }
}

fn bad_parameter(error: impl std::error::Error) -> ApiError {
    ApiError::BadParameter(error.to_string())
}

/// A picture of a position.
///
/// The net of the cube, U above F, D below F, and L F R B side by side: 170 by 128 pixels, a PNG times
/// its scale. It can be had while tables are being prepared, too.
#[utoipa::path(
    get,
    path = "/v1/picture",
    operation_id = "picture",
    tag = "positions",
    params(Parameters),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "a picture", content(
            (String = "image/svg+xml"),
            (schema::File = "image/png"),
        )),
        (status = 400, description = "a bad parameter", body = Problem,
            content_type = "application/problem+json"),
        (status = 422, description = "no such position", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(crate) async fn get(
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(wanted) = parameters.map_err(|_| {
        ApiError::BadParameter(
            "the parameters allowed are scramble or state, format, scheme and scale, each once"
                .to_owned(),
        )
    })?;
    let format = wanted.format.as_deref().map_or(Ok(Format::Svg), str::parse);
    let format = format.map_err(bad_parameter)?;
    let style = Style::new(format, wanted.scheme.as_deref(), wanted.scale.as_deref())?;
    let position = given(wanted.scramble.as_deref(), wanted.state.as_deref());
    let position = position
        .ok_or_else(|| ApiError::BadParameter("give either scramble or state".to_owned()))??;
    Ok(style.draw(&position.cube))
}
