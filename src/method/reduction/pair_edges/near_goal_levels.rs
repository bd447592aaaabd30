//! Listing the positions near the third stage's goal, distance by distance.

use rayon::prelude::*;

use super::near_goal::Key;
use super::pairing::{Pairing, RESTS, SYMMETRIES};
use super::pairing_table::goal_index;
use super::space::PairingSpace;
use crate::simd::{self, Simd, WithSimd};
use crate::table::Distribution;

/// Some of the positions at a distance.
pub(super) struct Part<'a> {
    pub(super) distance: u8,
    pub(super) keys: &'a [Key],
    /// Which of how many parts of the level it is.
    pub(super) number: usize,
    pub(super) of: usize,
}

/// So many successors of one level are in memory at a time, twice while they are put together: three
/// quarters of a gigabyte.
pub(super) const PART: usize = 3 << 24;

/// Lists the positions at each distance less than `radius` in turn, and counts them. Those at two
/// distances are in memory at the same time, eight bytes each, with some `most` successors of the last
/// ones; the last level comes in as many parts as that takes, each of which works all of them out.
pub(super) fn levels(
    space: &PairingSpace,
    radius: u8,
    most: usize,
    mut take: impl FnMut(Part<'_>),
) -> Distribution {
    let goal = Key::new(goal_index(&space.pairings), space.centers.goal());
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
            let of_part = |key: &Key| key.index() % parts == number;
            let mut keys: Vec<Key> = chunks
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
fn remove(keys: &mut Vec<Key>, others: &[Key]) {
    let mut others = others.iter().peekable();
    keys.retain(|key| {
        while others.next_if(|&other| other < key).is_some() {}
        others.peek() != Some(&key)
    });
}

/// The positions one turn away from some, with all their images.
pub(super) fn successors(space: &PairingSpace, keys: &[Key]) -> Vec<Key> {
    let mut reached = Vec::with_capacity(space.turns.moves().len() * keys.len());
    simd::run(Successors {
        space,
        keys,
        into: &mut reached,
    });
    reached
}

/// Counts the positions at a distance, of which all images are listed.
fn count(space: &PairingSpace, distance: u8, level: &[Key]) -> Distribution {
    let of_chunk = |keys: &[Key]| {
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

/// Positions that one thread works on at a time.
pub(super) const CHUNK: usize = 1 << 12;

/// The positions one turn away from some, with all their images.
struct Successors<'a> {
    space: &'a PairingSpace,
    keys: &'a [Key],
    into: &'a mut Vec<Key>,
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

/// How many positions some keys are, and how many up to symmetry.
struct CountKeys<'a> {
    space: &'a PairingSpace,
    keys: &'a [Key],
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

/// Lists a position in all the ways in which it may be numbered.
#[inline(always)]
fn push_images<S: Simd>(
    simd: S,
    space: &PairingSpace,
    pairing: Pairing,
    centers: u16,
    into: &mut Vec<Key>,
) {
    let PairingSpace {
        pairings,
        centers: settled,
        ..
    } = space;
    let to = pairings.rank(simd, pairing);
    let seen = settled.conjugated(centers, to.sym.into());
    into.push(Key::new(to.index, seen));
    let stabiliser = pairings.stabiliser(to.index as usize / RESTS);
    if stabiliser == 1 {
        return;
    }
    let image = pairings.conjugated(simd, pairing, to.sym.into());
    for sym in (1..SYMMETRIES).filter(|sym| stabiliser >> sym & 1 == 1) {
        // The class' representative is kept, so the image is its own representative's.
        let alike = pairings.conjugated(simd, image, sym);
        let index = pairings.rank(simd, alike).index;
        into.push(Key::new(index, settled.conjugated(seen, sym)));
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
