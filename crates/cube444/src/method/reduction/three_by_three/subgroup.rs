//! The positions of the first phase near its goal: with the turns that lead nearer, and as a filter with which
//! lower bounds are built quickly.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::guide::Guide;
use crate::stage::{Position, Projection, Space};
use crate::table::{
    BuildError, BuildProgress, Built, Distribution, Encoding, Filter, FilterBuilder, RangeTable,
    Table, TableSpec, prefetch,
};

/// The positions up to a distance from the goal, up to symmetry.
struct SubgroupLevels {
    /// The positions by distance, each with its images under the stabiliser of its class.
    levels: Vec<Vec<Position>>,
    /// The distances by entry.
    distances: FxHashMap<u32, u8>,
}

/// The entry of a position in the whole table.
#[inline(always)]
pub(super) fn entry(space: &Space, position: &Position) -> u32 {
    space.index(Projection::Whole, position) as u32
}

/// Calls `take` with each position one turn away from another, at its representative, and with its images.
fn for_each_neighbour(space: &Space, position: &Position, mut take: impl FnMut(Position)) {
    let neighbours = space.neighbours(position);
    for turn in 0..space.generators().len() {
        let child = neighbours.child(turn as u8);
        if space.classes().stabiliser(child.class()).is_empty() {
            take(child.canonical());
        } else {
            space.images(&child).into_iter().for_each(&mut take);
        }
    }
}

impl SubgroupLevels {
    /// All positions up to a distance.
    fn new(space: &Space, radius: u8) -> SubgroupLevels {
        let goals = space.goals().to_vec();
        let mut distances: FxHashMap<u32, u8> = FxHashMap::default();
        distances.extend(goals.iter().map(|goal| (entry(space, goal), 0)));
        let mut levels = vec![goals];
        for distance in 1..=radius {
            let mut next = Vec::new();
            for position in &levels[usize::from(distance) - 1] {
                for_each_neighbour(space, position, |image| {
                    distances.entry(entry(space, &image)).or_insert_with(|| {
                        next.push(image);
                        distance
                    });
                });
            }
            levels.push(next);
        }
        SubgroupLevels { levels, distances }
    }
}

/// The greatest distance of the positions.
pub(super) const RADIUS: u8 = 6;

/// The positions up to [`RADIUS`] turns from the goal of the first phase, up to symmetry.
pub(super) struct NearSubgroup {
    /// A hash table with open addressing, from the entry of a position to its guide; [`EMPTY`] marks empty
    /// slots. Turns are in the frame of the representative. Unlike a map of the standard library, slots can
    /// be prefetched.
    slots: Vec<(u32, Guide)>,
    /// A bit for each hash, set for those of the positions. Most other positions can be told by it, and unlike
    /// the slots it is small enough for the caches of a core.
    filter: Vec<u64>,
}

/// The number of bits of the filter, about fourteen for each position.
const FILTER_BITS: usize = 1 << 20;

/// The key of an empty slot.
const EMPTY: u32 = u32::MAX;

/// A hash below `size`, a power of two.
#[inline(always)]
fn hash(entry: u32, size: usize) -> usize {
    // Fibonacci hashing: the upper bits of the product with 2^32 over the golden ratio.
    let hash = entry.wrapping_mul(0x9e37_79b9);
    (hash >> (32 - size.trailing_zeros())) as usize
}

impl NearSubgroup {
    pub(super) fn new(space: &Space) -> NearSubgroup {
        let turns = space.generators().len();
        let turned = |position: &Position, turn: usize| space.child(position, turn as u8);
        let SubgroupLevels { levels, distances } = SubgroupLevels::new(space, RADIUS);
        let guide = |position: &Position| {
            let distance = |position: &Position| distances.get(&entry(space, position)).copied();
            let after = (0..turns).map(|turn| distance(&turned(position, turn)));
            let own = distance(position).expect("all positions in the list have been reached");
            (entry(space, position), Guide::new(own, after))
        };
        let size = (2 * distances.len()).next_power_of_two();
        let mut near = NearSubgroup {
            slots: vec![(EMPTY, Guide::default()); size],
            filter: vec![0; FILTER_BITS / 64],
        };
        for (entry, guide) in levels.iter().flatten().map(guide) {
            let slot = near.slot(entry);
            near.slots[slot] = (entry, guide);
            let bit = hash(entry, FILTER_BITS);
            near.filter[bit / 64] |= 1 << (bit % 64);
        }
        near
    }

    #[inline(always)]
    fn first_slot(&self, entry: u32) -> usize {
        hash(entry, self.slots.len())
    }

    /// Whether an entry may have a guide.
    #[inline(always)]
    pub(super) fn may_have(&self, entry: u32) -> bool {
        let bit = hash(entry, FILTER_BITS);
        self.filter[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The slot of an entry, or the empty slot where it would be.
    #[inline(always)]
    fn slot(&self, entry: u32) -> usize {
        let mut slot = self.first_slot(entry);
        while self.slots[slot].0 != entry && self.slots[slot].0 != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    /// Prefetches the slot of an entry.
    #[inline(always)]
    pub(super) fn prefetch(&self, entry: u32) {
        prefetch(&self.slots[self.first_slot(entry)]);
    }

    /// The guide of an entry; `None` if it is farther than [`RADIUS`].
    #[inline(always)]
    pub(super) fn guide(&self, entry: u32) -> Option<Guide> {
        let (held, guide) = self.slots[self.slot(entry)];
        (held == entry).then_some(guide)
    }
}

/// The source of the bounds.
pub(super) enum PhaseBounds {
    /// A table of the ranges of all distances.
    Ranges(RangeTable),
    /// A filter of the positions up to a distance greater than [`RADIUS`].
    Near(Filter),
}

impl PhaseBounds {
    /// Prefetches the cache line of an entry.
    #[inline(always)]
    pub(super) fn prefetch(&self, entry: u32) {
        match self {
            PhaseBounds::Ranges(table) => table.prefetch(entry),
            PhaseBounds::Near(filter) => filter.prefetch(filter.probe(entry.into(), 0)),
        }
    }

    /// Whether the distance of an entry is known to be greater than `limit`, which is greater than [`RADIUS`].
    #[inline(always)]
    pub(super) fn exceeds(&self, entry: u32, limit: u8) -> bool {
        match self {
            PhaseBounds::Ranges(table) => table.exceeds(entry, limit),
            PhaseBounds::Near(filter) => {
                limit <= filter.radius() && !filter.has(filter.probe(entry.into(), limit))
            }
        }
    }

    /// A lower bound of the distance of an entry: 0 if it is at most [`RADIUS`] + 1, as far as is known.
    #[inline(always)]
    pub(super) fn bound(&self, entry: u32) -> u8 {
        match self {
            PhaseBounds::Ranges(table) => table.bound(entry),
            PhaseBounds::Near(filter) => {
                let has = |&distance: &u8| filter.has(filter.probe(entry.into(), distance));
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
/// [`RADIUS`], with their table entries as keys.
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
        let levels = SubgroupLevels::new(space, FILTER_RADIUS - 1).levels;
        for (distance, level) in levels.iter().enumerate() {
            let [positions, unique] = count(space, level);
            distribution.add(distance, positions, unique);
            let entries: Vec<u32> = level
                .iter()
                .map(|position| entry(space, position))
                .collect();
            filter.enter(&entries, nearest.max(distance as u8));
        }
        // Neighbours that are not at the radius are nearer, and have been entered.
        let last = &levels[levels.len() - 1];
        let done = AtomicUsize::new(0);
        last.par_chunks(CHUNK).for_each(|level| {
            let mut entries = Vec::new();
            for position in level {
                for_each_neighbour(space, position, |image| entries.push(entry(space, &image)));
            }
            filter.enter(&entries, FILTER_RADIUS);
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
        let stabiliser = space.classes().stabiliser(position.class());
        positions += (space.group().len() / (stabiliser.len() + 1)) as u64;
        let own = entry(space, position);
        let mut images = space.images(position).into_iter();
        unique += u64::from(images.all(|image| entry(space, &image) >= own));
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

    #[test]
    fn turns_lead_as_they_are_said_to() {
        let [space, _] = spaces().unwrap();
        let near = NearSubgroup::new(&space);
        let guide = |position: &Position| near.guide(entry(&space, position));
        // From representatives and from what is seen of them elsewhere: positions reached by turns.
        let mut positions = space.goals().to_vec();
        for step in 0..4_000 {
            let position = positions[step];
            let own = guide(&position).unwrap();
            for turn in 0..space.generators().len() {
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
        let near = NearSubgroup::new(&space);
        let held = near.slots.iter().filter(|&&(entry, _)| entry != EMPTY);
        assert!(held.clone().all(|&(entry, _)| near.may_have(entry)));
        assert!(held.count() > 50_000);
        let others = (0..space.entries(Projection::Whole) as u32).step_by(1_009);
        let others: Vec<u32> = others.filter(|&at| near.guide(at).is_none()).collect();
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

    #[test]
    fn a_filter_tells_positions_within_its_radius_from_nearly_all_others() {
        let phase = with_filter();
        let space = &*phase.space;
        let PhaseBounds::Near(filter) = &phase.table else {
            panic!("the bounds are a filter");
        };
        let radius = filter.radius();
        assert_eq!(radius, RADIUS + 1);
        let exceeds = |entry| phase.table.exceeds(entry, radius);
        let nearest = &SubgroupLevels::new(space, RADIUS).levels;
        for position in nearest.last().unwrap().iter().step_by(101) {
            for turn in 0..space.generators().len() {
                let child = space.child(position, turn as u8);
                assert!(!exceeds(entry(space, &child)));
            }
        }
        let all = (0..space.entries(Projection::Whole) as u32).step_by(10_007);
        let (count, far) = (all.len(), all.filter(|&entry| exceeds(entry)).count());
        assert!(far > count * 95 / 100, "{far} of {count}");
    }
}
