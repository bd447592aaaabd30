//! Query parameters. They are parsed by hand so that errors can name the allowed values.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use cube444::search::Effort;
use cube444_competition::{Replace, UnknownRounds};

use crate::http::problem::{ApiError, Result};
use crate::http::state::Settings;

/// An error of a query parameter.
pub(crate) fn bad_parameter(error: impl Display) -> ApiError {
    ApiError::BadParameter(error.to_string())
}

/// The query parameters of a request: names and values.
pub(crate) struct Parameters(pub(crate) Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Parameters {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Parameters> {
        let query = Query::try_from_uri(&parts.uri);
        let Query(parameters) = query.map_err(|_| bad_parameter("the query must be NAME=VALUE"))?;
        Ok(Parameters(parameters))
    }
}

impl Parameters {
    /// Checks that all parameters are allowed, and that none is repeated. `allowed` has their names, separated by
    /// commas or by `or`.
    pub(crate) fn only(self, allowed: &str) -> Result<Parameters> {
        let allowed_names = allowed.split(", ").flat_map(|names| names.split(" or "));
        let is_allowed = |name: &str| allowed_names.clone().any(|allowed| allowed == name);
        let mut names = self.0.iter().map(|(name, _)| name);
        if names.all(|name| is_allowed(name) && self.count(name) == 1) {
            return Ok(self);
        }
        Err(bad_parameter(format_args!(
            "unknown or repeated parameter; allowed: {allowed}, each at most once"
        )))
    }

    /// Checks that none of these parameters is repeated.
    pub(crate) fn at_most_once(&self, names: &[&str]) -> Result<()> {
        let error = |name| bad_parameter(format_args!("{name} may be given at most once"));
        let repeated = names.iter().find(|name| self.count(name) > 1);
        repeated.map_or(Ok(()), |name| Err(error(name)))
    }

    fn count(&self, name: &str) -> usize {
        self.0.iter().filter(|(other, _)| other == name).count()
    }

    /// The value of a parameter, if it is present.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().find(|(other, _)| other == name);
        named.map(|(_, value)| value.as_str())
    }

    /// A switch: 0, the default, or 1.
    pub(crate) fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(_) => Err(bad_parameter(format_args!("{name} must be 0 or 1"))),
        }
    }

    /// A whole number in a range, if the parameter is present.
    pub(crate) fn integer(&self, name: &str, range: RangeInclusive<u32>) -> Result<Option<u32>> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        // `parse` would accept a leading plus sign.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok();
        let number = number.filter(|number| digits && range.contains(number));
        number.map(Some).ok_or_else(|| {
            let (min, max) = range.into_inner();
            bad_parameter(format_args!(
                "{name} must be a whole number from {min} to {max}"
            ))
        })
    }

    /// A value whose errors name the parameter and the allowed values, if the parameter is present.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>> {
        let value = self.get(name).map(str::parse);
        value.transpose().map_err(bad_parameter)
    }

    /// The effort level, by default that of the settings.
    pub(crate) fn effort(&self, settings: &Settings) -> Result<Effort> {
        let named = self.get("effort").map(str::parse);
        settings.effort_of(named).map_err(bad_parameter)
    }

    /// The rounds whose scramble sets are replaced: 0, the default, 1 for all, or their names.
    pub(crate) fn replace(&self) -> Result<Replace> {
        match self.get("replace") {
            None | Some("0") => Ok(Replace::Nothing),
            Some("1") => Ok(Replace::All),
            Some(rounds) => rounds.parse().map_err(|error: UnknownRounds| {
                bad_parameter(format_args!("replace must be 0 or 1, or {error}"))
            }),
        }
    }
}
