//! Both phases: their positions, tables and bounds, and the search of the second one.
//!
//! The table of the first phase has ranges of distances or, if it is small, a filter of the positions near the
//! goal. The ways from the positions nearest to the goal are listed in advance. The table
//! of the second phase ignores the four edges along y, so its distances are lower bounds. Two small exact tables,
//! of the corners and of the eight edges of U and D, each with the four edges along y, give bounds if the table is
//! missing or its first range is too coarse.

use std::sync::Arc;

use super::arrangement::{Arrangement, shuffle};
use super::ways::{RADIUS, Ways};
use crate::coord::combinatorics::{
    PERMUTATIONS_8, Permutation8, elements, permutation_rank, permutation_unrank,
};
use crate::coord::edges::{EdgePermutation, edge_of, reference};
use crate::coord::half_turns::relabeled;
use crate::cube::layout::EDGES;
use crate::cube::{Axis, AxisMove, Metric};
use crate::method::reduction::effect::Effect;
use crate::search::turns::{ALL_BOUNDARIES, TurnState, Turns};
use crate::search::{AxisTurns, Meter, MoveSet};
use crate::simd::{Bytes16, Simd};
use crate::stage::{Position, Space};
use crate::table::{Bounds, NearGoalFilter, RangeTable, distances};

/// The turns of the last stage, and of its first phase.
pub(in crate::method::reduction) const MOVES: MoveSet = MoveSet([AxisTurns::FACES; 3]);
/// The turns of the second phase.
pub(super) const SUBGROUP: MoveSet = MoveSet([
    AxisTurns::HALF_FACES,
    AxisTurns::FACES,
    AxisTurns::HALF_FACES,
]);

/// The maximum distance in the first range of the table of the first phase. Distances up to [`RADIUS`] are known without
/// the table, so 7 is, too.
pub(super) const FIRST_RANGE_ONE: u8 = 7;

/// The turns of a phase, numbered like its generators.
fn single_turns(space: &Space) -> Turns {
    let (generators, next) = (&space.generators, &space.next);
    Turns::derive(generators, next, Metric::Obtm, ALL_BOUNDARIES)
}

/// The first phase with its tables.
pub(super) struct PhaseOne<B> {
    pub(super) space: Arc<Space>,
    pub(super) turns: Turns,
    /// Does not distinguish distances up to [`RADIUS`].
    pub(super) table: B,
    pub(super) ways: Ways,
}

impl<B: Bounds> PhaseOne<B> {
    pub(super) fn new(space: Arc<Space>, table: B) -> PhaseOne<B> {
        let turns = single_turns(&space);
        PhaseOne {
            ways: Ways::new(&space),
            space,
            turns,
            table,
        }
    }

    /// A lower bound of the distance.
    pub(super) fn bound(&self, position: &Position) -> u8 {
        let key = self.space.key(position);
        match self.table.bound(key) {
            0 => {
                let number = self.ways.number(key);
                number.map_or(RADIUS + 1, |number| self.ways.distance(number))
            }
            bound => bound,
        }
    }
}

/// The maximum distance of the positions that are entered: 750,000 up to symmetry.
const FILTER_RADIUS: u8 = 7;
/// The length of the filter in bytes, ten bits for each position.
const BYTES: usize = 1 << 20;

/// A filter of the positions up to [`FILTER_RADIUS`] turns from the goal. Those nearer than [`RADIUS`] + 1 are known
/// without it.
pub(super) fn subgroup_filter(space: &Space) -> NearGoalFilter<'_, Space> {
    NearGoalFilter {
        graph: space,
        label: "reduction-near-subgroup",
        nearest: RADIUS + 1,
        radius: FILTER_RADIUS,
        bytes: BYTES,
    }
}

/// The maximum distance in the first range of the table of the second phase. The small tables are good bounds up to 8,
/// and few searches reach distances greater than 11.
pub(super) const FIRST_RANGE_TWO: u8 = 8;
/// The number of turns of the second phase.
const TURNS_TWO: usize = 10;
/// The number of arrangements of the four edges along y.
const SLICES: usize = 24;

/// The second phase with its tables.
pub(super) struct PhaseTwo {
    space: Arc<Space>,
    table: Option<RangeTable>,
    pub(super) turns: Turns,
    corners: Vec<[u16; TURNS_TWO]>,
    slices: Vec<[u16; TURNS_TWO]>,
    /// The conjugation of the eight edges of U and D by each symmetry.
    symmetries: Vec<Effect>,
    /// Exact distances of the corners: 40 kB, in a fast cache.
    corners_alone: Vec<u8>,
    /// Exact distances of corners with the four, and of the eight edges with the four.
    corners_and_slice: Vec<u8>,
    edges_and_slice: Vec<u8>,
}

/// A position: arrangements of corners, of the eight edges, and of the four along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeTwo {
    corners: u16,
    edges: u16,
    slice: u8,
}

/// The ranks of the first `count` permutations of eight pieces after each turn, given the source of each place.
fn moved(count: usize, sources: [Permutation8; TURNS_TWO]) -> Vec<[u16; TURNS_TWO]> {
    let row = |rank| {
        let homes = permutation_unrank(rank);
        sources.map(|from| permutation_rank(&relabeled(&from, &homes)) as u16)
    };
    (0..count).map(row).collect()
}

/// The four edges along y as a permutation of eight that leaves the first four at home. These come first in
/// lexicographic order.
#[inline(always)]
fn slice(homes: &[u8]) -> Permutation8 {
    [0, 1, 2, 3, homes[4], homes[5], homes[6], homes[7]]
}

impl PhaseTwo {
    pub(super) fn new(space: Arc<Space>, table: Option<RangeTable>) -> PhaseTwo {
        let turns = single_turns(&space);
        let moves = |turn: usize| turns.moves()[turn];
        let corner_sources = std::array::from_fn(|turn| moves(turn).sources().corners);
        let slice_sources = std::array::from_fn(|turn| slice(&shuffle(moves(turn))));
        let corners = moved(PERMUTATIONS_8, corner_sources);
        let slices = moved(SLICES, slice_sources);
        let edges = |edges| std::array::from_fn(|turn| space.second_moved(edges, turn));
        let edges: Vec<_> = (0..PERMUTATIONS_8).map(edges).collect();
        let with_slice = |first: &[[u16; TURNS_TWO]]| {
            distances(first.len() * SLICES, [0], |index| {
                let (first, slice) = (first[index / SLICES], slices[index % SLICES]);
                let image =
                    move |turn| usize::from(first[turn]) * SLICES + usize::from(slice[turn]);
                (0..TURNS_TWO).map(move |turn| (image(turn), 1))
            })
        };
        let symmetries = space.group.actions().map(|action| {
            let (mut before, mut after): (Bytes16, Bytes16) = ([0; 16], [0; 16]);
            for (edge, image_of) in after.iter_mut().enumerate().take(EDGES) {
                let image = edge_of(action.places().slot(reference(Axis::Z, edge)));
                let mut eight = EdgePermutation::EDGES.iter();
                if let Some(number) = eight.position(|&outer| outer == image) {
                    (before[number], *image_of) = (edge as u8, number as u8);
                }
            }
            Effect { after, before }
        });
        PhaseTwo {
            symmetries: symmetries.collect(),
            corners_alone: distances(PERMUTATIONS_8, [0], |index| {
                corners[index].map(|image| (image.into(), 1))
            }),
            corners_and_slice: with_slice(&corners),
            edges_and_slice: with_slice(&edges),
            corners,
            slices,
            turns,
            table,
            space,
        }
    }

    /// The position of an arrangement in the subgroup.
    pub(super) fn node(&self, at: &Arrangement) -> NodeTwo {
        let homes = at.edges();
        let edges = EdgePermutation::of_homes(|place| homes[place]);
        let edges = edges.expect("the first phase brings the edges along y to their places");
        NodeTwo {
            corners: permutation_rank(&at.corners()) as u16,
            edges: edges as u16,
            slice: permutation_rank(&slice(&homes)) as u8,
        }
    }

    #[inline(always)]
    fn after(&self, node: NodeTwo, turn: usize) -> NodeTwo {
        NodeTwo {
            corners: self.corners[usize::from(node.corners)][turn],
            edges: self.space.second_moved(node.edges.into(), turn),
            slice: self.slices[usize::from(node.slice)][turn] as u8,
        }
    }

    /// Computes the entry of an arrangement in the subgroup, and prefetches it. `None` if the corners alone
    /// take more than `most` turns. Without a table, [`PhaseTwo::bound`] needs no entry, and this is 0.
    #[inline(always)]
    pub(super) fn fetched_entry<S: Simd>(
        &self,
        simd: S,
        at: &Arrangement,
        most: u8,
    ) -> Option<u32> {
        let corners = permutation_rank(&at.corners());
        if self.corners_alone[corners] > most {
            return None;
        }
        let Some(table) = &self.table else {
            return Some(0);
        };
        let of = self.space.classes.of(corners);
        let edges = self.symmetries[of.action()].on(simd, at.edges());
        let (eights, _) = edges.as_chunks();
        let entry = (of.class() * PERMUTATIONS_8 + permutation_rank(&eights[0])) as u32;
        table.prefetch(entry.into());
        Some(entry)
    }

    /// A lower bound of the distance of an arrangement, given its entry.
    pub(super) fn bound(&self, at: &Arrangement, entry: u32) -> u8 {
        match &self.table {
            Some(table) => table.bound(entry.into()),
            None => self.bound_with_slice(self.node(at)),
        }
    }

    /// The maximum of the bounds of both small tables.
    #[inline(always)]
    fn bound_with_slice(&self, node: NodeTwo) -> u8 {
        let slice = usize::from(node.slice);
        let distance = |table: &[u8], value: u16| table[usize::from(value) * SLICES + slice];
        let corners = distance(&self.corners_and_slice, node.corners);
        corners.max(distance(&self.edges_and_slice, node.edges))
    }

    fn exceeds(&self, node: NodeTwo, limit: u8) -> bool {
        let exceeds = |table: &RangeTable| {
            let position = self
                .space
                .position_of(node.corners.into(), node.edges.into());
            table.exceeds(self.space.key(&position), limit)
        };
        self.bound_with_slice(node) > limit
            || (limit >= FIRST_RANGE_TWO && self.table.as_ref().is_some_and(exceeds))
    }

    /// Finds a solution in exactly `left` turns: its turns, the last one first.
    pub(super) fn solve(
        &self,
        node: NodeTwo,
        state: TurnState,
        left: u8,
        meter: &mut Meter,
    ) -> Option<Vec<AxisMove>> {
        meter.statistics.lookups += 1;
        if self.exceeds(node, left) {
            return None;
        }
        if left == 0 {
            // The small tables are exact, so a bound of 0 means solved.
            return Some(Vec::new());
        }
        meter.node().ok()?;
        for turn in elements(self.turns.following(state)) {
            let (child, after) = (self.after(node, turn), self.turns.after(state, turn));
            if let Some(mut turns) = self.solve(child, after, left - 1, meter) {
                turns.push(self.turns.moves()[turn]);
                return Some(turns);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
