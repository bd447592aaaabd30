//! Random states, and checked scrambles that lead to them.

mod canonical;
mod checked;
mod engine;
mod event;
mod recipe;
mod report;
mod scrambler;
mod states;
mod subset;

pub use canonical::canonical_sequence;
pub use checked::{CheckedSolution, Scramble, ScrambleError, ScrambleWork};
pub use engine::Engine;
pub use event::{Event, Orientation};
pub use recipe::{Recipe, RecipeError};
pub use report::{
    Length, ParsedPosition, PositionError, ScrambleReport, SolutionReport, StageReport, Verdict,
};
pub use scrambler::Scrambler;
pub use states::{DistinctStates, random_state};
pub use subset::Subset;
