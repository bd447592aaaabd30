//! TNoodle's puzzles and their names.

use std::str::FromStr;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use cube444::cube::notation::abbreviated;
use cube444::scramble::{Event, Scramble};
use serde::Deserialize;

use crate::http::problem::ApiError;
use crate::pool::GeneratedScramble;

/// A puzzle.
#[derive(Clone, Copy)]
pub(super) struct Puzzle {
    /// Its name in requests.
    pub(super) short_name: &'static str,
    /// Its name for people.
    pub(super) long_name: &'static str,
    event: Event,
}

/// The cube for sighted solving.
const SIGHTED: Puzzle = Puzzle {
    short_name: "444",
    long_name: "4x4x4",
    event: Event::Sighted,
};

/// The cube for blindfolded solving. A scramble ends in one of 24 orientations.
const NO_INSPECTION: Puzzle = Puzzle {
    short_name: "444ni",
    long_name: "4x4x4 no inspection",
    event: Event::Blindfolded,
};

/// The puzzles, in the order of their names.
pub(super) const PUZZLES: [Puzzle; 2] = [SIGHTED, NO_INSPECTION];

impl Puzzle {
    /// A scramble of this puzzle.
    pub(super) fn scramble(self, generated: GeneratedScramble) -> Scramble {
        generated.for_event(self.event)
    }
}

impl FromStr for Puzzle {
    type Err = ApiError;

    /// Reads a name: TNoodle's name, the WCA event, or a name that earlier versions of TNoodle or csTimer
    /// used.
    fn from_str(name: &str) -> Result<Puzzle, ApiError> {
        match name {
            "444" | "444fast" | "444wca" => Ok(SIGHTED),
            "444ni" | "444bf" | "444bld" => Ok(NO_INSPECTION),
            _ => Err(ApiError::Unknown(format!(
                "no puzzle {:?}; the puzzles are 444 (or 444wca, 444fast) and 444ni (or 444bf, 444bld)",
                abbreviated(name)
            ))),
        }
    }
}

/// The path parameter of a puzzle.
#[derive(Deserialize)]
struct Named {
    puzzle: String,
}

impl<S: Send + Sync> FromRequestParts<S> for Puzzle {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Puzzle, ApiError> {
        // Fails if the path is not UTF-8.
        let path = Path::<Named>::from_request_parts(parts, state).await;
        let Path(named) = path.map_err(|_| ApiError::NotFound)?;
        named.puzzle.parse()
    }
}
