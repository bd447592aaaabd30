//! The engine as those see it who only ask for results.

use std::time::{Duration, Instant};

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

/// How long a search at the least effort may look for something better than what it has first. It takes
/// some milliseconds.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// Searches at a level of effort; and at the least if the deadline leaves no time for more or cuts the
/// search short. The shorter result counts.
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
    let short = Limits {
        deadline: Some(Instant::now() + LEAST_TIME),
        cancel: limits.cancel.clone(),
    };
    let least = search(EffortLevel::LEAST, &short)?;
    let moves = |found: &T| found.sequence().length(Metric::Obtm);
    let mut shorter = match cut_short {
        Some(found) if moves(&found) < moves(&least) => found,
        _ => least,
    };
    *shorter.hurried() = true;
    Ok(shorter)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A result of some moves, which is cut short if it is not of the least effort.
    struct Turns(Sequence, bool);

    impl Found for Turns {
        fn sequence(&self) -> &Sequence {
            &self.0
        }

        fn hurried(&mut self) -> &mut bool {
            &mut self.1
        }
    }

    #[test]
    fn no_search_is_without_a_deadline() {
        let now = Instant::now();
        for (deadline, searches) in [(now, 1), (now + Duration::from_secs(60), 2)] {
            let limits = Limits {
                deadline: Some(deadline),
                ..Limits::default()
            };
            let deadlines = RefCell::new(Vec::new());
            let found = within_deadline(EffortLevel::DEFAULT, &limits, |effort, limits| {
                let deadline = limits.deadline.expect("there is one");
                deadlines.borrow_mut().push(deadline);
                let is_least = effort == EffortLevel::LEAST;
                let turns = if is_least { "R U" } else { "R U F" };
                Ok(Turns(turns.parse().unwrap(), !is_least))
            });
            let Ok(mut found) = found else {
                panic!("one is found");
            };
            assert!(*found.hurried());
            assert_eq!(found.sequence().to_string(), "R U");
            let deadlines = deadlines.into_inner();
            assert_eq!(deadlines.len(), searches);
            let most = Instant::now() + LEAST_TIME;
            assert!(
                deadlines
                    .last()
                    .is_some_and(|&last| now < last && last <= most)
            );
        }
    }
}
