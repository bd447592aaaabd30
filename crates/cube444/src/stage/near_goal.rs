//! The positions near the goal with their exact distances, in a table small enough for the processor's
//! caches. The last steps of a search use it instead of pruning tables.

use rayon::prelude::*;

use crate::search::near::NearTable;
use crate::table::{near_distances, prefetch};

use super::space::{Position, Space};

/// The maximum number of positions: 0.5 MB of keys and distances, and 16 bytes for each position and
/// distance up to the radius, which is 1.8 MB at a radius of 7.
const MAX_POSITIONS: usize = 16_384;

/// The exact distance of every position near the goal, and the generators that lead to the goal.
pub(crate) struct NearGoal {
    /// The maximum distance of the positions.
    pub(crate) radius: u8,
    /// Whether sequences stop at goals.
    stops_at_goals: bool,
    /// For each position: 16 times its index, plus the distance.
    positions: NearTable<u32>,
    /// `index · radius + left - 1`: a bit mask of the generators after which the distance is at most the cost
    /// that they leave of `left`.
    onward: Vec<u128>,
}

impl NearGoal {
    /// Explores a stage from its goal. The inverse of a generator is a generator of the same cost, so the
    /// distance to the goal is that from it.
    pub(super) fn new(space: &Space) -> NearGoal {
        // A distance must fit in four bits.
        let keys = near_distances(space, 15, MAX_POSITIONS);
        let entry = |(number, &(key, distance)): (u32, &(u64, u8))| {
            (key, number << 4 | u32::from(distance))
        };
        let entries = (0..).zip(&keys).map(entry);
        let distances = keys.iter().map(|&(_, distance)| distance);
        let mut near = NearGoal {
            radius: distances.max().unwrap_or(0),
            stops_at_goals: space.spec.stops_at_goals,
            positions: NearTable::new(keys.len(), entries),
            onward: Vec::new(),
        };
        let onward = |&(key, _): &(u64, u8)| near.onward_from(space, &space.position_at(key));
        near.onward = keys.par_iter().flat_map_iter(onward).collect();
        near
    }

    /// For each cost left, from 1 to the radius, the generators that lead to the goal.
    fn onward_from(&self, space: &Space, position: &Position) -> Vec<u128> {
        let mut onward = vec![0; self.radius as usize];
        let neighbors = space.neighbors(position);
        for (generator, &cost) in space.generators.costs.iter().enumerate() {
            let child = neighbors.child(generator as u8);
            if let Some(held) = self.positions.get(space.key(&child)) {
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

    /// What the table has for a key, which it probably does not have.
    #[inline]
    fn find_if_near(&self, key: u64) -> Option<u32> {
        let may_have = self.positions.may_have(key);
        may_have.then(|| self.positions.get(key)).flatten()
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
        self.positions
            .get(key)
            .map_or(0, |held| self.onward[self.onward_index(held, left)])
    }
}
