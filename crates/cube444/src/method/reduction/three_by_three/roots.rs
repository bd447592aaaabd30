//! The roots of the search: states from which both phases start, in the order of their lower bounds.
//!
//! Any of the three axes can take the place of U–D. The inverse of a solution of the inverse state solves the
//! state. And there can be premoves; see [`Premove`](crate::search::Premove).
//!
//! Premoves that differ by turns of the subgroup before them lead to the same position of the first phase. So a
//! root has several variants: premoves with the same first phase, but different second phases.

use rustc_hash::FxHashMap;

use super::ThreeByThree;
use super::cubies::{Arrangement, Cubies};
use super::phase_one::{NodeOne, PhaseOne};
use crate::coord::combinatorics::elements;
use crate::cube::{Action, AxisMove, Cube, Metric, Symmetry};
use crate::search::turns::boundaries;
use crate::search::{Premove, Root};

/// Premoves of one cost that lead to the same position of the first phase, each with the solved cube after it.
struct Family {
    cost: u8,
    members: Vec<(Premove, Cubies)>,
}

/// Premoves of up to two turns, by cost.
pub(super) struct Premoves {
    /// Families by ascending cost, the one without turns first.
    families: Vec<Family>,
}

impl Premoves {
    pub(super) fn new(phase: &PhaseOne) -> Premoves {
        let moves = phase.turns.moves();
        let leaving: Vec<usize> = elements(phase.leaving()).collect();
        let mut sequences = vec![[AxisMove::STILL; 2]];
        sequences.extend(leaving.iter().map(|&turn| [moves[turn], AxisMove::STILL]));
        for &first in &leaving {
            for (second, &mv) in moves.iter().enumerate() {
                // Turns that commute have one order, and turns of the subgroup belong to the second phase.
                let commutes = mv.axis() == moves[first].axis();
                let is_same = commutes && boundaries(mv) == boundaries(moves[first]);
                if !is_same && (!commutes || (leaving.contains(&second) && second > first)) {
                    sequences.push([moves[first], mv]);
                }
            }
        }
        let mut families: Vec<Family> = Vec::new();
        let mut known: FxHashMap<(usize, usize, u8), usize> = FxHashMap::default();
        for sequence in sequences {
            let premove = Premove::new(sequence, Metric::Obtm);
            let cubies = Cubies::of(&premove.before(&Cube::solved()));
            let cost = premove.cost;
            let raw = (cubies.flip_slice(), cubies.twist(), cost);
            let family = *known.entry(raw).or_insert_with(|| {
                let members = Vec::new();
                families.push(Family { cost, members });
                families.len() - 1
            });
            families[family].members.push((premove, cubies));
        }
        Premoves { families }
    }
}

/// A start of the first phase.
pub(super) struct PhaseRoot {
    pub(super) coordinates: [usize; 2],
    /// The cost of the premoves.
    pub(super) cost: u8,
    /// The symmetry by which the cube was conjugated.
    pub(super) axis: Symmetry,
    pub(super) is_inverse: bool,
    pub(super) family: usize,
    pub(super) cubies: Cubies,
}

impl Premoves {
    /// The roots of a reduced cube, with premoves that cost at most `most`.
    pub(super) fn roots(
        &self,
        phase: &PhaseOne,
        cube: &Cube,
        most: u8,
        mut take: impl FnMut(PhaseRoot),
    ) {
        for axis in Symmetry::thirds() {
            let cubies = Cubies::of(&cube.transformed(Action::conjugation(axis)));
            for is_inverse in [false, true] {
                let cubies = if is_inverse { cubies.inverse() } else { cubies };
                let families = self.families.iter().enumerate();
                for (family, Family { cost, members }) in families {
                    if *cost > most {
                        break;
                    }
                    take(PhaseRoot {
                        coordinates: phase.coordinates(&members[0].1.then(&cubies)),
                        cost: *cost,
                        axis,
                        is_inverse,
                        family,
                        cubies,
                    });
                }
            }
        }
    }

    /// The arrangement of each variant of a root.
    pub(super) fn variants(&self, root: &PhaseRoot) -> impl Iterator<Item = Arrangement> {
        let members = self.families[root.family].members.iter();
        members.map(|(_, cubies)| cubies.then(&root.cubies).arrangement())
    }

    /// The moves that solve the cube of a root, given the moves that solve one of its variants.
    pub(super) fn solution(
        &self,
        root: &PhaseRoot,
        variant: usize,
        moves: &[AxisMove],
    ) -> Vec<AxisMove> {
        let (premove, _) = &self.families[root.family].members[variant];
        let mut solution: Vec<AxisMove> = moves.iter().copied().chain(premove.turns()).collect();
        if root.is_inverse {
            solution.reverse();
            solution.iter_mut().for_each(|mv| *mv = mv.inverse());
        }
        let undo = root.axis.inverse();
        solution.iter().map(|mv| mv.conjugate(undo)).collect()
    }
}

/// A root of one of the reduced cubes.
pub(super) struct Start {
    /// The index of the reduced cube.
    pub(super) reduction: usize,
    pub(super) root: PhaseRoot,
    pub(super) node: NodeOne,
    /// The cost before the first phase.
    pub(super) spent: u8,
    /// A lower bound of the cost after the first phase.
    pub(super) key: u8,
    /// The arrangement of each variant; filled on first use.
    pub(super) variants: Vec<Arrangement>,
}

impl ThreeByThree {
    /// The starts from reduced cubes by ascending lower bound. `premoves` gives the greatest cost of premoves for a
    /// cost so far.
    pub(super) fn starts(&self, reductions: &[Root], premoves: impl Fn(usize) -> u8) -> Vec<Start> {
        let mut roots = Vec::new();
        for (reduction, from) in reductions.iter().enumerate() {
            let take = |root| roots.push((reduction, root));
            let most = premoves(from.cost);
            self.premoves.roots(&self.one, &from.cube, most, take);
        }
        // Each step handles all roots, so that their cache misses overlap.
        let node = |(_, root): &(usize, PhaseRoot)| {
            let node = self.one.node(root.coordinates);
            self.one.table.prefetch(self.one.space.key(&node.position));
            node
        };
        let nodes: Vec<NodeOne> = roots.iter().map(node).collect();
        let start = |((reduction, root), node): ((usize, PhaseRoot), NodeOne)| {
            let spent = reductions[reduction].cost as u8 + root.cost;
            Start {
                reduction,
                root,
                node,
                spent,
                key: spent + self.one.bound(&node.position),
                variants: Vec::new(),
            }
        };
        let mut starts: Vec<Start> = roots.into_iter().zip(nodes).map(start).collect();
        starts.sort_by_key(|start| start.key);
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::one_without_bounds;
    use super::*;

    #[test]
    fn there_are_113_premoves_in_55_families() {
        let premoves = Premoves::new(&one_without_bounds());
        let counts = |cost: u8| {
            let families = premoves
                .families
                .iter()
                .filter(|family| family.cost == cost);
            families
                .map(|family| family.members.len())
                .collect::<Vec<_>>()
        };
        assert_eq!([0, 1, 2].map(|cost| counts(cost).len()), [1, 4, 50]);
        assert_eq!(
            [0, 1, 2].map(|cost| counts(cost).iter().sum::<usize>()),
            [1, 8, 104]
        );
    }

    #[test]
    fn a_cube_has_roots_on_three_axes_in_both_directions_with_the_allowed_premoves() {
        let phase = one_without_bounds();
        let premoves = Premoves::new(&phase);
        let turns: crate::cube::Sequence = "R U2 F L' D B2".parse().unwrap();
        let cube = Cube::solved().moved_by(turns.axis_moves());
        for (most, families) in [(0, 1), (1, 5), (2, 55)] {
            let mut roots = Vec::new();
            premoves.roots(&phase, &cube, most, |root| roots.push(root));
            assert!(roots.iter().all(|root| root.cost <= most));
            for axis in Symmetry::thirds() {
                for is_inverse in [false, true] {
                    let is_of =
                        |root: &&PhaseRoot| root.axis == axis && root.is_inverse == is_inverse;
                    assert_eq!(roots.iter().filter(is_of).count(), families);
                }
            }
            assert_eq!(roots.len(), 6 * families);
        }
    }
}
