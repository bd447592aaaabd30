//! The interface between the engine and worker threads.

use std::time::Duration;

use web_time::Instant;

use crate::cube::{Cube, Metric, Sequence};
use crate::search::EffortLevel;
use crate::search::Limits;

use super::scrambler::{CheckedSolution, Scramble, ScrambleError, Scrambler};

/// Makes scrambles and solutions. The methods block. Worker threads use the engine through this trait, so
/// that they can be tested without tables.
///
/// A result is marked as `hurried` if the deadline cut its search short. Even such a result is no longer than
/// one of the lowest effort level, since a search at that level is made after the deadline.
pub trait Generate: Send + Sync + 'static {
    /// A scramble to a state, up to rotations of the whole cube.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or if the result fails its check, which is a defect.
    fn scramble_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError>;

    /// A scramble to a state in this orientation.
    ///
    /// # Errors
    ///
    /// See [`Generate::scramble_to`].
    fn scramble_exactly_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError>;

    /// A solution of a state.
    ///
    /// # Errors
    ///
    /// See [`Generate::scramble_to`].
    fn solve(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError>;

    /// The profile of the tables.
    fn tables(&self) -> &'static str;

    /// The name of the method.
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
    ) -> Result<CheckedSolution, ScrambleError> {
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

/// The result of a search.
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

impl Found for CheckedSolution {
    fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    fn hurried(&mut self) -> &mut bool {
        &mut self.hurried
    }
}

/// The time limit of the search at the lowest level that is made after the actual deadline. Such a search
/// usually takes a few milliseconds.
const FALLBACK_TIME: Duration = Duration::from_secs(1);

/// Searches at a level. If the deadline has passed or cuts the search short, searches at the lowest level,
/// too, and returns the shorter result.
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
    let fallback_limits = Limits {
        deadline: Some(Instant::now() + FALLBACK_TIME),
        cancel: limits.cancel.clone(),
    };
    let fallback = search(EffortLevel::LEAST, &fallback_limits)?;
    let moves = |found: &T| found.sequence().length(Metric::Obtm);
    let mut shorter = match cut_short {
        Some(found) if moves(&found) < moves(&fallback) => found,
        _ => fallback,
    };
    *shorter.hurried() = true;
    Ok(shorter)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A sequence, and whether it is hurried.
    struct Stub(Sequence, bool);

    impl Found for Stub {
        fn sequence(&self) -> &Sequence {
            &self.0
        }

        fn hurried(&mut self) -> &mut bool {
            &mut self.1
        }
    }

    #[test]
    fn a_result_that_was_cut_short_is_used_if_it_is_shorter_than_one_of_the_lowest_level() {
        let limits = Limits::within(Duration::from_secs(60));
        for (at_level, is_hurried, at_least, expected) in [
            ("R U F", true, "R U", "R U"),
            ("R U", true, "R U F", "R U"),
            // Of equal length.
            ("R U", true, "U R", "U R"),
            // The lowest level is not tried.
            ("R U F", false, "R U", "R U F"),
        ] {
            let search = |effort, _: &Limits| {
                Ok(match effort == EffortLevel::LEAST {
                    true => Stub(at_least.parse().unwrap(), false),
                    false => Stub(at_level.parse().unwrap(), is_hurried),
                })
            };
            let Ok(mut found) = within_deadline(EffortLevel::DEFAULT, &limits, search) else {
                panic!("the stub does not fail");
            };
            assert_eq!(found.sequence().to_string(), expected);
            assert_eq!(*found.hurried(), is_hurried);
        }
    }

    #[test]
    fn every_search_has_a_deadline_and_the_cancel_flag() {
        let now = Instant::now();
        for (deadline, searches) in [(now, 1), (now + Duration::from_secs(60), 2)] {
            let limits = Limits {
                deadline: Some(deadline),
                ..Limits::default()
            };
            limits.cancel.cancel();
            let deadlines = RefCell::new(Vec::new());
            let found = within_deadline(EffortLevel::DEFAULT, &limits, |effort, limits| {
                let deadline = limits.deadline.expect("a search without a deadline");
                assert!(limits.cancel.is_cancelled(), "a search without the flag");
                deadlines.borrow_mut().push(deadline);
                let is_least = effort == EffortLevel::LEAST;
                let turns = if is_least { "R U" } else { "R U F" };
                Ok(Stub(turns.parse().unwrap(), !is_least))
            });
            let Ok(mut found) = found else {
                panic!("the stub does not fail");
            };
            assert!(*found.hurried());
            assert_eq!(found.sequence().to_string(), "R U");
            let deadlines = deadlines.into_inner();
            assert_eq!(deadlines.len(), searches);
            let latest = Instant::now() + FALLBACK_TIME;
            assert!(
                deadlines
                    .last()
                    .is_some_and(|&last| now < last && last <= latest)
            );
        }
    }
}
