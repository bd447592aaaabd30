//! The positions around the goal, small enough for the processor's caches: the last steps of a
//! search need no table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use rayon::prelude::*;

use super::{Node, Space};
use crate::stage::Cover;

/// At most so many positions are held; a third of a megabyte with their keys.
const MOST_POSITIONS: usize = 16_384;

/// 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

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
        let (radius, mut positions) = explore(space);
        positions.sort_unstable();
        let slots = (2 * positions.len() + 1).next_power_of_two();
        let mut endgame = Endgame {
            radius,
            keys: vec![EMPTY; slots],
            held: vec![0; slots],
            ways: Vec::new(),
        };
        for (number, &(place, distance)) in positions.iter().enumerate() {
            let key = key_of(space, place);
            let mut slot = endgame.first_slot(key);
            while endgame.keys[slot] != EMPTY {
                slot = (slot + 1) & (slots - 1);
            }
            endgame.keys[slot] = key;
            endgame.held[slot] = (number as u32) << 4 | u32::from(distance);
        }
        let ways = positions
            .par_iter()
            .flat_map_iter(|&(place, _)| endgame.ways_from(space, place));
        endgame.ways = ways.collect();
        endgame
    }

    /// For each amount that may be spent, from 1 to the radius, the generators that lead on.
    fn ways_from(&self, space: &Space, place: Place) -> Vec<u128> {
        let mut ways = vec![0; self.radius as usize];
        for (generator, &cost) in space.generators.costs().iter().enumerate() {
            let child = space.child(&node_at(place), generator as u8);
            let key = space.index(Cover::Both, &child) as u64;
            if let Some(held) = self.find(key) {
                let least = (held as usize & 15) + cost as usize;
                for way in ways.iter_mut().skip(least - 1) {
                    *way |= 1 << generator;
                }
            }
        }
        ways
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

fn key_of(space: &Space, place: Place) -> u64 {
    space.index(Cover::Both, &node_at(place)) as u64
}

/// The greatest distance up to which there are not too many positions, and those with their
/// distances.
fn explore(space: &Space) -> (u8, Vec<(Place, u8)>) {
    let mut distances: HashMap<u64, u8, BuildHasherDefault<Multiplied>> = HashMap::default();
    let mut levels: Vec<Vec<Place>> = vec![space.goals.clone()];
    distances.extend(space.goals.iter().map(|&goal| (key_of(space, goal), 0)));
    let mut positions = Vec::new();
    let mut radius = 0;
    // A distance must fit beside a number; see `Endgame::held`.
    while radius < 15 {
        let mut level = std::mem::take(&mut levels[radius as usize]);
        // Some have been reached at a lower cost since.
        level.retain(|&place| distances[&key_of(space, place)] == radius);
        positions.extend(level.iter().map(|&place| (place, radius)));
        let mut next = levels.get(radius as usize + 1).map_or(0, Vec::len);
        for &place in &level {
            if positions.len() + next > MOST_POSITIONS {
                break;
            }
            for (generator, cost) in space.generators.costs().iter().enumerate() {
                let distance = radius + cost;
                let child = space.child(&node_at(place), generator as u8);
                let key = space.index(Cover::Both, &child) as u64;
                // The images of a position are known together.
                if distances.get(&key).is_some_and(|&held| held <= distance) {
                    continue;
                }
                if levels.len() <= distance as usize {
                    levels.resize_with(distance as usize + 1, Vec::new);
                }
                for image in space.images(&child) {
                    if distances.insert(key_of(space, image), distance) != Some(distance) {
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

/// Hashes a key by multiplying it.
#[derive(Default)]
struct Multiplied(u64);

impl Hasher for Multiplied {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        // The product's upper bits are the well mixed ones.
        self.0 = key.wrapping_mul(GOLDEN).rotate_left(32);
    }
}
