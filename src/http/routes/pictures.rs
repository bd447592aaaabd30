//! `GET /v1/picture`, and pictures as responses.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use cube444::cube::Cube;
use cube444::picture::{Format, Scale, Scheme, png, svg};

use super::positions::read_position;
use crate::http::extract::parameters::{Parameters, bad_parameter};
use crate::http::problem::ApiError;

/// The form of a picture.
pub(crate) struct Style {
    format: Format,
    pub(crate) scheme: Scheme,
    /// Only for PNG.
    scale: Option<Scale>,
}

impl Style {
    /// Reads the parameters `scheme` and `scale`. An empty one counts as absent.
    pub(crate) fn new(format: Format, parameters: &Parameters) -> Result<Style, ApiError> {
        let scheme = parameters.parsed_filled("scheme")?.unwrap_or_default();
        let scale = parameters.parsed_filled("scale")?;
        if format == Format::Svg && scale.is_some() {
            return Err(bad_parameter("scale is only for png"));
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

/// A picture of a position.
///
/// The net of the cube, U above F, D below F, and L F R B side by side: 170 by 128 pixels, a PNG times
/// its scale. Also available while the service is starting.
pub(crate) async fn get(parameters: Parameters) -> Result<Response, ApiError> {
    let parameters = parameters.only("scramble or state, format, scheme, scale")?;
    let format = parameters.parsed("format")?.unwrap_or(Format::Svg);
    let style = Style::new(format, &parameters)?;
    let position = read_position(parameters.get("scramble"), parameters.get("state"));
    let position = position.ok_or_else(|| bad_parameter("give either scramble or state"))??;
    Ok(style.draw(&position.cube))
}
