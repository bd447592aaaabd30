//! The positions around the goal, small enough for the processor's caches: the last steps of a
//! search need no table.

use std::collections::HashMap;

use super::{Node, Space};
use crate::stage::Cover;

/// At most so many positions are held; a third of a megabyte with their keys.
const MOST_POSITIONS: usize = 16_384;

/// No position.
const EMPTY: u64 = u64::MAX;

/// The exact distance of every position near the goal, and the generators that lead on.
#[derive(Default)]
pub(super) struct Endgame {
    /// All positions up to this distance are held.
    radius: u8,
    /// A hash table with open addressing: places of positions in an exact table.
    keys: Vec<u64>,
    /// For each of `keys`: 16 times its number, plus its distance.
    held: Vec<u32>,
    /// `number · radius + left - 1`: the generators, as bits, after which the distance is at most
    /// what they leave of `left`.
    ways: Vec<u128>,
}

impl Endgame {
    /// Explores a stage from its goal; generators come with their inverses, so the way back costs
    /// the same.
    pub(super) fn new(space: &Space) -> Endgame {
        let distances = explore(space);
        let radius = distances.values().copied().max().unwrap_or(0);
        let slots = (2 * distances.len() + 1).next_power_of_two();
        let mut endgame = Endgame {
            radius,
            keys: vec![EMPTY; slots],
            held: vec![0; slots],
            ways: Vec::with_capacity(distances.len() * radius as usize),
        };
        let mut sorted: Vec<_> = distances.iter().collect();
        sorted.sort_unstable();
        for (number, (&place, &distance)) in sorted.into_iter().enumerate() {
            let key = space.index(Cover::Both, &node_at(place)) as u64;
            let mut slot = endgame.first_slot(key);
            while endgame.keys[slot] != EMPTY {
                slot = (slot + 1) & (slots - 1);
            }
            endgame.keys[slot] = key;
            endgame.held[slot] = (number as u32) << 4 | u32::from(distance);
            let after: Vec<u8> = (0..space.generators.len() as u8)
                .map(|generator| {
                    let child = space.child(&node_at(place), generator);
                    let cost = space.generators.costs()[generator as usize];
                    distances
                        .get(&(child.class, child.first, child.second))
                        .map_or(u8::MAX, |distance| distance + cost)
                })
                .collect();
            endgame.ways.extend((1..=radius).map(|left| {
                let leads_on = |&at: &usize| after[at] <= left;
                (0..after.len())
                    .filter(leads_on)
                    .fold(0, |ways, generator| ways | 1 << generator)
            }));
        }
        endgame
    }

    /// All positions up to this distance are held.
    #[inline]
    pub(super) fn radius(&self) -> u8 {
        self.radius
    }

    fn first_slot(&self, key: u64) -> usize {
        // Fibonacci hashing: the upper bits of a product with the golden ratio.
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
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

    /// Whether the distance of the position with a key is at most `left`, itself at most the radius.
    #[inline]
    pub(super) fn is_within(&self, key: u64, left: u8) -> bool {
        self.find(key).is_some_and(|held| held as u8 & 15 <= left)
    }

    /// The generators, as bits, that lead on from the position with a key, where `left`, from 1 to
    /// the radius, may be spent.
    #[inline]
    pub(super) fn ways(&self, key: u64, left: u8) -> u128 {
        self.find(key).map_or(0, |held| {
            self.ways[(held >> 4) as usize * self.radius as usize + left as usize - 1]
        })
    }
}

type Place = (u32, u8, u16);

fn node_at((class, first, second): Place) -> Node {
    Node {
        class,
        first,
        sym: 0,
        second,
    }
}

/// The distances of all positions up to the greatest distance at which there are not too many.
fn explore(space: &Space) -> HashMap<Place, u8> {
    let mut distances: HashMap<Place, u8> = HashMap::new();
    let mut levels: Vec<Vec<Place>> = vec![space.goals.clone()];
    distances.extend(space.goals.iter().map(|&goal| (goal, 0)));
    let mut known = 0;
    let mut radius = 0;
    // A distance must fit beside a number; see `Endgame::held`.
    while radius < 15 {
        let level = std::mem::take(&mut levels[radius as usize]);
        known += level.len();
        for place in level {
            if distances[&place] < radius {
                known -= 1;
                continue;
            }
            for (generator, cost) in space.generators.costs().iter().enumerate() {
                let distance = radius + cost;
                let child = space.child(&node_at(place), generator as u8);
                for image in space.images(&child) {
                    let held = distances.entry(image).or_insert(u8::MAX);
                    if distance < *held {
                        *held = distance;
                        let level = distance as usize;
                        if levels.len() <= level {
                            levels.resize_with(level + 1, Vec::new);
                        }
                        levels[level].push(image);
                    }
                }
            }
        }
        let next = levels.get(radius as usize + 1).map_or(0, Vec::len);
        if next == 0 && levels.len() <= radius as usize + 2 || known + next > MOST_POSITIONS {
            break;
        }
        radius += 1;
    }
    distances.retain(|_, distance| *distance <= radius);
    distances
}
