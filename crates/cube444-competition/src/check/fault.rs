//! Findings of a check.

use std::fmt;

use cube444::cube::WcaNotationError;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// A fault of a scramble or of a file. Its message completes a sentence that begins with the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file has no scrambles.
    #[error("has no scrambles")]
    Nothing,
    /// A word is not a turn in WCA notation.
    #[error(transparent)]
    Notation(#[from] WcaNotationError),
    /// Consecutive turns about one axis could be replaced by fewer.
    #[error("turns {first} to {last} ({turns}) are {count}, but {fewer} would do the same")]
    Mergeable {
        /// The number of the first one, from 1.
        first: usize,
        /// The number of the last one.
        last: usize,
        /// The turns.
        turns: String,
        /// The number of turns, without rotations of the whole cube.
        count: usize,
        /// The number of turns that would be enough.
        fewer: usize,
    },
    /// A rotation of the whole cube is not allowed.
    #[error("turn {position} ({turn}) turns the whole cube, {problem}")]
    Rotation {
        /// The number of the turn, from 1.
        position: usize,
        /// The turn.
        turn: String,
        /// Why it is not allowed.
        problem: &'static str,
    },
    /// The state violates WCA regulation 4b3.
    #[error("leads to a state less than two turns from solved")]
    TooNear,
    /// Another scramble leads to the same state: a copy, or a broken random number generator.
    #[error("leads to the same state as {0}")]
    SameState(String),
    /// The file states a wrong number of turns.
    #[error("has {counted} moves, not {claimed} as stated")]
    Moves {
        /// The stated number.
        claimed: u32,
        /// The actual number.
        counted: usize,
    },
    /// The file states a wrong state.
    #[error("does not lead to the state in the file")]
    State,
    /// The picture in the file is wrong.
    #[error("has a picture (svg) that differs from this program's picture of its state")]
    Picture,
    /// A round or a set has a wrong number of sets or scrambles.
    #[error("has {found} {of}, but must have {expected}")]
    Count {
        /// The actual number.
        found: usize,
        /// What is counted.
        of: &'static str,
        /// The required number.
        expected: ExpectedCount,
    },
    /// A set has an id that is not a number, or that another set has.
    #[error("has the id {0}; every set of a competition must have a number that no other set has")]
    SetId(String),
    /// An activity of the schedule refers to a set that does not exist.
    #[error("refers to scramble set {0}, which is not in the file")]
    SetReference(u64),
    /// The state is not the one that is derived from the root and the salt.
    #[error("does not lead to its derived state")]
    NotDerived,
    /// The root does not match a commitment.
    #[error("has the commitment {found}, not {expected}")]
    Commitment {
        /// The commitment of the root.
        found: String,
        /// The source of the expected commitment.
        expected: &'static str,
    },
    /// The file names another salt than the auditor.
    #[error("names another salt than the auditor's")]
    Salt,
    /// The audit lacks the published commitment.
    #[error(
        "lacks the published commitment: the root may have been chosen after the salt was known"
    )]
    NoCommitment,
    /// The audit lacks the auditor's salt.
    #[error("lacks the salt that the auditor named: the one in the file may be the maker's choice")]
    NoSalt,
    /// A member of the file is invalid.
    #[error("{0}")]
    Member(String),
    /// A stream of scrambles ended in an error.
    #[error("is a problem document: the service could not make all scrambles")]
    Interrupted,
}

/// A required number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedCount {
    /// This number.
    Exactly(u32),
    /// This number or more.
    AtLeast(u32),
}

impl fmt::Display for ExpectedCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectedCount::Exactly(count) => write!(f, "{count}"),
            ExpectedCount::AtLeast(count) => write!(f, "at least {count}"),
        }
    }
}

impl Fault {
    /// A word for programs. Stable.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Nothing => "nothing",
            Fault::Notation(_) => "notation",
            Fault::Mergeable { .. } => "mergeable",
            Fault::Rotation { .. } => "rotation",
            Fault::TooNear => "too-near",
            Fault::SameState(_) => "same-state",
            Fault::Moves { .. } => "moves",
            Fault::State => "state",
            Fault::Picture => "picture",
            Fault::Count { .. } => "count",
            Fault::SetId(_) => "set-id",
            Fault::SetReference(_) => "set-reference",
            Fault::NotDerived => "not-derived",
            Fault::Commitment { .. } => "commitment",
            Fault::Salt => "salt",
            Fault::NoCommitment => "no-commitment",
            Fault::NoSalt => "no-salt",
            Fault::Member(_) => "member",
            Fault::Interrupted => "interrupted",
        }
    }
}

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// For example `line 3` or `444 round 1 set A extra 2`.
    pub place: String,
    /// The fault.
    pub fault: Fault,
}

impl Serialize for Finding {
    /// Writes an object with `place`, `kind` and the message as `text`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Finding", 3)?;
        object.serialize_field("place", &self.place)?;
        object.serialize_field("kind", self.fault.kind())?;
        object.serialize_field("text", &self.fault.to_string())?;
        object.end()
    }
}
