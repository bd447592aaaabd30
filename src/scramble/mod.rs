//! From random states to scrambles that have been checked.

mod canonical;
mod distinct;
mod draw;
mod event;
mod generate;
mod recipe;
mod report;
mod scrambler;
mod subset;

pub use canonical::written;
pub use distinct::DistinctStates;
pub use draw::draw;
pub use event::{Event, Orientation, UnknownEvent};
pub use generate::Generate;
pub use recipe::{Recipe, RecipeError};
pub use report::{Given, GivenError, Length, ScrambleReport, SolutionReport, StageReport, Verdict};
pub use scrambler::{Scramble, ScrambleError, Scrambler, Solved};
pub use subset::{Subset, UnknownSubset};
