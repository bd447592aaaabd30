//! The interface between the engine and those that make many scrambles, such as a service.

use std::time::Duration;

use crate::clock::Instant;
use crate::cube::{Cube, Metric};
use crate::search::{Effort, Limits, SearchError, Solution};

use super::canonical::canonical_sequence;
use super::checked::{CheckedSolution, Scramble, ScrambleError};

/// Makes scrambles and solutions. The methods block. Tests of a service have their own engines, without tables.
///
/// A result is marked as `hurried` if the deadline cut its search short. Even such a result is no longer than
/// one of the lowest effort, since a search at that effort is made after the deadline.
pub trait Engine: Send + Sync + 'static {
    /// A scramble to a state, up to rotations of the whole cube or, if `exactly`, in this orientation. It has the effort
    /// level, unless the deadline cut the search short.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or if the result fails its check, which is a defect.
    fn find_scramble(
        &self,
        state: &Cube,
        exactly: bool,
        effort: Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError>;

    /// A solution of a state.
    ///
    /// # Errors
    ///
    /// See [`Engine::find_scramble`].
    fn find_solution(
        &self,
        state: &Cube,
        effort: Effort,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError>;

    /// The profile of the tables.
    fn tables(&self) -> &'static str;

    /// The name of the method.
    fn method(&self) -> &'static str;
}

/// The time limit of the search at the lowest effort that is made after the actual deadline. Such a search
/// usually takes a few milliseconds.
const FALLBACK_TIME: Duration = Duration::from_secs(1);

/// Searches with an effort. If the deadline has passed or cuts the search short, searches with the lowest effort,
/// too, and returns the shorter result.
pub(super) fn within_deadline(
    effort: Effort,
    limits: &Limits,
    search: impl Fn(Effort, &Limits) -> Result<Solution, SearchError>,
) -> Result<Solution, SearchError> {
    let is_late = limits.deadline.is_some_and(|end| Instant::now() >= end);
    let first = (!is_late).then(|| search(effort, limits)).transpose()?;
    let cut_short = match first {
        Some(found) if !found.hurried => return Ok(found),
        cut_short => cut_short,
    };
    let mut fallback_limits = Limits::within(FALLBACK_TIME);
    fallback_limits.cancel = limits.cancel.clone();
    let fallback = match search(Effort::MIN, &fallback_limits) {
        // In a given orientation, the lowest effort may find nothing.
        Err(SearchError::Stage { .. }) if cut_short.is_some() => None,
        fallback => Some(fallback?),
    };
    let length = |found: &Solution| canonical_sequence(&found.joined_moves()).length(Metric::Obtm);
    // Of equally short solutions, the first one.
    let shorter = [fallback, cut_short].into_iter().flatten();
    let mut shorter = shorter.min_by_key(length).expect("one of the two exists");
    shorter.hurried = true;
    Ok(shorter)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::cube::Sequence;

    fn solution(turns: &str, hurried: bool) -> Solution {
        let turns: Sequence = turns.parse().unwrap();
        Solution {
            premoves: turns.axis_moves().collect(),
            hurried,
            ..Solution::default()
        }
    }

    #[test]
    fn a_result_that_was_cut_short_is_used_if_it_is_shorter_than_one_of_the_lowest_effort() {
        let limits = Limits::within(Duration::from_secs(60));
        for (at_effort, is_hurried, at_least, expected) in [
            ("R U F", true, "R U", "R U"),
            ("R U", true, "R U F", "R U"),
            // Of equal length.
            ("R U", true, "U R", "U R"),
            // The lowest effort is not tried.
            ("R U F", false, "R U", "R U F"),
        ] {
            let search = |effort, _: &Limits| {
                Ok(match effort == Effort::MIN {
                    true => solution(at_least, false),
                    false => solution(at_effort, is_hurried),
                })
            };
            let found = within_deadline(Effort::DEFAULT, &limits, search).unwrap();
            assert_eq!(found.premoves, solution(expected, false).premoves);
            assert_eq!(found.hurried, is_hurried);
        }
    }

    #[test]
    fn a_result_that_was_cut_short_is_used_if_the_lowest_effort_finds_nothing() {
        let limits = Limits::within(Duration::from_secs(60));
        for (error, is_used) in [
            (SearchError::Stage { stage: "solved" }, true),
            (SearchError::Cancelled, false),
        ] {
            let search = |effort, _: &Limits| match effort == Effort::MIN {
                true => Err(error.clone()),
                false => Ok(solution("R U", true)),
            };
            let found = within_deadline(Effort::DEFAULT, &limits, search);
            assert_eq!(found.is_ok_and(|it| it.hurried), is_used);
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
            let found = within_deadline(Effort::DEFAULT, &limits, |effort, limits| {
                let deadline = limits.deadline.expect("a search without a deadline");
                assert!(limits.cancel.is_cancelled(), "a search without the flag");
                deadlines.borrow_mut().push(deadline);
                let is_min = effort == Effort::MIN;
                Ok(solution(if is_min { "R U" } else { "R U F" }, !is_min))
            });
            let found = found.unwrap();
            assert!(found.hurried);
            assert_eq!(found.premoves, solution("R U", true).premoves);
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
