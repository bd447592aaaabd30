//! Axis moves in canonical WCA notation.

use crate::cube::notation::Block;
use crate::cube::{AxisMove, Face, Sequence, Symmetry, Token};

/// Writes axis moves, neighbouring ones being about different axes, as outer and wide turns.
///
/// An axis move turns neighbouring layers differently at some of three boundaries. A turn of the
/// negative outer layer (`L`, `D`, `B`) undoes the difference at its boundary, a wide turn of the
/// positive half (`Rw`, `Uw`, `Fw`) that in the middle, and a turn of the positive outer layer the
/// last. So as many turns are written as boundaries differ, which is the cost in outer block turns;
/// only `Rw`, `Uw`, `Fw` are wide; and no two turns about the same axis could be written as one.
///
/// What is left is a rotation of the whole cube. It is not written, but carried through the moves
/// that follow, so the sequence leads to the same state seen from another side.
#[must_use]
pub fn written(moves: &[AxisMove]) -> Sequence {
    Writer::default().write(moves)
}

/// Writes several lists of axis moves that follow each other; see [`written`].
#[derive(Default)]
pub(super) struct Writer {
    /// The rotation that should have been made so far and was not.
    owed: Symmetry,
}

impl Writer {
    pub(super) fn write(&mut self, moves: &[AxisMove]) -> Sequence {
        let mut sequence = Sequence::default();
        for mv in moves {
            let mv = mv.conjugate(self.owed.inverse());
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
            // Layer b has not been turned by what was written, but should have been.
            self.owed = Symmetry::rotation(axis, b).then(self.owed);
        }
        sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::turn::{PATTERNS, Pattern, amounts_of};
    use crate::cube::{Axis, Cube, Metric};

    #[test]
    fn every_axis_move_is_written_at_its_cost_and_leads_to_the_same_state() {
        let costs = Metric::Obtm.pattern_costs();
        let first = AxisMove::new(Axis::X, [1, 2, 3, 0]);
        for axis in [Axis::Y, Axis::Z] {
            for pattern in 1..PATTERNS {
                for rotation in 0..4 {
                    let amounts = amounts_of(pattern as Pattern).map(|amount| amount + rotation);
                    let moves = [first, AxisMove::new(axis, amounts), first];
                    let sequence = written(&moves);
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
