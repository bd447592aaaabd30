//! Query parameters that several routes share. They are parsed by hand so that errors can name the
//! allowed values.

use std::ops::RangeInclusive;

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use cube444::UnknownName;
use cube444::scramble::{Event, Subset};
use cube444::search::Effort;
use cube444_competition::{Replace, UnknownRounds};

use crate::http::problem::ApiError;
use crate::http::state::Settings;

/// The parameters of a request, as text. An error names the `allowed` ones.
pub(crate) fn query<T>(
    parameters: Result<Query<T>, QueryRejection>,
    allowed: &str,
) -> Result<T, ApiError> {
    let Query(parameters) = parameters.map_err(|_| {
        ApiError::BadParameter(format!("unknown or repeated parameter; allowed: {allowed}"))
    })?;
    Ok(parameters)
}

/// A switch: 0, the default, or 1.
pub(crate) fn flag(name: &str, text: Option<&str>) -> Result<bool, ApiError> {
    match text {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(_) => Err(ApiError::BadParameter(format!("{name} must be 0 or 1"))),
    }
}

/// The rounds whose scramble sets are replaced: 0, the default, 1 for all, or their names.
pub(crate) fn replace(text: Option<&str>) -> Result<Replace, ApiError> {
    match text {
        None | Some("0") => Ok(Replace::Nothing),
        Some("1") => Ok(Replace::All),
        Some(rounds) => rounds.parse().map_err(|error: UnknownRounds| {
            ApiError::BadParameter(format!("replace must be 0 or 1, or {error}"))
        }),
    }
}

/// A whole number in a range, if the parameter is present.
pub(crate) fn integer(
    name: &str,
    text: Option<&str>,
    range: RangeInclusive<u32>,
) -> Result<Option<u32>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    // `parse` would accept a leading plus sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits);
    let number = number.filter(|number| range.contains(number));
    number.map(Some).ok_or_else(|| {
        let (min, max) = range.into_inner();
        ApiError::BadParameter(format!("{name} must be a whole number from {min} to {max}"))
    })
}

/// The WCA event, by default 444.
pub(crate) fn event(text: Option<&str>) -> Result<Event, ApiError> {
    text.map_or(Ok(Event::default()), str::parse)
        .map_err(|error| ApiError::BadParameter(error.to_string()))
}

/// The subset of states, if the parameter is present.
pub(crate) fn subset(text: Option<&str>) -> Result<Option<Subset>, ApiError> {
    text.map(str::parse)
        .transpose()
        .map_err(|error: UnknownName| ApiError::BadParameter(error.to_string()))
}

/// The effort level, by default that of the settings.
pub(crate) fn effort(settings: &Settings, text: Option<&str>) -> Result<Effort, ApiError> {
    settings
        .effort_of(text.map(str::parse))
        .map_err(|error| ApiError::BadParameter(error.to_string()))
}
