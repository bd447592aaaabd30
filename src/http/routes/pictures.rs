//! `GET /v1/picture`, and pictures as responses.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use cube444::cube::Cube;
use cube444::picture::{Format, Scale, Scheme, png, svg};
use serde::Deserialize;

use super::positions::read_position;
use crate::http::extract::parameters::query;
use crate::http::problem::ApiError;

/// Query parameters, as text so that errors can name the allowed values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureParameters {
    /// The turns that lead from the solved cube to the position.
    scramble: Option<String>,
    /// Alternatively its 96 facelets, faces in the order U R F D L B, as face letters (U R F D L B) or
    /// colour letters (W R G Y O B), in upper or lower case. White space is ignored.
    state: Option<String>,
    /// The file format.
    format: Option<String>,
    /// The colours of the faces B,D,F,L,R,U, each `rgb` or `rrggbb`.
    scheme: Option<String>,
    /// The scale of a PNG.
    scale: Option<String>,
}

/// Reads a colour scheme. Without a text, or with an empty one, it is the default.
pub(crate) fn read_scheme(text: Option<&str>) -> Result<Scheme, ApiError> {
    let text = text.filter(|text| !text.is_empty());
    text.map_or(Ok(Scheme::default()), str::parse)
        .map_err(bad_parameter)
}

/// The form of a picture.
pub(crate) struct Style {
    format: Format,
    pub(crate) scheme: Scheme,
    /// Only for PNG.
    scale: Option<Scale>,
}

impl Style {
    /// Reads query parameters. An empty one counts as absent.
    pub(crate) fn new(
        format: Format,
        scheme: Option<&str>,
        scale: Option<&str>,
    ) -> Result<Style, ApiError> {
        let scheme = read_scheme(scheme)?;
        let scale = scale.filter(|text| !text.is_empty());
        let scale: Option<Scale> = scale.map(str::parse).transpose().map_err(bad_parameter)?;
        if format == Format::Svg && scale.is_some() {
            let text = "scale is only for png".to_owned();
            return Err(ApiError::BadParameter(text));
        }
        Ok(Style {
            format,
            scheme,
            scale,
        })
    }

    /// An SVG.
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
                let headers = [
                    (header::CONTENT_TYPE, "image/svg+xml"),
                    (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
                ];
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
/// its scale. Also available while the service is starting.
pub(crate) async fn get(
    parameters: Result<Query<PictureParameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let query = query(
        parameters,
        "scramble or state, format, scheme, scale, each at most once",
    )?;
    let format = query.format.as_deref().map_or(Ok(Format::Svg), str::parse);
    let format = format.map_err(bad_parameter)?;
    let style = Style::new(format, query.scheme.as_deref(), query.scale.as_deref())?;
    let position = read_position(query.scramble.as_deref(), query.state.as_deref());
    let position = position
        .ok_or_else(|| ApiError::BadParameter("give either scramble or state".to_owned()))??;
    Ok(style.draw(&position.cube))
}
