//! Stages declared by coordinates.
//!
//! A [`StageSpec`] says what a stage reaches, with which turns, and by which coordinates its positions
//! are numbered. A [`Space`] is the stage worked out for a metric: its generators, the automaton that
//! enumerates their sequences once each, the coordinates' move tables and the goal. It has pruning
//! tables ([`ProjectionTable`]) and is searched like any other [`Stage`](crate::search::Stage).

mod automaton;
mod declared;
mod enumeration;
mod generators;
mod premoves;
mod projection;
mod space;
mod spec;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use automaton::Automaton;
pub(crate) use generators::Generators;
pub use projection::{ProjectionGraph, ProjectionTable};
pub(crate) use space::Position;
pub use space::{Space, StageError};
pub use spec::{Condition, Expected, Projection, StageSpec};
