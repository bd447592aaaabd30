//! Flags and environment variables of the service and of several commands.

use std::fmt;

mod choice;
mod engine;
mod serve;

pub(super) use choice::{event, metric, one_of, within};
pub(super) use engine::{EffortConfig, EngineConfig};
pub(super) use serve::{LogFormat, ServeConfig, address};

/// Arguments of which each is valid, but not with the others.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct InvalidArguments(String);

impl InvalidArguments {
    pub(super) fn new(message: impl fmt::Display) -> InvalidArguments {
        InvalidArguments(message.to_string())
    }
}

/// Fails with the message unless the arguments are `valid` together.
pub(super) fn require(valid: bool, message: fmt::Arguments<'_>) -> Result<(), InvalidArguments> {
    if valid {
        Ok(())
    } else {
        Err(InvalidArguments::new(message))
    }
}
