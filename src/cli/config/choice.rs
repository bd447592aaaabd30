//! Parsers of the values of flags.

use std::error::Error;
use std::fmt;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cube444::cube::Metric;
use cube444::method::Method;
use cube444::scramble::Event;

/// Parses one of `names`, which errors, help and completions list.
pub(crate) fn one_of<T, N>(names: N) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
    N: IntoIterator<Item: Into<PossibleValue>>,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// Parses a whole number in `range`, which errors name.
pub(crate) fn within<T>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            format!(
                "not a whole number from {} to {}",
                range.start(),
                range.end()
            )
        })
    }
}

/// Parses a metric.
pub(crate) fn metric() -> impl TypedValueParser<Value = Metric> {
    one_of(Metric::ALL.map(Metric::name))
}

/// Parses a WCA event.
pub(crate) fn event() -> impl TypedValueParser<Value = Event> {
    one_of(Event::ALL.map(Event::name))
}

/// Parses the name of one of `methods`.
pub(crate) fn method(methods: &'static [Method]) -> impl TypedValueParser<Value = Method> {
    let values = methods
        .iter()
        .map(|method| PossibleValue::new(method.name()).help(method.summary()));
    PossibleValuesParser::new(values).map(|name| {
        let method = methods.iter().find(|method| method.name() == name);
        *method.expect("the parser allows these names only")
    })
}

/// Invalid arguments that clap does not detect. The program exits with 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct InvalidArguments(String);

impl InvalidArguments {
    pub(crate) fn new(message: impl fmt::Display) -> InvalidArguments {
        InvalidArguments(message.to_string())
    }
}

/// Fails with the message unless the arguments are `valid`.
pub(crate) fn require(valid: bool, message: impl fmt::Display) -> Result<(), InvalidArguments> {
    if valid {
        Ok(())
    } else {
        Err(InvalidArguments::new(message))
    }
}
