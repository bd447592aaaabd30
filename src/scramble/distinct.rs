//! Telling scrambles apart.

use std::collections::HashSet;

use crate::cube::Cube;

/// States that are pairwise different, however the cube is held.
///
/// Among 10^45 states the same one is not drawn twice by chance: where that happens, the random
/// numbers are broken.
#[derive(Clone, Default)]
pub struct Distinct(HashSet<Cube>);

impl Distinct {
    /// Takes a state in, and says whether it was not there before.
    #[must_use]
    pub fn admit(&mut self, state: &Cube) -> bool {
        self.0.insert(state.normalized())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::Sequence;

    #[test]
    fn a_state_is_admitted_once_however_it_is_held() {
        let mut distinct = Distinct::default();
        for (turns, is_new) in [("R U", true), ("U R", true), ("R U x", false), ("", true)] {
            let sequence: Sequence = turns.parse().unwrap();
            let state = Cube::solved().moved_by(sequence.axis_moves());
            assert_eq!(distinct.admit(&state), is_new, "{turns}");
        }
    }
}
