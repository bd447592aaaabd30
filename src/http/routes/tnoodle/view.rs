//! Pictures as TNoodle's routes give them.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::problem::ApiError;
use crate::http::routes::pictures::{Style, read_scheme};
use crate::http::routes::schema;
use crate::picture::{HEIGHT, Scheme, WIDTH};
use crate::scramble::Given;

/// Query parameters of a picture. Others are ignored.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Parameters {
    /// The turns of the solved cube that lead to the position; none of them for the solved cube.
    #[param(example = "Rw U2 F' x")]
    scramble: Option<String>,
    /// The colours of the faces B,D,F,L,R,U, each `rgb` or `rrggbb`.
    #[param(example = "00f,ff0,0f0,f80,f00,fff")]
    scheme: Option<String>,
    /// How many times each pixel of a PNG is repeated in both directions.
    #[param(value_type = Option<u8>, minimum = 1, maximum = 8, default = 1)]
    scale: Option<String>,
}

/// What is said of a picture.
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

/// Answers with a picture in a format, or, as `json`, with what can be said of it.
pub(super) fn view(
    format: &str,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let picture = match format {
        "json" => None,
        name => Some(name.parse().map_err(|_| {
            ApiError::Unknown("a picture can be had as svg, png or json".to_owned())
        })?),
    };
    let Query(wanted) = parameters.map_err(|_| {
        ApiError::BadParameter("scramble, scheme and scale may each be given once".to_owned())
    })?;
    let Given { cube, .. } = Given::by_turns(wanted.scramble.as_deref().unwrap_or_default())?;
    let (scheme, scale) = (wanted.scheme.as_deref(), wanted.scale.as_deref());
    if let Some(format) = picture {
        return Ok(Style::new(format, scheme, scale)?.draw(&cube));
    }
    let (width, height) = (WIDTH, HEIGHT);
    let size = Size { width, height };
    let color_scheme = read_scheme(scheme)?;
    Ok(Json(Description { size, color_scheme }).into_response())
}
