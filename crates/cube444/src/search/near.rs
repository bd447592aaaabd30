//! Positions near a goal: their guides, and a hash table made for searches that ask mostly for positions that it does
//! not have.

use super::turns::TurnSet;
use crate::table::prefetch;

/// For a position near a goal: its distance, the turns that lead nearer, the turns that keep the distance,
/// and an index for more data. Packed into 64 bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guide(u64);

/// The maximum number of turns of a stage with guides.
const MAX_GUIDED_TURNS: usize = 23;
/// All turns.
const ALL: TurnSet = (1 << MAX_GUIDED_TURNS) - 1;
const INDEX_SHIFT: u32 = 2 * MAX_GUIDED_TURNS as u32;
const DISTANCE_SHIFT: u32 = 60;

impl Guide {
    /// The guide of a position at `distance`, below 16, given the distance after each turn, if known.
    pub(crate) fn new(distance: u8, after: impl IntoIterator<Item = Option<u8>>) -> Guide {
        let mut guide = u64::from(distance) << DISTANCE_SHIFT;
        for (turn, after) in after.into_iter().enumerate() {
            match after {
                Some(after) if after < distance => guide |= 1 << turn,
                Some(after) if after == distance => guide |= 1 << (turn + MAX_GUIDED_TURNS),
                _ => {}
            }
        }
        Guide(guide)
    }

    /// The same guide with an index below 2^14.
    pub(crate) fn with_index(self, index: usize) -> Guide {
        assert!(index < 1 << (DISTANCE_SHIFT - INDEX_SHIFT), "{index}");
        Guide(self.0 | (index as u64) << INDEX_SHIFT)
    }

    /// The distance.
    #[inline(always)]
    pub(crate) fn distance(self) -> u8 {
        (self.0 >> DISTANCE_SHIFT) as u8
    }

    /// The index.
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        let bits = DISTANCE_SHIFT - INDEX_SHIFT;
        (self.0 >> INDEX_SHIFT) as usize & ((1 << bits) - 1)
    }

    /// The turns after which `left` more turns may suffice.
    #[inline(always)]
    pub(crate) fn leading(self, left: u8) -> TurnSet {
        let (nearer, level) = (self.0 as TurnSet, (self.0 >> MAX_GUIDED_TURNS) as TurnSet);
        match (left + 1).checked_sub(self.distance()) {
            None => 0,
            Some(0) => nearer & ALL,
            Some(1) => (nearer | level) & ALL,
            Some(_) => ALL,
        }
    }
}

/// 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The key of an empty slot.
const EMPTY: u64 = u64::MAX;

/// The bits of the filter for each slot, eight or more for each entry.
const FILTER_BITS: usize = 4;

/// Values of positions by key; see [`KeyGraph`](crate::table::KeyGraph). Unlike with a map of the standard library, slots
/// can be prefetched.
pub(crate) struct NearTable<V> {
    /// A bit for each value of a hash, which is set if a key has it. This rules out most other keys, and is small
    /// enough for a fast cache.
    filter: Vec<u64>,
    /// Open addressing, at most half full.
    slots: Vec<(u64, V)>,
}

/// A hash of a key, below a power of two.
#[inline(always)]
fn hash(key: u64, bound: usize) -> usize {
    // Fibonacci hashing: the upper bits of the product.
    (key.wrapping_mul(GOLDEN) >> (64 - bound.trailing_zeros())) as usize
}

impl<V: Copy + Default> NearTable<V> {
    /// A table of `count` entries with different keys.
    pub(crate) fn new(count: usize, entries: impl Iterator<Item = (u64, V)>) -> NearTable<V> {
        let slots = (2 * count + 1).next_power_of_two();
        let mut table = NearTable {
            filter: vec![0; (slots * FILTER_BITS).div_ceil(64)],
            slots: vec![(EMPTY, V::default()); slots],
        };
        for (key, value) in entries {
            let slot = table.slot(key);
            table.slots[slot] = (key, value);
            let (word, bit) = table.filter_bit(key);
            table.filter[word] |= bit;
        }
        table
    }

    /// The word of the filter that has the bit of a key, and this bit.
    #[inline(always)]
    fn filter_bit(&self, key: u64) -> (usize, u64) {
        let hash = hash(key, self.filter.len() * 64);
        (hash / 64, 1 << (hash % 64))
    }

    /// The slot of a key, or the empty slot where it would be.
    #[inline(always)]
    fn slot(&self, key: u64) -> usize {
        let mut slot = hash(key, self.slots.len());
        while self.slots[slot].0 != key && self.slots[slot].0 != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    /// Whether the table may have a key: no, or probably.
    #[inline(always)]
    pub(crate) fn may_have(&self, key: u64) -> bool {
        let (word, bit) = self.filter_bit(key);
        self.filter[word] & bit != 0
    }

    /// Prefetches the slot of a key.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(&self.slots[hash(key, self.slots.len())]);
    }

    /// The value of a key, if the table has it.
    #[inline(always)]
    pub(crate) fn get(&self, key: u64) -> Option<V> {
        let (held, value) = self.slots[self.slot(key)];
        (held == key).then_some(value)
    }
}
