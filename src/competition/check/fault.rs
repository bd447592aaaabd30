//! What can be wrong with scrambles in a file.

use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::cube::NotWca;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file has no scrambles.
    #[error("there are no scrambles")]
    Nothing,
    /// A word is no turn in WCA notation.
    #[error(transparent)]
    Notation(#[from] NotWca),
    /// Neighbouring turns about one axis could be fewer.
    #[error("turns {first} to {last} ({turns}) are {count}, but {fewer} would do the same")]
    Mergeable {
        /// The first of them, from 1.
        first: usize,
        /// The last of them.
        last: usize,
        /// What they are.
        turns: String,
        /// How many of them turn only a part of the cube.
        count: usize,
        /// How many such turns it takes.
        fewer: usize,
    },
    /// The cube is turned as a whole where it must not be.
    #[error("turn {position} ({turn}) turns the whole cube, {problem}")]
    Rotation {
        /// Which turn, from 1.
        position: usize,
        /// What it is.
        turn: String,
        /// Why it must not be there.
        problem: &'static str,
    },
    /// WCA regulation 4b3 asks for states farther from solved.
    #[error("leads to a state less than two turns from solved")]
    TooNear,
    /// No two scrambles lead to the same state, but by broken random numbers or by a copy.
    #[error("leads to the same state as {0}")]
    SameState(String),
    /// The number of turns that is given with the scramble is wrong.
    #[error("is said to have {claimed} moves, but has {counted}")]
    Moves {
        /// What is said.
        claimed: u32,
        /// What is so.
        counted: usize,
    },
    /// The state that is given with the scramble is wrong.
    #[error("is given with a state that it does not lead to")]
    State,
    /// The picture that is given with the scramble is wrong.
    #[error("is given with a picture (svg) that is not this program's of the state it leads to")]
    Picture,
    /// A round or set has not the number of sets or scrambles that it must have.
    #[error("has {found} {of}, but must have {expected}")]
    Count {
        /// How many there are.
        found: usize,
        /// Of what.
        of: &'static str,
        /// How many there must be.
        expected: Expected,
    },
    /// A set has no number, or one that another set has.
    #[error("has {0} as its id; every set of a competition must have a number of its own")]
    SetId(String),
    /// An activity of the schedule refers to a set that there is not.
    #[error("refers to scramble set {0}, which is not in the file")]
    SetReference(u64),
    /// The state is not the one that seed and salt decide.
    #[error("does not lead to the state that is derived for it")]
    NotDerived,
    /// The root is not the one that was committed to.
    #[error("has the commitment {found}, not {by}")]
    Commitment {
        /// The commitment of the root.
        found: String,
        /// Which commitment it should be.
        by: &'static str,
    },
    /// The file says that it was made with another salt than the auditor's.
    #[error("names another salt than the auditor's")]
    Salt,
    /// Without the published commitment an audit shows little.
    #[error(
        "lacks the published commitment: the root may have been chosen after the salt was known"
    )]
    NoCommitment,
    /// Without the salt that the auditor named an audit shows little.
    #[error("lacks the salt that the auditor named: the one in the file may be the maker's choice")]
    NoSalt,
    /// A stream of scrambles ended in an error.
    #[error("is a problem document: the service could not make all scrambles")]
    Interrupted,
}

/// How many of something there must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// So many.
    Exactly(u32),
    /// So many or more.
    AtLeast(u32),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Exactly(count) => write!(f, "{count}"),
            Expected::AtLeast(count) => write!(f, "at least {count}"),
        }
    }
}

impl Fault {
    /// A word for programs, which does not change.
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
            Fault::Interrupted => "interrupted",
        }
    }
}

/// A fault and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Such as `line 3` or `444 round 1 set A extra 2`.
    pub place: String,
    /// What is wrong there.
    pub fault: Fault,
}

impl Serialize for Finding {
    /// An object with `place`, `kind` and, for people, `text`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Finding", 3)?;
        object.serialize_field("place", &self.place)?;
        object.serialize_field("kind", self.fault.kind())?;
        object.serialize_field("text", &self.fault.to_string())?;
        object.end()
    }
}
