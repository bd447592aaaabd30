//! The positions of the first phase near its goal, with the turns that lead nearer.

use super::super::guide::Guide;
use super::subgroup_levels::{SubgroupLevels, entry};
use crate::stage::{Position, Space};
use crate::table::prefetch;

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

#[cfg(test)]
mod tests {
    use super::super::declared::spaces;
    use super::*;
    use crate::stage::Projection;

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
}
