//! The engine as those see it who only ask for results.

use std::time::Instant;

use crate::cube::{Cube, Metric, Sequence};
use crate::search::EffortLevel;
use crate::search::Limits;

use super::scrambler::{Scramble, ScrambleError, Scrambler, Solved};

/// Makes scrambles and solutions, blocking. All that worker threads need to know of the engine, so
/// that they can be tested without tables.
///
/// A result that the deadline cut short is marked as hurried. It is never longer than one of the least
/// effort: that much is spent on it even if the deadline has passed before the beginning.
pub trait Generate: Send + Sync + 'static {
    /// A scramble to a state, at a level of effort.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) the result does not stand the check.
    fn scramble_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError>;

    /// A scramble to a state just as it is held, at a level of effort.
    ///
    /// # Errors
    ///
    /// As [`Generate::scramble_to`].
    fn scramble_exactly_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError>;

    /// A solution of a state, at a level of effort.
    ///
    /// # Errors
    ///
    /// As [`Generate::scramble_to`].
    fn solve(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Solved, ScrambleError>;

    /// The profile of the tables in use.
    fn tables(&self) -> &'static str;

    /// The method in use.
    fn method(&self) -> &'static str;
}

impl Generate for Scrambler {
    fn scramble_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        within_deadline(effort, limits, |effort, limits| {
            Scrambler::scramble_to(self, state, self.solver().effort(effort), limits)
        })
    }

    fn scramble_exactly_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        within_deadline(effort, limits, |effort, limits| {
            Scrambler::scramble_exactly_to(self, state, self.solver().effort(effort), limits)
        })
    }

    fn solve(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Solved, ScrambleError> {
        within_deadline(effort, limits, |effort, limits| {
            Scrambler::solve(self, state, self.solver().effort(effort), limits)
        })
    }

    fn tables(&self) -> &'static str {
        self.solver().tables().profile().name()
    }

    fn method(&self) -> &'static str {
        self.solver().chain().name()
    }
}

/// What a search brings, perhaps cut short.
trait Found {
    fn sequence(&self) -> &Sequence;
    fn hurried(&mut self) -> &mut bool;
}

impl Found for Scramble {
    fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    fn hurried(&mut self) -> &mut bool {
        &mut self.hurried
    }
}

impl Found for Solved {
    fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    fn hurried(&mut self) -> &mut bool {
        &mut self.hurried
    }
}

/// Searches at a level of effort; and at the least, which takes some milliseconds and has a bound of its
/// own in nodes, if the deadline leaves no time for more or cuts the search short. The shorter result counts.
fn within_deadline<T: Found>(
    effort: EffortLevel,
    limits: &Limits,
    search: impl Fn(EffortLevel, &Limits) -> Result<T, ScrambleError>,
) -> Result<T, ScrambleError> {
    let has_passed = |deadline| Instant::now() >= deadline;
    let cut_short = if limits.deadline.is_some_and(has_passed) {
        None
    } else {
        let mut found = search(effort, limits)?;
        if !*found.hurried() {
            return Ok(found);
        }
        Some(found)
    };
    let without_deadline = Limits {
        deadline: None,
        cancel: limits.cancel.clone(),
    };
    let least = search(EffortLevel::LEAST, &without_deadline)?;
    let moves = |found: &T| found.sequence().length(Metric::Obtm);
    let mut shorter = match cut_short {
        Some(found) if moves(&found) < moves(&least) => found,
        _ => least,
    };
    *shorter.hurried() = true;
    Ok(shorter)
}
