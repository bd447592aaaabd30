//! Stages as data, and the one engine that turns a declaration into a searchable space.
//!
//! A [`StageSpec`] says what a stage is; a [`Space`] is the stage worked out for a metric: its
//! generators, the automaton that enumerates their sequences once each, the coordinates' move
//! tables and the goal. A [`Chain`] is an ordered list of stages; [`five_stages`] is the first.

mod automaton;
mod chain;
mod five;
mod freedom;
mod generators;
mod graph;
mod premoves;
mod space;
mod spec;
mod tables;

pub use automaton::{Automaton, Step};
pub use chain::Chain;
pub use five::{five_stages, norskog_stages};
pub use freedom::{AxisFreedom, Freedom, Turns};
pub use generators::Generators;
pub use graph::StageGraph;
pub use premoves::Premove;
pub use space::{Node, Space, StageError};
pub use spec::{Cover, Expected, FirstRest, StageSpec};
pub use tables::{Profile, ProfileChoice, StageTables, TableError, TableProgress, TableSet};
