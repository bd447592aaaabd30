//! Finding short solutions: enumeration within a stage, and the beam search over a chain.
//!
//! [`enumerate`] lists every canonical way of one exact cost to finish one stage. The [`Solver`]
//! folds that over the stages of a chain, keeping many candidates from stage to stage.

mod best;
mod enumerate;
mod ranking;
mod solver;
mod space;
mod stage_search;

pub use crate::limits::{CancelFlag, Limits, Statistics};
pub use enumerate::enumerate;
pub use solver::{SearchError, Solution, Solver, SolverError, StageSolution, joined};
pub use space::SearchSpace;
pub use stage_search::BoundedSpace;
