//! The turns of a stage, and which of them may follow each other.
//!
//! [`Generators`] are the turns of which all moves of a stage are composed, in any metric. An [`Automaton`] enumerates
//! each sequence of them once. For stages whose generators are single turns, [`Turns`] does the same by bit masks, and
//! takes the last turns of the stage before into account.

mod automaton;
mod generators;
mod masks;

pub(crate) use automaton::{Automaton, MOST_GENERATORS, Step};
pub(crate) use generators::Generators;
pub(crate) use masks::{State, TurnSet, Turns, boundaries, is_quarter, is_wide};
