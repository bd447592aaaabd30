//! Fifth stage: the reduced cube solved by quarter turns of U and D and half turns of other faces.
//!
//! The table holds, for the arrangement of the corners (2,768 classes under the sixteen symmetries
//! that keep the U–D axis) and of the eight dedges of U and D (8! values), the least number of turns
//! that solves both, whatever becomes of the four dedges along y: a lower bound. Two small exact
//! tables, of the corners and of the eight dedges, each with the four, serve where it is too coarse.

use std::sync::Arc;

use super::super::fingerprint::Fingerprint;
use super::super::turns::{RunState, Turns, elements};
use super::cubies::Arrangement;
use super::flip_slice::{SLICE, keeping_ud};
use super::permutations::{Corners, OuterEdges, SLICES, Slice, slice_rank};
use super::phase_graph::{PhaseGraph, SYMMETRIES};
use crate::coord::combinatorics::{PERMUTATIONS_8, permutation_rank};
use crate::coord::{ActionGroup, ClassAction, Classes, Coordinate};
use crate::cube::Cube;
use crate::search::AxisFreedom;
use crate::search::Meter;
use crate::simd::{Bytes16, Simd};

use crate::table::{BuildError, BuildProgress, Built, Encoding, Table, TableSpec, TwoBitTable};

/// Number of classes of corner permutations.
pub const CLASSES: usize = 2_768;
/// Number of turns.
pub(super) const TURNS: usize = 10;
const ROW: usize = PERMUTATIONS_8;

/// Distances up to 8 are told apart by the small tables well enough, and few searches have to do with
/// greater ones than 11.
const LEAST: u8 = 8;
const ENTRIES: usize = CLASSES * ROW;
/// How they are stored.
const ENCODING: Encoding = Encoding::two_bits(LEAST);

/// The positions of the second phase, and what turns make of them.
pub struct PhaseTwoSpace {
    pub(super) turns: Turns,
    classes: Classes,
    /// For each arrangement of corners, its class and the symmetry that leads there.
    of_corners: Vec<ClassAction>,
    corners: Vec<[u16; TURNS]>,
    edges: Vec<[u16; TURNS]>,
    slices: Vec<[u8; TURNS]>,
    conjugate_edges: Vec<[u16; SYMMETRIES]>,
    /// How each symmetry moves the eight dedges, and the inverse.
    symmetries: [(Bytes16, Bytes16); SYMMETRIES],
    /// Exact distances of corners with the four, and of the eight dedges with the four.
    corners_and_slice: Vec<u8>,
    edges_and_slice: Vec<u8>,
}

/// A position: arrangements of corners, of the eight dedges, and of the four along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PhaseTwoNode {
    corners: u16,
    edges: u16,
    slice: u8,
}

fn images<T, const N: usize>(
    coordinate: &dyn Coordinate,
    image: impl Fn(&Cube, usize) -> Cube,
    narrow: impl Fn(usize) -> T,
) -> Vec<[T; N]> {
    (0..coordinate.size())
        .map(|value| {
            let cube = coordinate.unrank(value);
            std::array::from_fn(|number| narrow(coordinate.rank(&image(&cube, number))))
        })
        .collect()
}

/// Exact distances of two values together, the second of 24.
fn distances(first: &[[u16; TURNS]], slices: &[[u8; TURNS]]) -> Vec<u8> {
    let mut distances = vec![u8::MAX; first.len() * SLICES];
    distances[0] = 0;
    let mut frontier = vec![0];
    let mut distance = 0;
    while !frontier.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for index in frontier {
            for turn in 0..TURNS {
                let image = usize::from(first[index / SLICES][turn]) * SLICES
                    + usize::from(slices[index % SLICES][turn]);
                if distances[image] == u8::MAX {
                    distances[image] = distance;
                    next.push(image);
                }
            }
        }
        frontier = next;
    }
    distances
}

impl PhaseTwoSpace {
    /// Works out the positions; takes some tenths of a second.
    #[must_use]
    #[allow(clippy::expect_used, reason = "the message holds the proof")]
    pub fn new() -> PhaseTwoSpace {
        let turns = Turns::new([
            AxisFreedom::HALF_FACES,
            AxisFreedom::FACES,
            AxisFreedom::HALF_FACES,
        ]);
        let group = ActionGroup::new(keeping_ud())
            .expect("the symmetries that keep an axis are a group with the identity first");
        let classes = Classes::new(&Corners, &group);
        let classes = classes.expect("there are far fewer values than classes allowed");
        let moves = turns.moves();
        let corners = images(
            &Corners,
            |cube, turn| cube.moved_in(moves[turn], Corners.pieces()),
            |image| image as u16,
        );
        let edges = images(
            &OuterEdges,
            |cube, turn| cube.moved_in(moves[turn], OuterEdges.pieces()),
            |image| image as u16,
        );
        let slices = images(
            &Slice,
            |cube, turn| cube.moved_in(moves[turn], Slice.pieces()),
            |image| image as u8,
        );
        let conjugate_edges = images(
            &OuterEdges,
            |cube, sym| cube.transformed_in(group.action(sym), OuterEdges.pieces()),
            |image| image as u16,
        );
        let symmetries = std::array::from_fn(|sym| {
            let (mut to, mut from): (Bytes16, Bytes16) = ([0; 16], [0; 16]);
            let places = group.action(sym).places();
            for dedge in 0..16u8 {
                let image = super::cubies::dedge_image(places, dedge);
                to[usize::from(dedge)] = image;
                from[usize::from(image)] = dedge;
            }
            (to, from)
        });
        PhaseTwoSpace {
            of_corners: (0..PERMUTATIONS_8).map(|value| classes.of(value)).collect(),
            corners_and_slice: distances(&corners, &slices),
            edges_and_slice: distances(&edges, &slices),
            turns,
            classes,
            corners,
            edges,
            slices,
            conjugate_edges,
            symmetries,
        }
    }

    /// What the table is built from: a row for each class of corners, an entry for each arrangement
    /// of the eight dedges.
    fn graph(&self) -> PhaseGraph<'_, TURNS> {
        let rows = (0..self.classes.count())
            .map(|class| {
                let representative = self.classes.representative(class);
                self.corners[representative].map(|image| self.of_corners[usize::from(image)])
            })
            .collect();
        let goal = self.of_corners[0].class() * ROW;
        PhaseGraph::new(
            &self.classes,
            rows,
            &self.edges,
            &self.conjugate_edges,
            goal,
        )
    }

    /// The position of an arrangement in the subgroup.
    pub(super) fn node(&self, at: &Arrangement) -> PhaseTwoNode {
        let edges = at.edges();
        let mut eight = [0; 8];
        eight.copy_from_slice(&edges[..8]);
        let mut four = [0; 4];
        four.copy_from_slice(&edges[SLICE..12]);
        PhaseTwoNode {
            corners: permutation_rank(&at.corners()) as u16,
            edges: permutation_rank(&eight) as u16,
            slice: slice_rank(four) as u8,
        }
    }

    #[inline(always)]
    fn after(&self, node: PhaseTwoNode, turn: usize) -> PhaseTwoNode {
        PhaseTwoNode {
            corners: self.corners[usize::from(node.corners)][turn],
            edges: self.edges[usize::from(node.edges)][turn],
            slice: self.slices[usize::from(node.slice)][turn],
        }
    }

    /// Where the bound of an arrangement in the subgroup is.
    #[inline(always)]
    pub(super) fn entry<S: Simd>(&self, simd: S, at: &Arrangement) -> u32 {
        let of = self.of_corners[permutation_rank(&at.corners())];
        let (to, from) = self.symmetries[of.action()];
        let edges = simd.shuffle(to, simd.shuffle(at.edges(), from));
        let mut eight = [0; 8];
        eight.copy_from_slice(&edges[..8]);
        (of.class() * ROW + permutation_rank(&eight)) as u32
    }

    fn entry_of(&self, node: PhaseTwoNode) -> u32 {
        let of = self.of_corners[usize::from(node.corners)];
        let edges = self.conjugate_edges[usize::from(node.edges)][of.action()];
        (of.class() * ROW) as u32 + u32::from(edges)
    }
}

impl Default for PhaseTwoSpace {
    fn default() -> PhaseTwoSpace {
        PhaseTwoSpace::new()
    }
}

/// The table of the second phase.
pub struct PhaseTwoTable<'a> {
    /// What it is of.
    pub space: &'a PhaseTwoSpace,
}

impl TableSpec for PhaseTwoTable<'_> {
    fn label(&self) -> String {
        "reduction-solved-phase-two".to_owned()
    }

    fn entries(&self) -> u64 {
        ENTRIES as u64
    }

    fn encoding(&self) -> Encoding {
        ENCODING
    }

    fn fingerprint(&self) -> u128 {
        let space = self.space;
        let mut fingerprint = Fingerprint::new(&space.turns);
        fingerprint.numbers(space.of_corners.iter().copied().map(ClassAction::number));
        fingerprint.numbers(space.corners.iter().copied().flatten());
        fingerprint.numbers(space.edges.iter().copied().flatten());
        fingerprint.numbers(space.conjugate_edges.iter().copied().flatten());
        fingerprint.finish()
    }

    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError> {
        Built::of_graph(&self.space.graph(), ENCODING, progress)
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        table.recount(&self.space.graph()).is_ok()
    }
}

/// The second phase with its table.
pub struct PhaseTwo {
    pub(super) space: Arc<PhaseTwoSpace>,
    pub(super) table: TwoBitTable,
}

impl PhaseTwo {
    /// The phase with its table.
    #[must_use]
    pub fn new(space: Arc<PhaseTwoSpace>, table: Arc<Table>) -> PhaseTwo {
        PhaseTwo {
            space,
            table: TwoBitTable::new(table).expect("the table is of two bits an entry"),
        }
    }

    fn exceeds(&self, node: PhaseTwoNode, limit: u8) -> bool {
        let slice = usize::from(node.slice);
        let with_slice = |table: &[u8], value: u16| table[usize::from(value) * SLICES + slice];
        with_slice(&self.space.corners_and_slice, node.corners) > limit
            || with_slice(&self.space.edges_and_slice, node.edges) > limit
            || (limit >= LEAST && self.table.exceeds(self.space.entry_of(node), limit))
    }

    /// Finds a way to solve an arrangement in exactly `cost` turns, and puts its turns' numbers into
    /// `path`; `state` says what the last run before has turned.
    pub(super) fn solve(
        &self,
        at: &Arrangement,
        state: RunState,
        cost: u8,
        meter: &mut Meter<'_>,
        path: &mut Vec<u8>,
    ) -> bool {
        path.clear();
        self.below(self.space.node(at), state, cost, meter, path)
    }

    fn below(
        &self,
        node: PhaseTwoNode,
        state: RunState,
        left: u8,
        meter: &mut Meter<'_>,
        path: &mut Vec<u8>,
    ) -> bool {
        meter.statistics.lookups += 1;
        if self.exceeds(node, left) {
            return false;
        }
        if left == 0 {
            // Both small tables say that nothing is left.
            return true;
        }
        if meter.node().is_err() {
            return false;
        }
        for turn in elements(self.space.turns.following(state)) {
            let child = self.space.after(node, turn);
            path.push(turn as u8);
            let state = self.space.turns.after(state, turn);
            if self.below(child, state, left - 1, meter, path) {
                return true;
            }
            path.pop();
        }
        false
    }
}
