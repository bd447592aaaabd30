//! What stages and chains of stages are, and the one engine that turns a declaration into a
//! searchable space.
//!
//! A [`StageSpec`] says what a stage is; a [`Space`] is the stage worked out for a metric: its
//! generators, the automaton that enumerates their sequences once each, the coordinates' move
//! tables and the goal. A [`ChainSpec`] is a method, as data: stages in order, and how wide a beam
//! each effort level has. A [`Chain`] is the method worked out; its [`TableSet`] are its pruning
//! tables. The methods themselves are declared in the room `method`. Where a declaration does not reach,
//! a stage can bring its own positions, tables and search: a [`CustomStage`].

mod automaton;
mod chain;
mod custom;
mod effort;
mod freedom;
mod generators;
mod premoves;
mod profile;
mod projection_graph;
mod space;
mod spec;
mod stage_search;
mod tables;

pub use automaton::{Automaton, Step};
pub use chain::{Chain, ChainError, ChainSpec, CustomChain};
pub use custom::{CustomSearch, CustomStage, CustomTable, StagePart};
pub use effort::{Beam, Effort, EffortLevel, UnknownEffort};
pub use freedom::{AxisFreedom, Freedom, Turns};
pub use generators::Generators;
pub use premoves::Premove;
pub use profile::{Profile, ProfileChoice, UnknownProfile};
pub use projection_graph::ProjectionGraph;
pub use space::{Node, Position, Space, StageError};
pub use spec::{ComponentSpec, Condition, Expected, MOST_COMPONENTS, Projection, Raw, StageSpec};
pub use stage_search::{
    Arrival, Endings, Finish, FinishSearch, Settle, StageSearch, Visit, last_run,
};
pub use tables::{StageTables, TableError, TableProgress, TableSet, open_or_build, verify_fully};
