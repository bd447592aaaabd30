//! Identifying the scrambles of a competition.

use std::fmt;

use cube444::scramble::Event;

/// Identifies a scramble of a competition. `Display` gives, for example, `444 round 1 set A extra 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScrambleId {
    /// The event.
    pub event: Event,
    /// The number of the round, from 1.
    pub round: u32,
    /// The number of the scramble set in the round, from 1, which is set A.
    pub set: u32,
    /// The number of the scramble in the set.
    pub attempt: Attempt,
}

/// The number of a scramble in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The number of an attempt, from 1.
    Counted(u32),
    /// The number of an extra scramble, from 1. These are for attempts that have to be repeated.
    Extra(u32),
}

/// The name of a set: A to Z for sets 1 to 26. Sets beyond Z, which competitions do not have, are named by
/// their numbers.
pub(super) fn set_name(set: u32) -> String {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".chars();
    let letter = (1..).zip(letters).find(|&(number, _)| number == set);
    letter.map_or_else(|| set.to_string(), |(_, letter)| letter.to_string())
}

impl fmt::Display for ScrambleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, set) = (self.event, set_name(self.set));
        write!(f, "{event} round {} set {set} ", self.round)?;
        match self.attempt {
            Attempt::Counted(number) => write!(f, "scramble {number}"),
            Attempt::Extra(number) => write!(f, "extra {number}"),
        }
    }
}
