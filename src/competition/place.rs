//! Where in a competition a scramble is.

use std::fmt;

use crate::scramble::Event;

/// One scramble of a competition, by where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The event.
    pub event: Event,
    /// The number of the round, from 1.
    pub round: u32,
    /// The number of the scramble set in the round, from 1, which is set A.
    pub set: u32,
    /// Which scramble of the set.
    pub attempt: Attempt,
}

/// Which scramble of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The one of an attempt, by its number from 1.
    Counted(u32),
    /// An extra one, for attempts that have to be repeated, by its number from 1.
    Extra(u32),
}

/// What a set is called: A is set 1. Sets beyond Z, which no round of a competition has, are called by
/// their numbers.
pub(super) fn set_name(set: u32) -> String {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".chars();
    let letter = (1..).zip(letters).find(|&(number, _)| number == set);
    letter.map_or_else(|| set.to_string(), |(_, letter)| letter.to_string())
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, set) = (self.event.id(), set_name(self.set));
        write!(f, "{event} round {} set {set} ", self.round)?;
        match self.attempt {
            Attempt::Counted(number) => write!(f, "scramble {number}"),
            Attempt::Extra(number) => write!(f, "extra {number}"),
        }
    }
}
