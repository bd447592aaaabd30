//! The generators of a stage.

use crate::cube::turn::{PATTERNS, Pattern, join, undo};
use crate::cube::{Action, Axis, AxisMove, Metric};
use crate::declaration::DeclarationError;

use super::super::move_set::MoveSet;

/// The moves of which all moves of a stage are composed, with their costs.
///
/// A pattern of an axis is a generator if it is not the product of two allowed patterns at the same total
/// cost. In OBTM the generators are the single turns of blocks and, if outer layers may only make half
/// turns, pairs of turns with cost 2, such as the inner slice turn `f` = `Fw F'`.
pub(crate) struct Generators {
    /// The generators as moves: one for each pattern that is a generator, then the other images of these under
    /// conjugation by the symmetries of the stage. Several moves may have the same pattern; they differ in a rotation
    /// of the whole cube.
    pub(crate) moves: Vec<AxisMove>,
    /// The cost of each move.
    pub(crate) costs: Vec<u8>,
    /// The number of patterns that are generators.
    pub(crate) patterns: usize,
    /// For each axis, the cost of each pattern; `None` if it is not allowed.
    pub(super) pattern_costs: [PatternCosts; 3],
}

/// The cost of each pattern of an axis; `None` if it is not allowed.
pub(super) type PatternCosts = [Option<u8>; PATTERNS];

/// Whether a pattern costs as much as a part, whose cost is given, and the rest of the pattern together.
pub(super) fn is_split(
    costs: &PatternCosts,
    pattern: Pattern,
    part: Pattern,
    part_cost: Option<u8>,
) -> bool {
    let rest = costs[join(pattern, undo(part)) as usize];
    let both = rest.zip(part_cost).map(|(rest, part)| rest + part);
    both.is_some() && both <= costs[pattern as usize]
}

/// Whether a pattern is not the product of two allowed patterns at the same total cost.
fn is_irreducible(pattern: Pattern, costs: &PatternCosts) -> bool {
    let mut parts = (1..PATTERNS as Pattern).filter(|&part| part != pattern);
    !parts.any(|part| is_split(costs, pattern, part, costs[part as usize]))
}

impl Generators {
    /// Derives the generators of a move set in a metric, closed under actions of symmetries.
    ///
    /// # Errors
    ///
    /// If the image of an allowed move under a symmetry is not allowed at the same cost, up to a rotation of the whole
    /// cube.
    pub(crate) fn new(
        move_set: &MoveSet,
        metric: Metric,
        actions: &[Action],
    ) -> Result<Generators, DeclarationError> {
        let pattern_costs = Axis::ALL.map(|axis| move_set.costs(axis, metric));
        let irreducible = Axis::ALL.into_iter().flat_map(|axis| {
            let realizations = move_set.realizations(axis, metric).into_iter().skip(1);
            let costs = &pattern_costs[axis as usize];
            realizations
                .flatten()
                .filter(move |(mv, _)| is_irreducible(mv.pattern(), costs))
        });
        let (mut moves, mut costs): (Vec<AxisMove>, Vec<u8>) = irreducible.unzip();
        let patterns = moves.len();
        let mut next = 0;
        while next < moves.len() {
            let (mv, cost) = (moves[next], costs[next]);
            for action in actions {
                let image = mv.conjugate(action.places());
                if pattern_costs[image.axis() as usize][image.pattern() as usize] != Some(cost) {
                    let fault = format!(
                        "a symmetry maps {mv:?}, which is allowed, to {image:?}, which is not"
                    );
                    return Err(fault.into());
                }
                if !moves.contains(&image) {
                    moves.push(image);
                    costs.push(cost);
                }
            }
            next += 1;
        }
        Ok(Generators {
            moves,
            costs,
            patterns,
            pattern_costs,
        })
    }

    /// The index of the conjugate of each move under each of the actions: `action · len + move`.
    pub(crate) fn conjugates(&self, actions: &[Action]) -> Vec<u8> {
        let index = |mv: AxisMove| {
            let index = self.moves.iter().position(|&held| held == mv);
            index.expect("generators are closed under the actions they were made with") as u8
        };
        let of_action = |action: &Action| {
            let places = action.places();
            let moves = self.moves.iter();
            moves.map(move |mv| index(mv.conjugate(places)))
        };
        actions.iter().flat_map(of_action).collect()
    }
}
