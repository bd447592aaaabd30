//! Finding short solutions: what a stage provides, chains of stages with their tables, and the beam
//! search over a chain.
//!
//! A [`ChainSpec`] is a method: its stages in order, each a [`Declaration`], and how wide a beam each
//! effort level has. A [`Chain`] is the method worked out for a metric: a list of [`Stage`]s.
//! [`open_or_build`] gives each stage its pruning tables, and a [`Solver`] takes a state through
//! all of them, keeping many candidates from stage to stage.
//!
//! Nothing here knows how a stage numbers its positions. Stages declared by coordinates are in
//! [`stage`](crate::stage), the methods in [`method`](crate::method).

mod best;
mod chain;
mod effort;
mod freedom;
mod limits;
mod premove;
mod profile;
mod ranking;
mod replay;
mod solver;
mod stage;
mod tables;

pub use chain::{Chain, ChainError, ChainSpec};
pub use effort::{Beam, Effort, EffortLevel, UnknownEffort};
pub use freedom::{AxisFreedom, Freedom, LayerTurns};
pub use limits::{CancelFlag, Limits, Meter, Pace, Statistics, Stopped};
pub use premove::Premove;
pub use profile::{Profile, ProfileChoice, UnknownProfile};
pub(crate) use replay::Replay;
pub(crate) use solver::joined;
pub use solver::{SearchError, Solution, Solver, SolverError, StageSolution};
pub(crate) use stage::last_run;
pub use stage::{
    Declaration, Ending, Endings, Entry, Finish, FinishSearch, Place, Root, Search, Stage,
    StagePart, StageSearch,
};
pub use tables::{TableError, TableProgress, TableSet, open_or_build, verify_fully};
