//! Arguments that are invalid, although each can be parsed.

use std::fmt;

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
