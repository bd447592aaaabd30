//! Checked scrambles and solutions.

use crate::cube::{Cube, Metric, Sequence};
use crate::search::{Effort, SearchError, Solution};

use super::canonical::canonical_sequence;
use super::event::{Event, Orientation};

/// A checked scramble. Its text is that of its turns.
///
/// # Examples
///
/// ```
/// use cube444::{Scramble, Sequence};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let turns: Sequence = "Rw U2 F'".parse()?;
/// let scramble = Scramble::from(turns);
/// assert_eq!(scramble.to_string(), "Rw U2 F'");
/// assert_eq!(scramble.move_count(), 3);
/// assert!(!scramble.state.is_solved());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, derive_more::Display, PartialEq, Eq, Hash)]
#[display("{sequence}")]
#[non_exhaustive]
pub struct Scramble {
    /// The turns in WCA notation. The only wide turns are `Uw`, `Rw` and `Fw`.
    pub sequence: Sequence,
    /// The state that the turns lead to from the solved cube with white (U) on top and green (F) in
    /// front.
    pub state: Cube,
    /// Whether the deadline cut the search short; see
    /// [`Limits::deadline`](crate::search::Limits::deadline).
    pub hurried: bool,
    /// The effort level of the search; the lowest if the deadline cut it short, or if the level is unknown.
    pub effort: Effort,
}

/// The scramble with these turns.
impl From<Sequence> for Scramble {
    fn from(sequence: Sequence) -> Scramble {
        Scramble {
            state: Cube::solved().moved_by(sequence.axis_moves()),
            sequence,
            hurried: false,
            effort: Effort::MIN,
        }
    }
}

impl Scramble {
    /// The number of turns, which is the length in outer block turns. Rotations of the whole
    /// cube do not count.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.sequence.length(Metric::Obtm)
    }

    /// The scramble for an event. For the blindfolded one it ends in the orientation.
    #[must_use]
    pub fn for_event(self, event: Event, orientation: Orientation) -> Scramble {
        match event {
            Event::Sighted => self,
            Event::Blindfolded => self.oriented(orientation),
        }
    }

    /// The scramble followed by the rotations of an orientation.
    #[must_use]
    pub fn oriented(mut self, orientation: Orientation) -> Scramble {
        for rotation in orientation.rotations() {
            self.sequence.0.push(rotation);
            self.state = self.state.moved(rotation.axis_move());
        }
        self
    }

    /// The scramble followed by rotations such that it leads to exactly `state`; `None` if it leads to
    /// another state up to rotations.
    #[must_use]
    pub fn rotated_to(&self, state: &Cube) -> Option<Scramble> {
        let mut rotated = Orientation::all().map(|orientation| self.clone().oriented(orientation));
        rotated.find(|scramble| scramble.state == *state)
    }

    /// The scramble to `state` that is the inverse of a solution of it, up to a rotation of the whole cube. Its effort
    /// level is unknown.
    ///
    /// # Errors
    ///
    /// If the written turns do not lead to the state, which is a defect of the solution.
    pub fn inverse_of(solution: &Solution, state: &Cube) -> Result<Scramble, ScrambleError> {
        let moves = solution.joined_moves();
        // The solution ends with the solved cube in any orientation, but the scramble begins in the home one.
        let orientation = state.moved_by(moves.iter().copied()).dbl_rotation();
        let inverse = moves.iter().rev();
        let inverse = inverse.map(|mv| mv.inverse().conjugate(orientation.inverse()));
        let mut scramble = Scramble::from(canonical_sequence(&inverse.collect::<Vec<_>>()));
        if !scramble.state.is_same_up_to_rotation(state) {
            return Err(ScrambleError::Replay);
        }
        scramble.hurried = solution.hurried;
        Ok(scramble)
    }
}

/// A checked solution. Its text is that of its turns.
///
/// # Examples
///
/// ```
/// use cube444::scramble::ParsedPosition;
/// use cube444::Scrambler;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::in_memory()?;
/// let state = ParsedPosition::from_turns("Rw U2 F'")?.cube;
/// let solution = scrambler.solve(&state)?;
/// println!("{solution} ({} moves)", solution.move_count());
/// assert!(state.moved_by(solution.sequence.axis_moves()).is_solved());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, derive_more::Display, PartialEq, Eq, Hash)]
#[display("{sequence}")]
#[non_exhaustive]
pub struct CheckedSolution {
    /// The name of the method.
    pub method: &'static str,
    /// The turns that solve the state, in WCA notation. The only wide turns are `Uw`, `Rw` and `Fw`.
    pub sequence: Sequence,
    /// The turns of each stage with its name, and those of `premoves`. In `sequence`, turns about the
    /// same axis are joined where two stages meet.
    pub stages: Vec<(&'static str, Sequence)>,
    /// Whether the deadline cut the search short; see
    /// [`Limits::deadline`](crate::search::Limits::deadline).
    pub hurried: bool,
}

impl CheckedSolution {
    /// The number of turns; see [`Scramble::move_count`].
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.sequence.length(Metric::Obtm)
    }
}

/// A scramble or a solution cannot be made.
#[derive(
    Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error, derive_more::From,
)]
#[error(ignore)]
#[non_exhaustive]
pub enum ScrambleError {
    /// The search ended without a result.
    #[from]
    Search(SearchError),
    /// No turns fit between those that a [`Recipe`](super::Recipe) demands, which is a defect.
    #[display("internal error: no scramble fits its first and last turns")]
    Frame,
    /// The written turns do not lead where they should, which is a defect.
    #[display("internal error: the replay of a solution failed")]
    Replay,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{Action, AxisMove, Symmetry};
    use std::collections::HashSet;

    fn solution(moves: Vec<AxisMove>) -> Solution {
        Solution {
            premoves: moves,
            ..Solution::default()
        }
    }

    #[test]
    fn the_inverse_of_a_solution_leads_to_the_state_up_to_a_rotation() {
        let text = "R2 Uw' F x L D2 y' Rw B' z2 Fw2";
        let sequence: Sequence = text.parse().unwrap();
        for rotation in Symmetry::rotations() {
            let start = Cube::solved().transformed(Action::turning(rotation));
            let state = start.moved_by(sequence.axis_moves());
            let mut moves: Vec<AxisMove> = sequence.inverse().axis_moves().collect();
            let scramble = Scramble::inverse_of(&solution(moves.clone()), &state).unwrap();
            let reached = Cube::solved().moved_by(scramble.sequence.axis_moves());
            assert!(reached.is_same_up_to_rotation(&state));
            assert_eq!(scramble.state, reached);
            moves.pop();
            let error = Scramble::inverse_of(&solution(moves), &state).unwrap_err();
            assert_eq!(error, ScrambleError::Replay);
        }
    }

    #[test]
    fn a_scramble_is_followed_by_the_rotations_of_an_orientation() {
        let turns: Sequence = "Rw U2 F'".parse().unwrap();
        let state = Cube::solved().moved_by(turns.inverse().axis_moves());
        let moves = turns.axis_moves().collect();
        let plain = Scramble::inverse_of(&solution(moves), &state).unwrap();
        let mut states = HashSet::new();
        for orientation in Orientation::all() {
            let sighted = plain.clone().for_event(Event::Sighted, orientation);
            assert_eq!(
                (sighted.sequence, sighted.state),
                (plain.sequence.clone(), plain.state)
            );
            let turned = plain.clone().for_event(Event::Blindfolded, orientation);
            let text = turned.sequence.to_string();
            let rotations = text.strip_prefix(&plain.sequence.to_string()).unwrap();
            assert!(rotations.chars().all(|c| " xyz2'".contains(c)), "{text}");
            assert_eq!(turned.move_count(), 3);
            let end = Cube::solved().moved_by(turned.sequence.axis_moves());
            assert_eq!(turned.state, end);
            let found = plain.rotated_to(&end).unwrap();
            assert_eq!((found.state, found.sequence.to_string()), (end, text));
            states.insert(end);
        }
        assert_eq!(states.len(), 24);
        assert!(plain.rotated_to(&Cube::solved()).is_none());
    }
}
