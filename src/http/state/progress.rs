//! Progress of the start.

use std::fmt;

use serde::Serialize;

/// Progress of the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// The current step.
    pub step: String,
    /// The fraction that is done, from 0 to 1.
    pub done: f64,
}

impl Progress {
    /// The first step, of which nothing is done.
    pub(crate) fn preparing() -> Progress {
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
