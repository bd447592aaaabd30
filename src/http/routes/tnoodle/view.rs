//! Pictures, for both versions of TNoodle's interface.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::problem::ApiError;
use crate::http::routes::pictures::Style;
use crate::http::routes::schema;
use cube444::picture::{Format, HEIGHT, Scheme, WIDTH};
use cube444::scramble::ParsedPosition;

/// Query parameters of a picture. Others are ignored.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Parameters {
    /// The turns that lead from the solved cube to the position, by default none.
    #[param(example = "Rw U2 F' x")]
    scramble: Option<String>,
    /// The colours of the faces B,D,F,L,R,U, each `rgb` or `rrggbb`.
    #[param(example = "00f,ff0,0f0,f80,f00,fff")]
    scheme: Option<String>,
    /// The scale of a PNG.
    #[param(value_type = Option<u8>, minimum = 1, maximum = 8, default = 1)]
    scale: Option<String>,
}

/// The size and the colours of a picture.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Description {
    size: Size,
    /// The colours of the faces, as `rrggbb`.
    #[schema(value_type = schema::Colours)]
    color_scheme: Scheme,
}

/// The size of a picture in pixels.
#[derive(Serialize, ToSchema)]
struct Size {
    width: usize,
    height: usize,
}

/// Responds with a picture, or, if the format is `json`, with its size and colours.
pub(super) fn view(
    format: &str,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let picture = match format {
        "json" => None,
        name => Some(name.parse().map_err(|_| {
            ApiError::Unknown("the format of a picture must be svg, png or json".to_owned())
        })?),
    };
    let Query(query) = parameters.map_err(|_| {
        ApiError::BadParameter("scramble, scheme and scale may each be given once".to_owned())
    })?;
    let ParsedPosition { cube, .. } =
        ParsedPosition::from_turns(query.scramble.as_deref().unwrap_or_default())?;
    let (scheme, scale) = (query.scheme.as_deref(), query.scale.as_deref());
    // A description takes a scale, like a PNG, and ignores it.
    let style = Style::new(picture.unwrap_or(Format::Png), scheme, scale)?;
    if picture.is_some() {
        return Ok(style.draw(&cube));
    }
    let (width, height) = (WIDTH, HEIGHT);
    let size = Size { width, height };
    let color_scheme = style.scheme;
    Ok(Json(Description { size, color_scheme }).into_response())
}
