//! Random states, and finding repeated ones.

use std::collections::HashSet;

use rand::Rng;

use crate::cube::Cube;

/// Draws a state uniformly from all states at least two turns from solved (WCA regulation 4b3).
pub fn random_state(rng: &mut (impl Rng + ?Sized)) -> Cube {
    let states = std::iter::repeat_with(|| Cube::random(rng));
    first_far_enough(states).expect("the iterator is infinite")
}

/// The first state that is at least two turns from solved.
fn first_far_enough(mut states: impl Iterator<Item = Cube>) -> Option<Cube> {
    states.find(Cube::is_far_enough_from_solved)
}

/// A set of states. States that differ only by a rotation of the whole cube count as one.
///
/// There are more than 10^45 states, so a state that is drawn twice means a broken random number generator.
#[derive(Clone, Default)]
pub struct DistinctStates(HashSet<Cube>);

impl DistinctStates {
    /// Adds a state. Returns whether it is new.
    #[must_use]
    pub fn insert(&mut self, state: &Cube) -> bool {
        self.0.insert(state.normalized())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::Sequence;

    #[test]
    fn states_near_solved_are_rejected() {
        let states = ["", "R", "Rw2", "U' x", "R U", "R2 Fw"].map(|turns| {
            let turns: Sequence = turns.parse().unwrap();
            Cube::solved().moved_by(turns.axis_moves())
        });
        let first = first_far_enough(states.into_iter()).unwrap();
        assert_eq!(first.facelets(), states[4].facelets());
    }

    #[test]
    fn rotated_states_are_the_same() {
        let mut distinct = DistinctStates::default();
        for (turns, is_new) in [("R U", true), ("U R", true), ("R U x", false), ("", true)] {
            let sequence: Sequence = turns.parse().unwrap();
            let state = Cube::solved().moved_by(sequence.axis_moves());
            assert_eq!(distinct.insert(&state), is_new, "{turns}");
        }
    }
}
