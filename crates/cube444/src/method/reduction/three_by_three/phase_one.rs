//! The positions of the first phase: their numbering, their bounds, and those near the goal, with the turns that lead
//! nearer.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::{SUBGROUP, THREE_BY_THREE};
use super::cubies::Cubies;
use crate::cube::{Axis, AxisMove};
use crate::search::near::Guide;
use crate::search::near::NearTable;
use crate::search::turns::{State, TurnSet, Turns, is_quarter};
use crate::stage::{Position, Space};
use crate::table::{Filter, NearGoalFilter, RangeTable, near_distances};

/// The end of the first range of the table. Distances up to [`RADIUS`] are known without the table, so 7 is, too.
pub(super) const LEAST: u8 = 7;
/// The number of turns.
pub(super) const TURNS: usize = 18;

/// The first phase with its tables.
pub(super) struct PhaseOne {
    pub(super) space: Arc<Space>,
    pub(super) turns: Turns,
    pub(super) table: PhaseBounds,
    pub(super) near: NearTable<Guide>,
}

/// A position, with the state of the sequence that led there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeOne {
    pub(super) position: Position,
    pub(super) state: State,
}

impl PhaseOne {
    pub(super) fn new(space: Arc<Space>, table: PhaseBounds) -> PhaseOne {
        let turns = Turns::new(THREE_BY_THREE, SUBGROUP);
        // A turn has the same number as a generator of the declared stage.
        assert_eq!(turns.moves(), space.generators.moves);
        PhaseOne {
            near: near_subgroup(&space),
            space,
            turns,
            table,
        }
    }

    /// The coordinates of a reduced cube. Prefetches what [`PhaseOne::node`] reads.
    pub(super) fn coordinates(&self, cubies: &Cubies) -> [usize; 2] {
        let flip_slice = cubies.flip_slice();
        self.space.prefetch_class(flip_slice);
        [flip_slice, cubies.twist()]
    }

    /// The position with some coordinates, before any turn.
    pub(super) fn node(&self, [flip_slice, twist]: [usize; 2]) -> NodeOne {
        NodeOne {
            position: self.space.position_of(flip_slice, twist),
            state: self.turns.start(AxisMove::STILL),
        }
    }

    /// A lower bound of the distance.
    pub(super) fn bound(&self, position: &Position) -> u8 {
        let key = self.space.key(position);
        match self.table.bound(key) {
            0 => self
                .near
                .get(key)
                .map_or(RADIUS + 1, |guide| guide.distance()),
            bound => bound,
        }
    }

    /// The turns that lead out of the subgroup.
    pub(super) fn leaving(&self) -> TurnSet {
        self.turns
            .which(|mv| mv.axis() != Axis::Y && is_quarter(mv))
    }
}

/// The greatest distance of the positions.
pub(super) const RADIUS: u8 = 6;

/// The guides of the positions up to [`RADIUS`] turns from the goal of the first phase, up to symmetry, by key.
/// Turns are in the frame of the representative.
pub(super) fn near_subgroup(space: &Space) -> NearTable<Guide> {
    let distances = near_distances(space, RADIUS, usize::MAX);
    let distances: FxHashMap<u64, u8> = distances.into_iter().collect();
    let guides = distances.iter().map(|(&key, &own)| {
        let position = space.position_at(key);
        let neighbours = space.neighbours(&position);
        let turns = 0..space.generators.len() as u8;
        let after = turns.map(|turn| distances.get(&space.key(&neighbours.child(turn))).copied());
        (key, Guide::new(own, after))
    });
    NearTable::new(distances.len(), guides)
}

/// The source of the bounds.
pub(super) enum PhaseBounds {
    /// A table of the ranges of all distances.
    Ranges(RangeTable),
    /// A filter of the positions up to a distance greater than [`RADIUS`].
    Near(Filter),
}

impl PhaseBounds {
    /// Prefetches the cache line of a key.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        match self {
            PhaseBounds::Ranges(table) => table.prefetch(key as u32),
            PhaseBounds::Near(filter) => filter.prefetch(filter.probe(key, 0)),
        }
    }

    /// Whether the distance of a position is known to be greater than `limit`, which is greater than [`RADIUS`].
    #[inline(always)]
    pub(super) fn exceeds(&self, key: u64, limit: u8) -> bool {
        match self {
            PhaseBounds::Ranges(table) => table.exceeds(key as u32, limit),
            PhaseBounds::Near(filter) => {
                limit <= filter.radius() && !filter.has(filter.probe(key, limit))
            }
        }
    }

    /// A lower bound of the distance of a position: 0 if it is at most [`RADIUS`] + 1, as far as is known.
    #[inline(always)]
    pub(super) fn bound(&self, key: u64) -> u8 {
        match self {
            PhaseBounds::Ranges(table) => table.bound(key as u32),
            PhaseBounds::Near(filter) => {
                let has = |&distance: &u8| filter.has(filter.probe(key, distance));
                match (RADIUS + 1..=filter.radius()).find(has) {
                    Some(distance) if distance == RADIUS + 1 => 0,
                    Some(distance) => distance,
                    None => filter.radius() + 1,
                }
            }
        }
    }
}

/// The greatest distance of the positions that are entered: 750,000 up to symmetry.
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

#[cfg(test)]
mod tests {
    use super::super::spaces;
    use super::super::tests::one_with_filter;
    use super::*;
    use crate::stage::Projection;
    use crate::table::TableSpec;

    #[test]
    fn turns_lead_as_they_are_said_to() {
        let [space, _] = spaces().unwrap();
        let near = near_subgroup(&space);
        let guide = |position: &Position| near.get(space.key(position));
        // From representatives and from what is seen of them elsewhere: positions reached by turns.
        let mut positions = space.goals().to_vec();
        for step in 0..4_000 {
            let position = positions[step];
            let own = guide(&position).unwrap();
            for turn in 0..space.generators.len() {
                let child = space.child(&position, turn as u8);
                let distance = guide(&child).map(Guide::distance);
                let mut originals = space.originals(&position).iter();
                let seen = originals.position(|&original| usize::from(original) == turn);
                let seen = seen.unwrap();
                let leads = |left: u8| own.leading(left) >> seen & 1 == 1;
                for left in 0..RADIUS {
                    assert_eq!(
                        leads(left),
                        distance.is_some_and(|d| d <= left) || left > own.distance()
                    );
                }
                if distance.is_some() {
                    positions.push(child);
                }
            }
        }
    }

    #[test]
    fn most_positions_without_a_guide_are_told_by_the_filter() {
        let [space, _] = spaces().unwrap();
        let near = near_subgroup(&space);
        let held = near_distances(&space, RADIUS, usize::MAX);
        assert!(held.len() > 50_000);
        assert!(held.iter().all(|&(key, _)| near.may_have(key)));
        let others = (0..space.entries(Projection::Whole) as u64).step_by(1_009);
        let others: Vec<u64> = others.filter(|&at| near.get(at).is_none()).collect();
        let passed = others.iter().filter(|&&at| near.may_have(at)).count();
        assert!(10 * passed < others.len(), "{passed} of {}", others.len());
    }

    #[test]
    fn as_many_positions_are_near_as_is_known() {
        let [space, _] = spaces().unwrap();
        let built = subgroup_filter(&space).build(&|_| ()).unwrap();
        // Kociemba's numbers for the first phase.
        let known = [1, 4, 50, 592, 7_156, 87_236, 1_043_817];
        assert_eq!(built.distribution.positions, known);
    }

    /// Positions next to those at the radius that are no nearer are one turn farther.
    #[test]
    fn bounds_by_the_filter_are_the_distances_up_to_one_turn_beyond_its_radius() {
        let phase = one_with_filter();
        let space = &*phase.space;
        let distances = near_distances(space, FILTER_RADIUS, usize::MAX);
        let distances: FxHashMap<u64, u8> = distances.into_iter().collect();
        for (&key, &distance) in distances.iter().filter(|(key, _)| *key % 101 == 0) {
            assert_eq!(phase.bound(&space.position_at(key)), distance);
        }
        let (mut exact, mut all) = (0, 0);
        let last = distances
            .iter()
            .filter(|(_, distance)| **distance == FILTER_RADIUS);
        for (&key, _) in last.step_by(997) {
            for turn in 0..space.generators.len() {
                let child = space.child(&space.position_at(key), turn as u8);
                if !distances.contains_key(&space.key(&child)) {
                    // A false positive of the filter is taken for nearer.
                    let bound = phase.bound(&child);
                    assert!(
                        (FILTER_RADIUS..=FILTER_RADIUS + 1).contains(&bound),
                        "{bound}"
                    );
                    exact += u32::from(bound > FILTER_RADIUS);
                    all += 1;
                }
            }
        }
        assert!(all > 1_000 && 10 * exact > 9 * all, "{exact} of {all}");
    }

    #[test]
    fn a_filter_tells_positions_within_its_radius_from_nearly_all_others() {
        let phase = one_with_filter();
        let space = &*phase.space;
        let PhaseBounds::Near(filter) = &phase.table else {
            panic!("the bounds are a filter");
        };
        let radius = filter.radius();
        assert_eq!(radius, RADIUS + 1);
        let exceeds = |key| phase.table.exceeds(key, radius);
        // It knows nothing about greater distances.
        let all = (0..space.entries(Projection::Whole) as u64).step_by(100_003);
        for limit in radius + 1..=12 {
            assert!(all.clone().all(|key| !phase.table.exceeds(key, limit)));
        }
        let nearest = near_distances(space, RADIUS, usize::MAX).into_iter();
        let last = nearest.filter(|&(_, distance)| distance == RADIUS);
        for (key, _) in last.step_by(101) {
            for turn in 0..space.generators.len() {
                let child = space.child(&space.position_at(key), turn as u8);
                assert!(!exceeds(space.key(&child)));
            }
        }
        let all = (0..space.entries(Projection::Whole)).step_by(10_007);
        let (count, far) = (all.len(), all.filter(|&key| exceeds(key as u64)).count());
        assert!(far > count * 95 / 100, "{far} of {count}");
    }
}
