//! Cubes given by turns.

use cube444::cube::{Cube, Sequence};

/// The state after `turns` from the solved cube.
pub fn cube(turns: &str) -> Cube {
    let sequence: Sequence = turns.parse().unwrap();
    Cube::solved().moved_by(sequence.axis_moves())
}
