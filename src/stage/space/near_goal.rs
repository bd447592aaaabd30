//! The positions around the goal, small enough for the processor's caches: the last steps of a
//! search need no pruning table.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::goals::Goals;
use super::move_tables::MoveTables;
use super::position::Position;

/// The most positions that are held: 0.4 MB of keys and distances, and 16 bytes for each position
/// and distance up to the radius, 1.8 MB at a radius of 7.
const MOST_POSITIONS: usize = 16_384;

/// 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// No position.
const EMPTY: u64 = u64::MAX;

/// The exact distance of every position near the goal, and the generators that lead on.
pub(super) struct NearGoal {
    /// All positions up to this distance are held.
    radius: u8,
    /// Whether nothing leads on by way of a goal.
    stops_at_goals: bool,
    /// A hash table with open addressing: keys of positions.
    keys: Vec<u64>,
    /// For each of `keys`: 16 times its number, plus its distance.
    held: Vec<u32>,
    /// `number · radius + left - 1`: the generators, as bits, after which the distance is at most
    /// what they leave of `left`.
    onward: Vec<u128>,
}

impl NearGoal {
    /// Explores a stage from its goal; generators come with their inverses, so the way back costs
    /// the same.
    pub(super) fn new(moves: &MoveTables, goals: &Goals) -> NearGoal {
        let (radius, mut positions) = explore(moves, goals);
        positions.sort_unstable();
        let slots = (2 * positions.len() + 1).next_power_of_two();
        let mut near = NearGoal {
            radius,
            stops_at_goals: moves.spec.stops_at_goals,
            keys: vec![EMPTY; slots],
            held: vec![0; slots],
            onward: Vec::new(),
        };
        for (number, (position, distance)) in positions.iter().enumerate() {
            let key = moves.key(position);
            let mut slot = near.first_slot(key);
            while near.keys[slot] != EMPTY {
                slot = (slot + 1) & (slots - 1);
            }
            near.keys[slot] = key;
            near.held[slot] = (number as u32) << 4 | u32::from(*distance);
        }
        let onward = positions
            .par_iter()
            .flat_map_iter(|(position, _)| near.onward_from(moves, position));
        near.onward = onward.collect();
        near
    }

    /// For each amount that may be spent, from 1 to the radius, the generators that lead on.
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

    /// All positions up to this distance are held.
    #[inline]
    pub(super) fn radius(&self) -> u8 {
        self.radius
    }

    fn first_slot(&self, key: u64) -> usize {
        // Fibonacci hashing: the upper bits of the product.
        let hash = key.wrapping_mul(GOLDEN);
        (hash >> (64 - self.keys.len().trailing_zeros())) as usize
    }

    #[inline]
    fn find(&self, key: u64) -> Option<u32> {
        let mut slot = self.first_slot(key);
        loop {
            match self.keys[slot] {
                held if held == key => return Some(self.held[slot]),
                EMPTY => return None,
                _ => slot = (slot + 1) & (self.keys.len() - 1),
            }
        }
    }

    /// Whether the position with a key leads on to a goal where `left`, at most the radius, may be spent.
    #[inline]
    pub(super) fn is_within(&self, key: u64, left: u8) -> bool {
        self.find(key).is_some_and(|held| match held as u8 & 15 {
            0 if self.stops_at_goals => left == 0,
            distance => distance <= left,
        })
    }

    /// Whether the position with a key is a goal at which a sequence must stop.
    #[inline]
    pub(super) fn must_stop(&self, key: impl FnOnce() -> u64) -> bool {
        self.stops_at_goals && self.find(key()).is_some_and(|held| held & 15 == 0)
    }

    /// The generators, as bits, that lead on from the position with a key, where `left`, from 1 to
    /// the radius, may be spent. They are told in the frame of the class' representative.
    #[inline]
    pub(super) fn onward(&self, key: u64, left: u8) -> u128 {
        self.find(key).map_or(0, |held| {
            self.onward[(held >> 4) as usize * self.radius as usize + left as usize - 1]
        })
    }
}

/// The greatest distance up to which there are not too many positions, and those with their
/// distances.
fn explore(moves: &MoveTables, goals: &Goals) -> (u8, Vec<(Position, u8)>) {
    let mut distances: FxHashMap<u64, u8> = FxHashMap::default();
    let mut levels: Vec<Vec<Position>> = vec![goals.positions().to_vec()];
    distances.extend(goals.positions().iter().map(|goal| (moves.key(goal), 0)));
    let mut positions = Vec::new();
    let mut radius = 0;
    // A distance must fit beside a number; see `NearGoal::held`.
    while radius < 15 {
        let mut level = std::mem::take(&mut levels[radius as usize]);
        // Some have been reached at a lower cost since.
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
                // The images of a position are known together.
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
