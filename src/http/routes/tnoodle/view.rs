//! Pictures, for both versions of TNoodle's interface.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::response::{IntoResponse, Response};
use cube444::picture::{Format, HEIGHT, WIDTH};
use cube444::scramble::ParsedPosition;
use serde::Deserialize;
use serde_json::json;

use crate::http::problem::ApiError;
use crate::http::routes::pictures::Style;

/// Query parameters of a picture. Others are ignored.
#[derive(Deserialize)]
pub(super) struct ViewParameters {
    /// The turns that lead from the solved cube to the position, by default none.
    scramble: Option<String>,
    /// The colours of the faces B,D,F,L,R,U, each `rgb` or `rrggbb`.
    scheme: Option<String>,
    /// The scale of a PNG.
    scale: Option<String>,
}

/// Responds with a picture, or, if the format is `json`, with its size and colours.
pub(super) fn view(
    format: &str,
    parameters: Result<Query<ViewParameters>, QueryRejection>,
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
    let size = json!({"width": WIDTH, "height": HEIGHT});
    Ok(Json(json!({"size": size, "colorScheme": style.scheme})).into_response())
}
