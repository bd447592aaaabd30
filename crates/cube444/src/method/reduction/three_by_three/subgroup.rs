//! The positions of the first phase near its goal: with the turns that lead nearer, and as a filter with which
//! lower bounds are built quickly.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::super::guide::Guide;
use crate::stage::{Levels, NearTable, Position, Space};
use crate::table::{
    BuildError, BuildProgress, Built, Distribution, Encoding, Filter, FilterBuilder, RangeTable,
    Table, TableSpec,
};

/// The greatest distance of the positions.
pub(super) const RADIUS: u8 = 6;

/// The guides of the positions up to [`RADIUS`] turns from the goal of the first phase, up to symmetry, by key.
/// Turns are in the frame of the representative.
pub(super) fn near_subgroup(space: &Space) -> NearTable<Guide> {
    let Levels { levels, distances } = Levels::new(space, RADIUS, usize::MAX);
    let distance = |position: &Position| distances.get(&space.key(position)).copied();
    let guides = levels.iter().flatten().map(|position| {
        let neighbours = space.neighbours(position);
        let turns = 0..space.generators.len() as u8;
        let after = turns.map(|turn| distance(&neighbours.child(turn)));
        let own = distance(position).expect("all positions in the list have been reached");
        (space.key(position), Guide::new(own, after))
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

/// A filter of the positions up to [`FILTER_RADIUS`] turns from the goal. They are entered at distances greater than
/// [`RADIUS`], by key.
pub(super) struct SubgroupFilter<'a>(pub(super) &'a Space);

impl TableSpec for SubgroupFilter<'_> {
    fn label(&self) -> String {
        "reduction-near-subgroup".to_owned()
    }

    fn entries(&self) -> u64 {
        8 * BYTES as u64
    }

    fn encoding(&self) -> Encoding {
        Encoding::filter(FILTER_RADIUS)
    }

    fn fingerprint(&self) -> u128 {
        self.0.fingerprint()
    }

    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError> {
        let space = self.0;
        let filter = FilterBuilder::new(BYTES, FILTER_RADIUS);
        let nearest = RADIUS + 1;
        let mut distribution = Distribution::default();
        let levels = Levels::new(space, FILTER_RADIUS - 1, usize::MAX).levels;
        for (distance, level) in levels.iter().enumerate() {
            let [positions, unique] = count(space, level);
            distribution.add(distance, positions, unique);
            let keys: Vec<u64> = level.iter().map(|position| space.key(position)).collect();
            filter.enter(&keys, nearest.max(distance as u8));
        }
        // Neighbours that are not at the radius are nearer, and have been entered.
        let last = &levels[levels.len() - 1];
        let done = AtomicUsize::new(0);
        last.par_chunks(CHUNK).for_each(|level| {
            let mut keys = Vec::new();
            for position in level {
                space.for_each_neighbour(position, |image| keys.push(space.key(&image)));
            }
            filter.enter(&keys, FILTER_RADIUS);
            let done = done.fetch_add(level.len(), Ordering::Relaxed) + level.len();
            let share = done as f64 / last.len() as f64;
            progress(BuildProgress::of_share(FILTER_RADIUS, share, 8 * BYTES));
        });
        Ok(Built {
            payload: filter.into_payload(),
            distribution,
        })
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        let built = self.build(&|_| ());
        built.is_ok_and(|built| built.payload == table.payload())
    }
}

/// The number of positions of a level, and that up to symmetry. All images of a position must be listed.
fn count(space: &Space, level: &[Position]) -> [u64; 2] {
    let [mut positions, mut unique] = [0; 2];
    for position in level {
        let stabiliser = space.classes.stabiliser(position.class());
        positions += (space.group.len() / (stabiliser.len() + 1)) as u64;
        let own = space.key(position);
        let mut images = space.images(position);
        unique += u64::from(images.all(|image| space.key(&image) >= own));
    }
    [positions, unique]
}

/// The number of positions in a unit of work of a thread.
const CHUNK: usize = 1 << 12;

#[cfg(test)]
mod tests {
    use super::super::phase_one::with_filter;
    use super::super::spaces;
    use super::*;
    use crate::stage::Projection;

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
        let Levels { levels, .. } = Levels::new(&space, RADIUS, usize::MAX);
        let mut held = levels.iter().flatten().map(|position| space.key(position));
        assert!(levels.iter().map(Vec::len).sum::<usize>() > 50_000);
        assert!(held.all(|key| near.may_have(key)));
        let others = (0..space.entries(Projection::Whole) as u64).step_by(1_009);
        let others: Vec<u64> = others.filter(|&at| near.get(at).is_none()).collect();
        let passed = others.iter().filter(|&&at| near.may_have(at)).count();
        assert!(10 * passed < others.len(), "{passed} of {}", others.len());
    }

    #[test]
    fn as_many_positions_are_near_as_is_known() {
        let [space, _] = spaces().unwrap();
        let built = SubgroupFilter(&space).build(&|_| ()).unwrap();
        // Kociemba's numbers for the first phase.
        let known = [1, 4, 50, 592, 7_156, 87_236, 1_043_817];
        assert_eq!(built.distribution.positions, known);
    }

    /// Positions next to those at the radius that are no nearer are one turn farther.
    #[test]
    fn bounds_by_the_filter_are_the_distances_up_to_one_turn_beyond_its_radius() {
        let phase = with_filter();
        let space = &*phase.space;
        let Levels { levels, distances } = Levels::new(space, FILTER_RADIUS, usize::MAX);
        for (distance, level) in (0..).zip(&levels) {
            for position in level.iter().step_by(1 + level.len() / 1_000) {
                assert_eq!(phase.bound(position), distance);
            }
        }
        let (mut exact, mut all) = (0, 0);
        for position in levels[levels.len() - 1].iter().step_by(997) {
            for turn in 0..space.generators.len() {
                let child = space.child(position, turn as u8);
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
        let phase = with_filter();
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
        let nearest = &Levels::new(space, RADIUS, usize::MAX).levels;
        for position in nearest.last().unwrap().iter().step_by(101) {
            for turn in 0..space.generators.len() {
                let child = space.child(position, turn as u8);
                assert!(!exceeds(space.key(&child)));
            }
        }
        let all = (0..space.entries(Projection::Whole)).step_by(10_007);
        let (count, far) = (all.len(), all.filter(|&key| exceeds(key as u64)).count());
        assert!(far > count * 95 / 100, "{far} of {count}");
    }
}
