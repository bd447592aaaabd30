//! Query parameters of TNoodle's interfaces. Those that this service does not support are errors: clients that send
//! them would misinterpret the response. What is not a number is ignored, as TNoodle did before version 1.0.

use std::num::IntErrorKind;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::http::problem::ApiError;

/// Rejects a parameter that is not supported.
pub(super) fn refuse_unsupported(name: &str) -> Result<(), ApiError> {
    let reason = match name {
        "seed" => "seed is not supported: a known seed would reveal the scrambles in advance",
        "callback" => "callback is not supported: there is no JSONP; see --cors-origin",
        _ => return Ok(()),
    };
    Err(ApiError::BadParameter(reason.to_owned()))
}

/// Query parameters without unsupported ones.
pub(super) struct SupportedQuery<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for SupportedQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<SupportedQuery<T>, ApiError> {
        let repeated = |_| ApiError::BadParameter("each parameter may be given once".to_owned());
        let Query(query) = Query::try_from_uri(&parts.uri).map_err(repeated)?;
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        for (name, _) in pairs.map_err(repeated)?.0 {
            refuse_unsupported(&name)?;
        }
        Ok(SupportedQuery(query))
    }
}

/// Parses a number and saturates on overflow.
fn parse_saturating(text: &str) -> Option<i64> {
    text.parse().map_or_else(
        |error: std::num::ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => Some(i64::MAX),
            IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => None,
        },
        Some,
    )
}

/// A number from 0 to `max`, by default 1. Greater numbers become `max`; negative ones are an error.
pub(super) fn clamped(name: &str, text: Option<&str>, max: u32) -> Result<u32, ApiError> {
    let number = text.and_then(parse_saturating).unwrap_or(1).min(max.into());
    u32::try_from(number).map_err(|_| {
        ApiError::BadParameter(format!("{name} must be a whole number from 0 to {max}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_one_and_large_numbers_are_clamped() {
        for (text, expected) in [
            (None, Some(1)),
            (Some(""), Some(1)),
            (Some("five"), Some(1)),
            (Some("2.5"), Some(1)),
            (Some("0"), Some(0)),
            (Some("5"), Some(5)),
            (Some("100"), Some(100)),
            (Some("101"), Some(100)),
            (Some("99999999999999999999"), Some(100)),
            (Some("-1"), None),
            (Some("-99999999999999999999"), None),
        ] {
            assert_eq!(clamped("n", text, 100).ok(), expected, "{text:?}");
        }
    }
}
