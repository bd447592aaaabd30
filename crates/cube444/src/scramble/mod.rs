//! Random states, and checked scrambles that lead to them.

mod canonical;
mod checked;
mod engine;
mod event;
mod recipe;
mod report;
mod scrambler;
mod subset;

pub use canonical::canonical_sequence;
pub use checked::{CheckedSolution, Scramble, ScrambleError};
pub use engine::Engine;
pub use event::{Event, Orientation};
pub use recipe::{DistinctStates, Recipe, RecipeError, random_state};
pub use report::{
    Flaw, FlawedPlace, Length, ParsedPosition, PositionError, SolutionReport, StageReport, Verdict,
};
pub use scrambler::Scrambler;
pub use subset::Subset;
