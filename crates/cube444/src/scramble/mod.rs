//! Random states, and checked scrambles that lead to them.

mod canonical;
mod distinct;
mod engine;
mod event;
mod random_state;
mod recipe;
mod report;
mod scrambler;
mod subset;

pub use canonical::canonical_sequence;
pub use distinct::DistinctStates;
pub use engine::Engine;
pub use event::{Event, Orientation, UnknownEvent};
pub use random_state::random_state;
pub use recipe::{Recipe, RecipeError};
pub use report::{
    Length, ParsedPosition, PositionError, ScrambleReport, SolutionReport, StageReport, Verdict,
};
pub use scrambler::{CheckedSolution, Scramble, ScrambleError, ScrambleWork, Scrambler};
pub use subset::{Subset, UnknownSubset};
