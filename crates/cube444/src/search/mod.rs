//! The beam search: chains of stages with their tables, and the solver.
//!
//! A [`Chain`] is a method constructed for a metric. A [`ScramblerBuilder`](crate::ScramblerBuilder) opens or builds its
//! pruning tables, and a [`Solver`] takes a state through all stages, keeping the best candidates from stage to stage.

mod best;
pub(crate) mod chain;
pub(crate) mod effort;
#[cfg(feature = "files")]
mod files;
pub(crate) mod limits;
pub(crate) mod move_set;
pub(crate) mod near;
pub(crate) mod premove;
mod profile;
mod ranking;
mod replay;
mod solver;
pub(crate) mod stage;
mod tables;
pub(crate) mod turns;

pub use chain::Chain;
pub(crate) use chain::ChainSpec;
pub use effort::UnknownEffort;
pub(crate) use effort::{Beam, Effort};
#[cfg(feature = "files")]
pub(crate) use files::open_or_build;
#[cfg(feature = "files")]
pub use files::verify_fully;
pub use limits::{Limits, Statistics};
pub(crate) use limits::{Meter, Outcome, Pace, Stopped};
pub(crate) use move_set::{AxisTurns, LayerTurns, MoveSet};
pub(crate) use premove::Premove;
pub use profile::Profile;
pub(crate) use replay::Replay;
pub(crate) use solver::joined;
pub use solver::{SearchError, Solution, Solver, StageSolution};
pub(crate) use stage::{
    Declaration, Ending, Endings, Entrant, Stage, StagePart, StageSearch, Take, last_run,
    list_in_order,
};
pub(crate) use tables::make_in_memory;
pub use tables::{TableProgress, TableSet};
