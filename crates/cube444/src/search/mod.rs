//! The beam search: stages, chains of stages with their tables, and the solver.
//!
//! A [`ChainSpec`] describes a method: its stages in order, each a [`Declaration`], and the beams of
//! each effort level. A [`Chain`] is the method constructed for a metric: a list of [`Stage`]s.
//! A [`ScramblerBuilder`](crate::ScramblerBuilder) opens or builds the pruning tables, and a [`Solver`] takes a state through all
//! stages, keeping a beam of candidates from stage to stage.
//!
//! This module does not know how a stage numbers its positions. Stages declared by coordinates are in
//! [`stage`](crate::stage), the methods in [`method`](crate::method).

mod best;
mod chain;
mod effort;
mod limits;
mod move_set;
pub(crate) mod near;
mod premove;
mod profile;
mod ranking;
mod replay;
mod solver;
mod stage;
mod tables;
pub(crate) mod turns;

pub use chain::{Chain, ChainError, ChainSpec};
pub use effort::{Beam, Beams, Effort, UnknownEffort};
pub use limits::{Limits, Meter, Outcome, Pace, Statistics, Stopped};
pub use move_set::{AxisTurns, LayerTurns, MoveSet};
pub use premove::Premove;
pub use profile::Profile;
pub(crate) use replay::Replay;
pub(crate) use solver::joined;
pub use solver::{SearchError, Solution, Solver, SolverError, StageSolution};
pub(crate) use stage::last_run;
pub use stage::{
    Construct, Declaration, Ending, Endings, Entrant, Stage, StagePart, StageSearch, Take,
    list_in_order,
};
pub(crate) use tables::open_or_build;
pub use tables::{TableProgress, TableSet, verify_fully};
