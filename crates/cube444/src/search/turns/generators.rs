//! The generators of a stage.

use crate::coord::ActionGroup;
use crate::cube::turn::{PATTERNS, Pattern, join, undo};
use crate::cube::{Action, Axis, AxisMove, Metric};

use super::super::move_set::MoveSet;

/// The moves of which all moves of a stage are composed, with their costs.
///
/// A pattern of an axis is a generator if it is not the product of two allowed patterns at the same total
/// cost. In OBTM the generators are the single turns of blocks and, if outer layers may only make half
/// turns, pairs of turns with cost 2, such as the inner slice turn `f` = `Fw F'`.
#[derive(Default)]
pub(crate) struct Generators {
    /// The generators as moves, closed under conjugation by the symmetries of the stage. Several moves may
    /// have the same pattern; they differ in a rotation of the whole cube.
    pub(crate) moves: Vec<AxisMove>,
    /// The cost of each move.
    pub(crate) costs: Vec<u8>,
    /// For each pattern that is a generator: its axis, the pattern, and the index of its move.
    pub(crate) patterns: Vec<(Axis, Pattern, u8)>,
}

/// Whether a pattern is not the product of two allowed patterns at the same total cost.
fn is_irreducible(pattern: usize, costs: &[Option<u8>; PATTERNS]) -> bool {
    (1..PATTERNS).all(|part| {
        let rest = join(pattern as Pattern, undo(part as Pattern)) as usize;
        match (costs[part], costs[rest]) {
            (Some(part), Some(left)) => rest == 0 || Some(part + left) != costs[pattern],
            _ => true,
        }
    })
}

impl Generators {
    /// Derives the generators of a move set in a metric, closed under the symmetries of a group.
    ///
    /// # Errors
    ///
    /// An allowed move and its image under a symmetry, if the image is not allowed at the same cost, up to
    /// a rotation of the whole cube.
    pub(crate) fn new(
        move_set: &MoveSet,
        metric: Metric,
        group: &ActionGroup,
    ) -> Result<Generators, (AxisMove, AxisMove)> {
        let mut generators = Generators::default();
        let costs = Axis::ALL.map(|axis| move_set.costs(axis, metric));
        for axis in Axis::ALL {
            let realizations = move_set.realizations(axis, metric);
            for (pattern, realization) in realizations.into_iter().enumerate().skip(1) {
                if let Some((mv, cost)) = realization
                    && is_irreducible(pattern, &costs[axis as usize])
                {
                    let index = generators.add(mv, cost);
                    generators.patterns.push((axis, pattern as Pattern, index));
                }
            }
        }
        let mut next = 0;
        while next < generators.moves.len() {
            let (mv, cost) = (generators.moves[next], generators.costs[next]);
            for action in group.actions() {
                let image = mv.conjugate(action.places());
                if costs[image.axis() as usize][image.pattern() as usize] != Some(cost) {
                    return Err((mv, image));
                }
                generators.add(image, cost);
            }
            next += 1;
        }
        Ok(generators)
    }

    fn add(&mut self, mv: AxisMove, cost: u8) -> u8 {
        let known = self.moves.iter().position(|&held| held == mv);
        known.unwrap_or_else(|| {
            self.moves.push(mv);
            self.costs.push(cost);
            self.moves.len() - 1
        }) as u8
    }

    /// The number of moves.
    #[allow(clippy::len_without_is_empty, reason = "a stage has generators")]
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// The index of the conjugate of each move under each action of a group: `action · len + move`.
    pub(crate) fn conjugates(&self, group: &ActionGroup) -> Vec<u8> {
        let index = |mv: AxisMove| {
            let index = self.moves.iter().position(|&held| held == mv);
            index.expect("generators are closed under the group they were made with") as u8
        };
        let of_action = |action: Action| {
            let moves = self.moves.iter();
            moves.map(move |mv| index(mv.conjugate(action.places())))
        };
        group.actions().flat_map(of_action).collect()
    }
}
