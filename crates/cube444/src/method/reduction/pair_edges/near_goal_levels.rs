//! Listing the positions near the goal of the third stage, distance by distance.

use rayon::prelude::*;

use super::near_goal::GoalKey;
use super::pairing::{Pairing, RESTS, SYMMETRIES};
use super::pairing_table::goal_index;
use super::space::PairingSpace;
use crate::simd::{self, Simd, WithSimd};
use crate::table::Distribution;

/// A part of the positions at a distance.
pub(super) struct Part<'a> {
    pub(super) distance: u8,
    pub(super) keys: &'a [GoalKey],
    /// The index of the part, and the number of parts of its distance.
    pub(super) number: usize,
    pub(super) of: usize,
}

/// The greatest number of successors in memory at a time. They take 0.75 GB, because they are in memory twice
/// while they are merged.
pub(super) const PART: usize = 3 << 24;

/// Lists and counts the positions at each distance less than `radius`, in ascending order. In memory are the
/// positions at two distances, eight bytes each, and about `most` successors. The last level is split into
/// parts accordingly; each part computes all successors and keeps its own.
pub(super) fn levels(
    space: &PairingSpace,
    radius: u8,
    most: usize,
    mut take: impl FnMut(Part<'_>),
) -> Distribution {
    let goal = GoalKey::new(goal_index(&space.pairings), space.centers.goal());
    let (mut before, mut level) = (Vec::new(), vec![goal]);
    let mut distribution = count(space, 0, &level);
    take(Part {
        distance: 0,
        keys: &level,
        number: 0,
        of: 1,
    });
    for distance in 1..radius {
        let is_last = distance + 1 == radius;
        let parts = if is_last {
            (space.turns.moves().len() * level.len()).div_ceil(most)
        } else {
            1
        };
        let mut next = Vec::new();
        for number in 0..parts {
            let chunks = level.par_chunks(CHUNK);
            let of_part = |key: &GoalKey| key.index() % parts == number;
            let mut keys: Vec<GoalKey> = chunks
                .flat_map_iter(|keys| successors(space, keys).into_iter().filter(of_part))
                .collect();
            keys.par_sort_unstable();
            keys.dedup();
            remove(&mut keys, &before);
            remove(&mut keys, &level);
            distribution = distribution.merged(&count(space, distance, &keys));
            take(Part {
                distance,
                keys: &keys,
                number,
                of: parts,
            });
            if !is_last {
                next = keys;
            }
        }
        before = std::mem::replace(&mut level, next);
    }
    distribution
}

/// Removes keys from a list; both are sorted.
fn remove(keys: &mut Vec<GoalKey>, others: &[GoalKey]) {
    let mut others = others.iter().peekable();
    keys.retain(|key| {
        while others.next_if(|&other| other < key).is_some() {}
        others.peek() != Some(&key)
    });
}

/// The positions one turn away from positions, with all their images.
pub(super) fn successors(space: &PairingSpace, keys: &[GoalKey]) -> Vec<GoalKey> {
    let mut reached = Vec::with_capacity(space.turns.moves().len() * keys.len());
    simd::run(Successors {
        space,
        keys,
        into: &mut reached,
    });
    reached
}

/// Counts the positions at a distance. All images of a position must be listed.
fn count(space: &PairingSpace, distance: u8, level: &[GoalKey]) -> Distribution {
    let of_chunk = |keys: &[GoalKey]| {
        let [positions, unique] = simd::run(CountKeys { space, keys });
        let at = |count: u64| {
            let mut counts = vec![0; usize::from(distance) + 1];
            counts[usize::from(distance)] = count;
            counts
        };
        Distribution::of_counts(&at(positions), &at(unique))
    };
    let chunks = level.par_chunks(CHUNK).map(of_chunk);
    chunks.reduce(Distribution::default, |a, b| a.merged(&b))
}

/// The number of positions in a unit of work of a thread.
pub(super) const CHUNK: usize = 1 << 12;

/// The positions one turn away from positions, with all their images.
struct Successors<'a> {
    space: &'a PairingSpace,
    keys: &'a [GoalKey],
    into: &'a mut Vec<GoalKey>,
}

impl WithSimd for Successors<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let PairingSpace {
            turns,
            pairings,
            centers,
            ..
        } = self.space;
        for &key in self.keys {
            let pairing = pairings.unrank(key.index());
            for turn in 0..turns.moves().len() {
                let image = pairings.turned(simd, pairing, turn);
                let centers = centers.turned(key.centers(), turn);
                push_images(simd, self.space, image, centers, self.into);
            }
        }
    }
}

/// The number of positions of keys, and that up to symmetry.
struct CountKeys<'a> {
    space: &'a PairingSpace,
    keys: &'a [GoalKey],
}

impl WithSimd for CountKeys<'_> {
    type Output = [u64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [u64; 2] {
        let pairings = &self.space.pairings;
        let [mut positions, mut unique] = [0; 2];
        let mut images = Vec::new();
        for &key in self.keys {
            let stabiliser = pairings.stabiliser(key.index() / RESTS);
            positions += SYMMETRIES as u64 / u64::from(stabiliser.count_ones());
            if stabiliser == 1 {
                unique += 1;
                continue;
            }
            images.clear();
            let pairing = pairings.unrank(key.index());
            push_images(simd, self.space, pairing, key.centers(), &mut images);
            unique += u64::from(images.iter().all(|&image| image >= key));
        }
        [positions, unique]
    }
}

/// Adds all keys of a position.
#[inline(always)]
fn push_images<S: Simd>(
    simd: S,
    space: &PairingSpace,
    pairing: Pairing,
    centers: u16,
    into: &mut Vec<GoalKey>,
) {
    let PairingSpace {
        pairings,
        centers: settled,
        ..
    } = space;
    let to = pairings.rank(simd, pairing);
    let seen = settled.conjugated(centers, to.sym.into());
    into.push(GoalKey::new(to.index, seen));
    let stabiliser = pairings.stabiliser(to.index as usize / RESTS);
    if stabiliser == 1 {
        return;
    }
    let image = pairings.conjugated(simd, pairing, to.sym.into());
    for sym in (1..SYMMETRIES).filter(|sym| stabiliser >> sym & 1 == 1) {
        // The symmetry keeps the class' representative.
        let alike = pairings.conjugated(simd, image, sym);
        let index = pairings.rank(simd, alike).index;
        into.push(GoalKey::new(index, settled.conjugated(seen, sym)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_in_parts_is_the_level() {
        let space = PairingSpace::new();
        let last = |most: usize| {
            let (mut keys, mut parts) = (Vec::new(), 0);
            let distribution = levels(&space, 7, most, |part| {
                if part.distance == 6 {
                    assert_eq!(part.number, parts);
                    parts += 1;
                    keys.extend_from_slice(part.keys);
                    assert_eq!(part.number + 1 == part.of, parts == part.of);
                }
            });
            keys.sort_unstable();
            (distribution, keys, parts)
        };
        let (whole, keys, parts) = last(PART);
        assert_eq!(parts, 1);
        // 8,541 keys are at distance 5, and each has 17 successors.
        let (in_parts, keys_in_parts, parts) = last(10_000);
        assert_eq!(parts, 15);
        assert_eq!(in_parts, whole);
        assert_eq!(keys_in_parts, keys);
    }
}
