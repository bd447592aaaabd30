//! The reduced cube: its pieces, and the states from which both phases start, in the order of their lower bounds.
//!
//! Any of the three axes can take the place of U–D. The inverse of a solution of the inverse state solves the
//! state. And there can be premoves; see [`Premove`](crate::search::Premove).
//!
//! Premoves that differ by turns of the subgroup before them lead to the same position of the first phase. So a
//! root has several variants: premoves with the same first phase, but different second phases.

use rustc_hash::FxHashMap;

use super::ThreeByThree;
use super::phases::{NodeOne, PhaseOne};
use crate::coord::combinatorics::elements;
use crate::coord::edges::{FlipSlice, edge_of, is_in_orbit, reference};
use crate::cube::layout::{CORNERS, EDGES};
use crate::cube::{Action, Axis, AxisMove, Cube, Metric, Symmetry};
use crate::search::turns::boundaries;
use crate::search::{Premove, Root};
use crate::simd::{Bytes32, Simd, Substitution};

/// The piece at each place of corners and edges, with its orientation.
///
/// An edge is flipped if its wing in the first orbit about z belongs to the second one. The twist of a corner
/// is the direction of its U or D sticker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cubies {
    pub(super) corners: [u8; CORNERS],
    pub(super) twists: [u8; CORNERS],
    pub(super) edges: [u8; EDGES],
    pub(super) flips: [bool; EDGES],
}

impl Cubies {
    /// The pieces of a cube whose wings are paired.
    pub(super) fn of(cube: &Cube) -> Cubies {
        let first = |edge: usize| cube.wing(reference(Axis::Z, edge));
        Cubies {
            corners: std::array::from_fn(|slot| cube.corner_home(slot) as u8),
            twists: std::array::from_fn(|slot| cube.twist(slot) as u8),
            edges: std::array::from_fn(|edge| edge_of(first(edge)) as u8),
            flips: std::array::from_fn(|edge| !is_in_orbit(Axis::Z, first(edge))),
        }
    }

    /// First `self`, then the turns that make `next` of the solved cube.
    pub(super) fn then(&self, next: &Cubies) -> Cubies {
        let corner = |slot: usize| usize::from(next.corners[slot]);
        let edge = |place: usize| usize::from(next.edges[place]);
        Cubies {
            corners: std::array::from_fn(|slot| self.corners[corner(slot)]),
            twists: std::array::from_fn(|slot| (self.twists[corner(slot)] + next.twists[slot]) % 3),
            edges: std::array::from_fn(|place| self.edges[edge(place)]),
            flips: std::array::from_fn(|place| self.flips[edge(place)] ^ next.flips[place]),
        }
    }

    /// The inverse.
    pub(super) fn inverse(&self) -> Cubies {
        let mut inverse = *self;
        for slot in 0..CORNERS {
            let home = usize::from(self.corners[slot]);
            inverse.corners[home] = slot as u8;
            inverse.twists[home] = (3 - self.twists[slot]) % 3;
        }
        for place in 0..EDGES {
            let home = usize::from(self.edges[place]);
            inverse.edges[home] = place as u8;
            inverse.flips[home] = self.flips[place];
        }
        inverse
    }

    /// The value of [`FlipSlice`].
    pub(super) fn flip_slice(&self) -> usize {
        let homes = self.edges.iter().map(|&home| usize::from(home));
        FlipSlice::of_edges(homes.zip(self.flips))
    }

    /// The value of [`CornerTwist`](crate::coord::corners::CornerTwist).
    pub(super) fn twist(&self) -> usize {
        let twists = &self.twists[..CORNERS - 1];
        twists
            .iter()
            .fold(0, |rank, &twist| rank * 3 + usize::from(twist))
    }

    /// The pieces without their orientations.
    pub(super) fn arrangement(&self) -> Arrangement {
        let mut bytes: Bytes32 = std::array::from_fn(|i| i as u8 % 16);
        bytes[..EDGES].copy_from_slice(&self.edges);
        bytes[16..16 + CORNERS].copy_from_slice(&self.corners);
        Arrangement(bytes)
    }
}

/// The pieces at each place without their orientations: edges in the first half, corners in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrangement(pub(super) Bytes32);

impl Arrangement {
    #[inline(always)]
    pub(super) fn moved<S: Simd>(&self, simd: S, sources: &Bytes32) -> Arrangement {
        Arrangement(simd.substitute(sources, &Substitution(self.0)))
    }

    /// The homes of the corners.
    #[inline(always)]
    pub(super) fn corners(&self) -> [u8; 8] {
        let mut corners = [0; 8];
        corners.copy_from_slice(&self.0[16..24]);
        corners
    }

    /// The homes of the edges.
    #[inline(always)]
    pub(super) fn edges(&self) -> [u8; 16] {
        let mut edges = [0; 16];
        edges.copy_from_slice(&self.0[..16]);
        edges
    }
}

/// The image of an edge under a symmetry.
pub(super) fn edge_image(symmetry: Symmetry, edge: usize) -> usize {
    edge_of(symmetry.slot(reference(Axis::Z, edge)))
}

/// The rearrangement of the pieces by a turn of outer layers: the source of each place.
pub(super) fn shuffle(mv: AxisMove) -> Bytes32 {
    let moved = Cubies::of(&Cube::solved().moved(mv)).arrangement();
    std::array::from_fn(|i| moved.0[i] + 16 * (i as u8 / 16))
}

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
    use super::*;
    use crate::cube::Axis;
    use crate::simd::Portable;

    #[test]
    fn cubies_move_as_cubes_do() {
        let mut cube = Cube::solved();
        let mut cubies = Cubies::of(&cube);
        let mut moves = Vec::new();
        for i in 0..60u8 {
            let axis = Axis::ALL[usize::from(i) % 3];
            moves.push(AxisMove::new(axis, [i % 4, 0, 0, i / 4 % 4]));
        }
        for mv in moves {
            let turn = Cubies::of(&Cube::solved().moved(mv));
            let arrangement = cubies.arrangement().moved(Portable, &shuffle(mv));
            cube = cube.moved(mv);
            cubies = cubies.then(&turn);
            assert_eq!(cubies, Cubies::of(&cube));
            assert_eq!(arrangement, cubies.arrangement());
            let solved = Cubies::of(&Cube::solved());
            assert_eq!(cubies.then(&cubies.inverse()), solved);
        }
    }

    use super::super::tests::one_without_bounds;

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
