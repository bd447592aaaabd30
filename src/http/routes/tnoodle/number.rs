//! Numbers in the legacy interface of TNoodle, which ignores text that is not a number.

use std::num::IntErrorKind;

use crate::http::problem::ApiError;

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
