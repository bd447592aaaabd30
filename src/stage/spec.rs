//! What a stage is, as data.

use crate::coord::Coordinate;
use crate::coord::centers::CenterPairing;
use crate::cube::{Action, Symmetry};

use super::freedom::Freedom;

/// The first of the two coordinates beside the lead.
pub enum FirstRest {
    /// None: a coordinate with one value.
    Nothing,
    /// One that moves on its own.
    Free(Box<dyn Coordinate>),
    /// The pairing of the eight centers whose places are the lead coordinate; how it moves depends
    /// on those places.
    PairingOfLead(CenterPairing),
}

impl FirstRest {
    /// The coordinate, if there is one.
    #[must_use]
    pub fn coordinate(&self) -> Option<&dyn Coordinate> {
        match self {
            FirstRest::Nothing => None,
            FirstRest::Free(coordinate) => Some(&**coordinate),
            FirstRest::PairingOfLead(pairing) => Some(pairing),
        }
    }
}

/// Which of the two rest coordinates a table covers, beside the lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cover {
    /// Lead and both: exact.
    Both,
    /// Lead and first.
    First,
    /// Lead and second.
    Second,
}

impl Cover {
    /// A word for labels.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Cover::Both => "exact",
            Cover::First => "first",
            Cover::Second => "second",
        }
    }
}

/// Numbers that a stage is known to have, from the literature; tests compare.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Symmetry classes of the lead coordinate, taken together with the pairing if that is of the
    /// lead.
    pub classes: usize,
    /// Positions (lead, first, second) in which the stage is done.
    pub goals: usize,
    /// Positions in all.
    pub positions: u64,
}

/// A stage: what it must reach, with which turns, and by which coordinates that is measured.
pub struct StageSpec {
    /// A short name, part of table file names.
    pub name: &'static str,
    /// The goal in words.
    pub goal: &'static str,
    /// What may be turned.
    pub freedom: Freedom,
    /// What may be turned without leaving the goal: the next stage's freedom.
    pub goal_freedom: Freedom,
    /// The symmetry actions that map the goal, over all its orientations, to itself: a group, the
    /// identity first.
    pub symmetries: Vec<Action>,
    /// The choices of colours to try on entry, the one at hand (the identity) included.
    pub relabellings: Vec<Symmetry>,
    /// The greatest cost of turns before the state to try on entry, from 0 to 2; see
    /// [`Premove`](super::Premove).
    pub premoves: u8,
    /// Whole rotations, one of which brings each orientation of the goal to the next stage's; the
    /// identity included.
    pub turns: Vec<Symmetry>,
    /// The coordinate that is reduced by symmetry.
    pub lead: Box<dyn Coordinate>,
    /// A coordinate beside it of at most 256 values.
    pub first: FirstRest,
    /// A coordinate beside it of at most 65,536 values.
    pub second: Box<dyn Coordinate>,
    /// The tables of the compact profile; the full profile has one, [`Cover::Both`].
    pub compact: &'static [Cover],
    /// Known numbers.
    pub expected: Expected,
}
