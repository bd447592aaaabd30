//! Finding repeated states.

use std::collections::HashSet;

use crate::cube::Cube;

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
    fn rotated_states_are_the_same() {
        let mut distinct = DistinctStates::default();
        for (turns, is_new) in [("R U", true), ("U R", true), ("R U x", false), ("", true)] {
            let sequence: Sequence = turns.parse().unwrap();
            let state = Cube::solved().moved_by(sequence.axis_moves());
            assert_eq!(distinct.insert(&state), is_new, "{turns}");
        }
    }
}
