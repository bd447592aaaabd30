//! Arguments that do not go together.

use std::fmt;

/// Arguments of which each is valid, but not with the others.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct InvalidArguments(String);

impl InvalidArguments {
    pub(crate) fn new(message: impl fmt::Display) -> InvalidArguments {
        InvalidArguments(message.to_string())
    }
}

/// Fails with the message unless the arguments are `valid` together.
pub(crate) fn require(valid: bool, message: fmt::Arguments<'_>) -> Result<(), InvalidArguments> {
    if valid {
        Ok(())
    } else {
        Err(InvalidArguments::new(message))
    }
}
