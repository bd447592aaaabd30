//! How far a start is.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

/// How far the start is.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Progress {
    /// What is being done.
    pub step: String,
    /// How much of it is done, from 0 to 1.
    pub done: f64,
}

impl Progress {
    /// Nothing is done yet.
    pub(crate) fn nothing() -> Progress {
        Progress {
            step: "preparing".to_owned(),
            done: 0.0,
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.0} % done)", self.step, 100.0 * self.done)
    }
}
