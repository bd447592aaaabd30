//! Numbers as the older interface of TNoodle reads them: what is none counts as not given.

use std::num::IntErrorKind;

use crate::http::problem::ApiError;

/// The number that a text is, if it is one. What does not fit is the greatest or the least one.
fn read(text: &str) -> Option<i64> {
    text.parse().map_or_else(
        |error: std::num::ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => Some(i64::MAX),
            IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => None,
        },
        Some,
    )
}

/// A number from 0 to `most`, or 1 if none is given; `most` is taken for what is more.
pub(super) fn clamped(name: &str, text: Option<&str>, most: u32) -> Result<u32, ApiError> {
    let number = text.and_then(read).unwrap_or(1).min(most.into());
    u32::try_from(number).map_err(|_| {
        ApiError::BadParameter(format!("{name} must be a whole number from 0 to {most}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_one_and_what_is_too_large_is_clamped() {
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
