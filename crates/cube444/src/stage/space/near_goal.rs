//! The positions near the goal with their exact distances, in a table small enough for the processor's
//! caches. The last steps of a search use it instead of pruning tables.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::table::prefetch;

use super::goals::Goals;
use super::move_tables::MoveTables;
use super::position::Position;

/// The greatest number of positions: 0.4 MB of keys and distances, and 16 bytes for each position and
/// distance up to the radius, which is 1.8 MB at a radius of 7.
const MOST_POSITIONS: usize = 16_384;

/// 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bits of the filter for each slot of the hash table, a power of two: 16 kB in all.
const FILTER_BITS: usize = 4;

/// The key of an empty slot.
const EMPTY: u64 = u64::MAX;

/// The exact distance of every position near the goal, and the generators that lead to the goal.
pub(super) struct NearGoal {
    /// The greatest distance of the positions.
    radius: u8,
    /// Whether sequences stop at goals.
    stops_at_goals: bool,
    /// A bit for each value of a hash, which is set if a key has it. This rules out most other keys, and is small
    /// enough for the fastest cache.
    filter: Vec<u64>,
    /// A hash table with open addressing: keys of positions.
    keys: Vec<u64>,
    /// For each slot: 16 times the index of its position, plus the distance.
    values: Vec<u32>,
    /// `index · radius + left - 1`: a bit mask of the generators after which the distance is at most the cost
    /// that they leave of `left`.
    onward: Vec<u128>,
}

impl NearGoal {
    /// Explores a stage from its goal. The inverse of a generator is a generator of the same cost, so the
    /// distance to the goal is that from it.
    pub(super) fn new(moves: &MoveTables, goals: &Goals) -> NearGoal {
        let (radius, mut positions) = explore(moves, goals);
        positions.sort_unstable();
        let slots = (2 * positions.len() + 1).next_power_of_two();
        let mut near = NearGoal {
            radius,
            stops_at_goals: moves.spec.stops_at_goals,
            filter: vec![0; (slots * FILTER_BITS).div_ceil(64)],
            keys: vec![EMPTY; slots],
            values: vec![0; slots],
            onward: Vec::new(),
        };
        for (number, (position, distance)) in positions.iter().enumerate() {
            let key = moves.key(position);
            let mut slot = near.first_slot(key);
            while near.keys[slot] != EMPTY {
                slot = (slot + 1) & (slots - 1);
            }
            near.keys[slot] = key;
            let (word, bit) = near.filter_bit(key);
            near.filter[word] |= bit;
            near.values[slot] = (number as u32) << 4 | u32::from(*distance);
        }
        let onward = positions
            .par_iter()
            .flat_map_iter(|(position, _)| near.onward_from(moves, position));
        near.onward = onward.collect();
        near
    }

    /// For each cost left, from 1 to the radius, the generators that lead to the goal.
    fn onward_from(&self, moves: &MoveTables, position: &Position) -> Vec<u128> {
        let mut onward = vec![0; self.radius as usize];
        for (generator, &cost) in moves.generators.costs().iter().enumerate() {
            let child = moves.child(position, generator as u8);
            if let Some(held) = self.find(moves.key(&child)) {
                let distance = held as usize & 15;
                let least = distance + cost as usize;
                let most = match distance {
                    0 if self.stops_at_goals => least,
                    _ => onward.len(),
                };
                for generators in onward[..most].iter_mut().skip(least - 1) {
                    *generators |= 1 << generator;
                }
            }
        }
        onward
    }

    /// The greatest distance of the positions.
    #[inline]
    pub(super) fn radius(&self) -> u8 {
        self.radius
    }

    /// A hash of a key, below a power of two.
    fn hash(key: u64, bound: usize) -> usize {
        // Fibonacci hashing: the upper bits of the product.
        (key.wrapping_mul(GOLDEN) >> (64 - bound.trailing_zeros())) as usize
    }

    fn first_slot(&self, key: u64) -> usize {
        NearGoal::hash(key, self.keys.len())
    }

    /// The word of the filter that has the bit of a key, and this bit.
    fn filter_bit(&self, key: u64) -> (usize, u64) {
        let hash = NearGoal::hash(key, self.keys.len() * FILTER_BITS);
        (hash / 64, 1 << (hash % 64))
    }

    /// Like [`NearGoal::find`], and faster for a key that is not there.
    #[inline]
    fn find_if_near(&self, key: u64) -> Option<u32> {
        let (word, bit) = self.filter_bit(key);
        if self.filter[word] & bit == 0 {
            return None;
        }
        self.find(key)
    }

    /// What the table has for a key.
    #[inline]
    fn find(&self, key: u64) -> Option<u32> {
        let mut slot = self.first_slot(key);
        loop {
            match self.keys[slot] {
                held if held == key => return Some(self.values[slot]),
                EMPTY => return None,
                _ => slot = (slot + 1) & (self.keys.len() - 1),
            }
        }
    }

    /// Whether the goal can be reached from the position with a key at cost `left`, at most the radius. If so,
    /// prefetches what [`NearGoal::onward`] reads.
    #[inline]
    pub(super) fn is_within(&self, key: u64, left: u8) -> bool {
        let Some(held) = self.find_if_near(key) else {
            return false;
        };
        let is_within = match held as u8 & 15 {
            0 if self.stops_at_goals => left == 0,
            distance => distance <= left,
        };
        if is_within && left > 0 {
            prefetch(&self.onward[self.onward_index(held, left)]);
        }
        is_within
    }

    /// Whether the position with a key is a goal at which a sequence must stop.
    #[inline]
    pub(super) fn must_stop(&self, key: impl FnOnce() -> u64) -> bool {
        self.stops_at_goals && self.find_if_near(key()).is_some_and(|held| held & 15 == 0)
    }

    /// The index of a position, given by its value in the table, and a cost in `onward`.
    #[inline]
    fn onward_index(&self, held: u32, left: u8) -> usize {
        (held >> 4) as usize * self.radius as usize + left as usize - 1
    }

    /// A bit mask of the generators that lead from the position with a key to the goal at cost `left`, from 1
    /// to the radius. They are in the frame of the class' representative.
    #[inline]
    pub(super) fn onward(&self, key: u64, left: u8) -> u128 {
        self.find(key)
            .map_or(0, |held| self.onward[self.onward_index(held, left)])
    }
}

/// The greatest radius with at most [`MOST_POSITIONS`] positions, and the positions with their distances.
fn explore(moves: &MoveTables, goals: &Goals) -> (u8, Vec<(Position, u8)>) {
    let mut distances: FxHashMap<u64, u8> = FxHashMap::default();
    let mut levels: Vec<Vec<Position>> = vec![goals.positions().to_vec()];
    distances.extend(goals.positions().iter().map(|goal| (moves.key(goal), 0)));
    let mut positions = Vec::new();
    let mut radius = 0;
    // A distance must fit in four bits; see `NearGoal::values`.
    while radius < 15 {
        let mut level = std::mem::take(&mut levels[radius as usize]);
        // Remove positions that have been reached at a lower cost since.
        level.retain(|position| distances[&moves.key(position)] == radius);
        positions.extend(level.iter().map(|&position| (position, radius)));
        let mut next = levels.get(radius as usize + 1).map_or(0, Vec::len);
        for position in &level {
            if positions.len() + next > MOST_POSITIONS {
                break;
            }
            for (generator, cost) in moves.generators.costs().iter().enumerate() {
                let distance = radius + cost;
                let child = moves.child(position, generator as u8);
                let key = moves.key(&child);
                // All images of a position are inserted together.
                if distances.get(&key).is_some_and(|&held| held <= distance) {
                    continue;
                }
                if levels.len() <= distance as usize {
                    levels.resize_with(distance as usize + 1, Vec::new);
                }
                for (image, _) in moves.images(&child) {
                    if distances.insert(moves.key(&image), distance) != Some(distance) {
                        levels[distance as usize].push(image);
                    }
                }
            }
            next = levels.get(radius as usize + 1).map_or(0, Vec::len);
        }
        let is_last = levels[radius as usize + 1..].iter().all(Vec::is_empty);
        if is_last || positions.len() + next > MOST_POSITIONS {
            break;
        }
        radius += 1;
    }
    (radius, positions)
}
