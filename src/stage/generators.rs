//! A stage's generators in a metric.

use crate::coord::ActionGroup;
use crate::cube::turn::{PATTERNS, Pattern, join, undo};
use crate::cube::{Axis, AxisMove, Metric};
use crate::search::Freedom;

/// The moves from which all moves of a stage are composed, with their costs.
///
/// A pattern of an axis is a generator if no two allowed patterns make it at the same total cost.
/// In outer block turns that gives the single turns of the blocks, and, where outer layers may only
/// make half turns, joint turns of cost 2 like the inner slice quarter turn `f` = `Fw F'`.
pub(crate) struct Generators {
    /// The generators as moves, closed under conjugation by the stage's symmetries. A pattern may
    /// be there more than once, by moves that differ in a whole rotation.
    moves: Vec<AxisMove>,
    costs: Vec<u8>,
    /// One move for each generating pattern: its axis, its pattern and its place in `moves`.
    patterns: Vec<(Axis, Pattern, u8)>,
}

/// Whether no two allowed patterns of an axis make this one at the same total cost.
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
    /// Derives the generators of a freedom in a metric, closed under a group's symmetries.
    ///
    /// # Errors
    ///
    /// A move that is allowed, and what a symmetry makes of it, if that is not allowed at the same
    /// cost, whole rotations apart.
    pub(crate) fn new(
        freedom: &Freedom,
        metric: Metric,
        group: &ActionGroup,
    ) -> Result<Generators, (AxisMove, AxisMove)> {
        let mut generators = Generators {
            moves: Vec::new(),
            costs: Vec::new(),
            patterns: Vec::new(),
        };
        for axis in Axis::ALL {
            let costs = freedom.costs(axis, metric);
            let realisations = freedom.realisations(axis, metric);
            for (pattern, realisation) in realisations.into_iter().enumerate().skip(1) {
                if let Some((mv, cost)) = realisation
                    && is_irreducible(pattern, &costs)
                {
                    let index = generators.add(mv, cost);
                    generators.patterns.push((axis, pattern as Pattern, index));
                }
            }
        }
        let costs = Axis::ALL.map(|axis| freedom.costs(axis, metric));
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

    /// The moves.
    pub(crate) fn moves(&self) -> &[AxisMove] {
        &self.moves
    }

    /// The cost of each move.
    pub(crate) fn costs(&self) -> &[u8] {
        &self.costs
    }

    /// One move for each generating pattern: its axis, its pattern and its place among the moves.
    pub(crate) fn patterns(&self) -> &[(Axis, Pattern, u8)] {
        &self.patterns
    }

    /// For each action of a group and each move (`action · len + move`), the conjugate's place.
    pub(crate) fn conjugates(&self, group: &ActionGroup) -> Vec<u8> {
        group
            .actions()
            .flat_map(|action| {
                self.moves
                    .iter()
                    .map(move |mv| mv.conjugate(action.places()))
            })
            .map(|conjugate| {
                self.moves
                    .iter()
                    .position(|&mv| mv == conjugate)
                    .expect("generators are closed under the group they were made with")
                    as u8
            })
            .collect()
    }
}
