//! Axis moves in canonical WCA notation.

use crate::cube::notation::Block;
use crate::cube::{AxisMove, Face, Sequence, Symmetry, Token};

/// Writes axis moves as outer turns and the wide turns `Rw`, `Uw` and `Fw`. Consecutive moves must be
/// about different axes.
///
/// An axis move has three boundaries between neighboring layers. For each boundary at which the layers'
/// amounts differ, one turn is written: of the negative outer layer (`L`, `D`, `B`) for the first, of the
/// positive half (`Rw`, `Uw`, `Fw`) for the middle one, and of the positive outer layer for the last. So the
/// number of turns is the cost of the move in outer block turns, and no two turns could be merged.
///
/// What remains is a rotation of the whole cube. It is not written; the following moves are conjugated
/// by it. So the sequence leads to the same state up to a rotation.
#[must_use]
pub fn canonical_sequence(moves: &[AxisMove]) -> Sequence {
    write(moves, &mut Symmetry::default())
}

/// Writes axis moves; see [`canonical_sequence`]. `rotation` is the product of the rotations that have not been
/// written, including those of moves before these.
pub(super) fn write(moves: &[AxisMove], rotation: &mut Symmetry) -> Sequence {
    let mut sequence = Sequence::default();
    for mv in moves {
        let mv = mv.conjugate(rotation.inverse());
        let (axis, [a, b, c, d]) = (mv.axis(), mv.amounts());
        let (positive, negative) = (Face::on(axis, true), Face::on(axis, false));
        let difference = |to: u8, from: u8| 4 + to - from;
        for (block, quarters) in [
            (Block::Outer(positive), difference(d, c)),
            (Block::Outer(negative), difference(b, a)),
            (Block::Wide(positive), difference(c, b)),
        ] {
            sequence.extend(Token::new(block, quarters));
        }
        // The turns that were written leave layer b where it is.
        *rotation = Symmetry::rotation(axis, b).then(*rotation);
    }
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::turn::{PATTERNS, Pattern, amounts_of};
    use crate::cube::{Axis, Cube, Metric};
    use crate::search::joined;

    /// Turns that cancel leave nothing behind that would keep their neighbors apart.
    #[test]
    fn moves_about_one_axis_are_joined_even_around_those_that_cancel() {
        for (text, expected) in [
            ("R L2 Rw", "R L2 Rw"),
            ("R R'", ""),
            ("U R R' U", "U2"),
            ("F U R Rw Rw' R' U' F", "F2"),
            ("D R2 L R2 L' D'", ""),
            // A rotation of the whole cube is no turn, but it does not vanish.
            ("R x U", "R F"),
        ] {
            let turns: Sequence = text.parse().unwrap();
            let moves: Vec<AxisMove> = turns.axis_moves().collect();
            assert_eq!(canonical_sequence(&joined(&moves)).to_string(), expected);
        }
    }

    #[test]
    fn a_sequence_has_the_cost_of_its_moves_and_leads_to_the_same_state() {
        let costs = Metric::Obtm.pattern_costs();
        let first = AxisMove::new(Axis::X, [1, 2, 3, 0]);
        for axis in [Axis::Y, Axis::Z] {
            for pattern in 1..PATTERNS {
                for rotation in 0..4 {
                    let amounts = amounts_of(pattern as Pattern).map(|amount| amount + rotation);
                    let moves = [first, AxisMove::new(axis, amounts), first];
                    let sequence = canonical_sequence(&moves);
                    let cost = |mv: &AxisMove| costs[mv.pattern() as usize] as usize;
                    assert_eq!(
                        sequence.tokens().len(),
                        moves.iter().map(cost).sum::<usize>()
                    );
                    let cube = Cube::solved().moved_by(sequence.axis_moves());
                    assert!(cube.is_same_up_to_rotation(&Cube::solved().moved_by(moves)));
                }
            }
        }
    }
}
