//! Query parameters. They are parsed by hand so that errors can name the allowed values.

use std::collections::HashSet;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use cube444::Effort;
use cube444::cube::notation::abbreviated;
use cube444::picture::Scheme;
use cube444_competition::{Replace, UnknownRounds};
use percent_encoding::percent_decode_str;

use crate::http::problem::ApiError::{self, UnexpectedParameter};
use crate::http::problem::{Names, Result};
use crate::settings::Settings;

/// An error of a query parameter.
pub(crate) fn bad_parameter(error: impl Display) -> ApiError {
    ApiError::BadParameter(error.to_string())
}

/// The query parameters of a request, unchecked: names and values.
pub(crate) struct Query(pub(crate) Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query> {
        // axum would replace invalid UTF-8.
        let mut pairs = parts.uri.query().unwrap_or_default().split('&');
        if let Some(pair) = pairs.find(|pair| percent_decode_str(pair).decode_utf8().is_err()) {
            let name = match pair.split('=').next() {
                None | Some("") => "the query".to_owned(),
                Some(name) => abbreviated(name),
            };
            return Err(bad_parameter(format_args!("{name} must be text in UTF-8")));
        }
        let query = axum::extract::Query::try_from_uri(&parts.uri);
        let query = query.map_err(|_| bad_parameter("the query must be NAME=VALUE"))?;
        Ok(Query(query.0))
    }
}

impl Query {
    /// The parameters, if all of them have one of these names and none is repeated.
    pub(crate) fn only(self, names: Names) -> Result<Parameters> {
        let is_unknown = |name: &&String| !names.contains(&name.as_str());
        match self.0.iter().map(|(name, _)| name).find(is_unknown) {
            Some(name) => Err(UnexpectedParameter("unknown", abbreviated(name), names)),
            None => self.ignoring_others(names),
        }
    }

    /// The parameters that have one of these names, none of which may be repeated. Others are ignored.
    pub(crate) fn ignoring_others(mut self, names: Names) -> Result<Parameters> {
        self.0.retain(|(name, _)| names.contains(&name.as_str()));
        let mut seen = HashSet::new();
        match self.0.iter().find(|(name, _)| !seen.insert(name)) {
            Some((name, _)) => Err(UnexpectedParameter("repeated", abbreviated(name), names)),
            None => Ok(Parameters(self.0)),
        }
    }
}

/// The query parameters that a route takes: names and values.
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
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

    /// A value like that of [`Parameters::parsed`]; the default if the parameter is absent or empty.
    pub(crate) fn filled<T: FromStr<Err: Display> + Default>(&self, name: &str) -> Result<T> {
        match self.get(name) {
            Some("") => Ok(T::default()),
            _ => Ok(self.parsed(name)?.unwrap_or_default()),
        }
    }

    /// The colours of the pictures of scrambles.
    pub(crate) fn scheme(&self) -> Result<Scheme> {
        let scheme: Scheme = self.filled("scheme")?;
        scheme.distinct().map_err(bad_parameter)
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
