//! Drawing the states that scrambles lead to.

use rand::Rng;

use crate::cube::Cube;

/// A state drawn uniformly from all states at least 2 turns from solved (WCA regulation 4b3).
pub fn draw(rng: &mut (impl Rng + ?Sized)) -> Cube {
    let drawn = std::iter::repeat_with(|| Cube::random(rng));
    first_far_enough(drawn).expect("draws do not end")
}

/// The first of some states that is at least 2 turns from solved.
fn first_far_enough(mut states: impl Iterator<Item = Cube>) -> Option<Cube> {
    states.find(Cube::is_far_enough_from_solved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::Sequence;

    #[test]
    fn states_near_the_solved_one_are_passed_over() {
        let states = ["", "R", "Rw2", "U' x", "R U", "R2 Fw"].map(|turns| {
            let turns: Sequence = turns.parse().unwrap();
            Cube::solved().moved_by(turns.axis_moves())
        });
        let first = first_far_enough(states.into_iter()).unwrap();
        assert_eq!(first.facelets(), states[4].facelets());
    }
}
