//! Finding short solutions: enumeration within a stage, and the candidate search over a chain.
//!
//! [`enumerate`] lists every canonical way of one exact cost to finish one stage. The [`Solver`]
//! folds that over the stages of a chain, keeping many candidates from stage to stage.

mod effort;
mod enumerate;
mod harvest;
mod limits;
mod shortlist;
mod solver;
mod space;

pub use effort::{Effort, EffortLevel, StageEffort, UnknownEffort};
pub use enumerate::enumerate;
pub use limits::{CancelFlag, Limits, Statistics};
pub use solver::{SearchError, Solution, Solver, StageSolution, joined};
pub use space::{BoundedSpace, SearchSpace};
