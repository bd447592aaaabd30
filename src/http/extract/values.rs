//! Types of query parameters that several routes have.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use cube444::Effort;
use cube444::picture::{Format, Scale, Scheme};
use cube444::scramble::{Event, Subset};
use cube444_competition::{Paper, Replace, UnknownRounds};
use serde_json::{Value, json};

use super::media::Media;
use super::parameters::{Given, Parameter, bad_parameter, parameters};
use crate::http::problem::Result;
use crate::http::state::AppState;
use crate::settings::{MAX_COUNT, Settings};

parameters! {
    /// How scrambles are made.
    pub(crate) struct Search {
        /// The effort level: higher levels take longer and give fewer moves.
        effort: Effort,
        /// The method.
        method: MethodName,
    }
}

/// An optional parameter.
impl<T: Parameter> Parameter for Option<T> {
    fn read(name: &str, text: Option<&str>, given: &Given<'_>) -> Result<Option<T>> {
        text.map(|_| T::read(name, text, given)).transpose()
    }

    fn schema(state: &AppState) -> Value {
        let mut schema = T::schema(state);
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("default");
        }
        schema
    }
}

impl Parameter for String {
    fn read(_: &str, text: Option<&str>, _: &Given<'_>) -> Result<String> {
        Ok(text.unwrap_or_default().to_owned())
    }

    fn schema(_: &AppState) -> Value {
        json!({"type": "string"})
    }
}

/// A switch: 0 or 1.
impl Parameter for bool {
    fn read(name: &str, text: Option<&str>, _: &Given<'_>) -> Result<bool> {
        match text {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(_) => Err(bad_parameter(format_args!("{name} must be 0 or 1"))),
        }
    }

    fn schema(_: &AppState) -> Value {
        json!({"type": "integer", "default": 0, "maximum": 1, "minimum": 0})
    }
}

/// Reads a whole number in a range.
fn integer(name: &str, text: &str, range: RangeInclusive<u32>) -> Result<u32> {
    // `parse` would accept a leading plus sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok();
    let number = number.filter(|number| digits && range.contains(number));
    number.ok_or_else(|| {
        let (min, max) = range.into_inner();
        bad_parameter(format_args!(
            "{name} must be a whole number from {min} to {max}"
        ))
    })
}

/// A whole number in a range, with a default.
pub(crate) struct Whole<const MIN: u32, const MAX: u32, const DEFAULT: u32>(pub(crate) u32);

impl<const MIN: u32, const MAX: u32, const DEFAULT: u32> Parameter for Whole<MIN, MAX, DEFAULT> {
    fn read(name: &str, text: Option<&str>, _: &Given<'_>) -> Result<Self> {
        let number = text.map_or(Ok(DEFAULT), |text| integer(name, text, MIN..=MAX));
        number.map(Whole)
    }

    fn schema(_: &AppState) -> Value {
        json!({"type": "integer", "default": DEFAULT, "maximum": MAX, "minimum": MIN})
    }
}

/// A number of scrambles, by default 1, up to the maximum of a stream, or for a media type that is not streamed, of the
/// other responses.
pub(crate) struct Count<const MIN: u32, const IS_STREAM: bool>(pub(crate) u32);

impl<const MIN: u32, const IS_STREAM: bool> Parameter for Count<MIN, IS_STREAM> {
    fn read(name: &str, text: Option<&str>, given: &Given<'_>) -> Result<Self> {
        let settings = &given.state.settings;
        let is_stream = IS_STREAM || given.read::<Media>("format")? == Media::Lines;
        let max = if is_stream {
            settings.max_stream
        } else {
            MAX_COUNT
        };
        let count = text.map_or(Ok(1), |text| integer(name, text, MIN..=max));
        let (is_streamed, max) = (IS_STREAM || is_stream, settings.max_stream);
        count.map(Count).map_err(|error| match is_streamed {
            true => error,
            false => bad_parameter(format_args!("{error}, or up to {max} with format=lines")),
        })
    }

    fn schema(state: &AppState) -> Value {
        json!({"type": "integer", "default": 1, "maximum": state.settings.max_stream, "minimum": MIN})
    }
}

/// The effort level, by default that of the settings.
impl Parameter for Effort {
    fn read(_: &str, text: Option<&str>, given: &Given<'_>) -> Result<Effort> {
        let effort = given.state.settings.effort_of(text.map(str::parse));
        effort.map_err(bad_parameter)
    }

    fn schema(state: &AppState) -> Value {
        let Settings {
            effort, max_effort, ..
        } = &*state.settings;
        json!({"type": "integer", "default": effort, "maximum": max_effort, "minimum": 1})
    }
}

/// The name of a method, which may not exist; `None` is the default.
pub(crate) struct MethodName(pub(crate) Option<String>);

impl Parameter for MethodName {
    fn read(_: &str, text: Option<&str>, _: &Given<'_>) -> Result<MethodName> {
        Ok(MethodName(text.map(str::to_owned)))
    }

    fn schema(state: &AppState) -> Value {
        let names = state.engines.names();
        json!({"type": "string", "default": names[0], "enum": names})
    }
}

/// Reads a value whose errors name the parameter and the allowed values.
fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T> {
    text.parse().map_err(bad_parameter)
}

/// Values that have names, with a default or, as an optional parameter, without.
macro_rules! named {
    ($($type:ty $(= $default:expr)?;)+) => {$(
        impl Parameter for $type {
            fn read(_: &str, text: Option<&str>, _: &Given<'_>) -> Result<$type> {
                $(if text.is_none() {
                    return Ok($default);
                })?
                parsed(text.unwrap_or_default())
            }

            fn schema(_: &AppState) -> Value {
                let names = <$type>::ALL.map(|value| value.to_string());
                #[allow(unused_mut, reason = "some have no default")]
                let mut schema = json!({"type": "string", "enum": names});
                $(schema["default"] = $default.to_string().into();)?
                schema
            }
        }
    )+};
}
named! {
    Event = Event::default();
    Format = Format::Svg;
    Paper = Paper::default();
    Subset;
}

/// A value of which an empty text counts as absent.
fn filled<T: FromStr<Err: Display> + Default>(text: Option<&str>) -> Result<T> {
    let text = text.filter(|text| !text.is_empty());
    text.map_or_else(|| Ok(T::default()), parsed)
}

impl Parameter for Scale {
    fn read(_: &str, text: Option<&str>, _: &Given<'_>) -> Result<Scale> {
        filled(text)
    }

    fn schema(_: &AppState) -> Value {
        json!({"type": "integer", "default": 1, "maximum": Scale::MAX, "minimum": 1})
    }
}

impl Parameter for Scheme {
    fn read(_: &str, text: Option<&str>, _: &Given<'_>) -> Result<Scheme> {
        filled(text)
    }

    fn schema(_: &AppState) -> Value {
        json!({"type": "string", "default": Scheme::default().to_string(), "examples": ["00f,ff0,0f0,f80,f00,fff"]})
    }
}

/// The rounds whose scramble sets are replaced: 0, the default, 1 for all, or their names.
impl Parameter for Replace {
    fn read(name: &str, text: Option<&str>, _: &Given<'_>) -> Result<Replace> {
        match text {
            None | Some("0") => Ok(Replace::Nothing),
            Some("1") => Ok(Replace::All),
            Some(rounds) => rounds.parse().map_err(|error: UnknownRounds| {
                bad_parameter(format_args!("{name} must be 0 or 1, or {error}"))
            }),
        }
    }

    fn schema(_: &AppState) -> Value {
        let pattern = "^([01]|444(bf)?(-r[1-4])?(,444(bf)?(-r[1-4])?)*)$";
        json!({"type": "string", "default": "0", "pattern": pattern, "examples": ["444-r1"]})
    }
}
