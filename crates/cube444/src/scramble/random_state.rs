//! Random states.

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
}
