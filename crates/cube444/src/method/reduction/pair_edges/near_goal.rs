//! The filter of the positions near the goal of the third stage.
//!
//! The stage has 7·10¹² positions, too many for a table. The positions up to a distance from the goal are in
//! a [`Filter`](crate::table::Filter). They are listed distance by distance.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::PairEdges;
use super::centers::TURNS;
use super::pairing::PAIRED;
use crate::search::Profile;
use crate::simd::{self, Portable, Simd};
use crate::table::{
    BuildError, BuildProgress, Built, Distribution, Encoding, FilterBuilder, PROBES, Table,
    TableSpec, is_entered,
};

/// A position up to symmetry: the rank of the pairing, and the centers and parity after the symmetry that maps
/// the pairing to its representative. A pairing with a stabiliser has several keys.
pub(super) type Key = u64;

/// The number of bits for the centers and the parity.
const CENTER_BITS: u32 = 15;

/// The key of a position.
#[inline(always)]
pub(super) fn key(index: u32, centers: u16) -> Key {
    u64::from(index) << CENTER_BITS | u64::from(centers)
}

/// The rank of the pairing, and the centers and parity.
fn split(key: Key) -> (u32, u16) {
    let centers = key & ((1 << CENTER_BITS) - 1);
    ((key >> CENTER_BITS) as u32, centers as u16)
}

/// The filter of the positions near the goal of the third stage.
pub(super) struct NearGoalTable<'a> {
    /// The stage.
    pub(super) stage: &'a PairEdges,
    /// The label of the table.
    pub(super) label: &'static str,
    /// The greatest distance of the positions that are entered; at least 1.
    pub(super) radius: u8,
    /// The length in bytes, a multiple of 64.
    pub(super) bytes: usize,
}

/// The greatest distance of the positions that a check looks up: 80,000 positions.
const SAMPLED: u8 = 6;

impl NearGoalTable<'_> {
    /// The filter of a profile.
    pub(super) fn of(stage: &PairEdges, profile: Profile) -> NearGoalTable<'_> {
        let (label, radius, bytes) = match profile {
            // 670,000 positions, with 12 bits each.
            Profile::Pocket => ("reduction-near-goal-7", 7, 1 << 20),
            // 55 million positions, with 7.3 bits each: a false-positive rate of about 5 %.
            Profile::Compact => ("reduction-near-goal", 9, 48 << 20),
            // Nine times as many positions.
            Profile::Full => ("reduction-near-goal-10", 10, 400 << 20),
        };
        NearGoalTable {
            stage,
            label,
            radius,
            bytes,
        }
    }

    /// The number of positions at each distance below the radius.
    pub(super) fn distribution(&self) -> Distribution {
        levels(self.stage, self.radius, PART, |_, _, _| ())
    }
}

impl TableSpec for NearGoalTable<'_> {
    fn label(&self) -> String {
        self.label.to_owned()
    }

    fn entries(&self) -> u64 {
        8 * self.bytes as u64
    }

    fn encoding(&self) -> Encoding {
        Encoding::filter(self.radius)
    }

    /// In large pages, level 4 with full tables takes 0.88 of the time.
    fn prefers_memory(&self) -> bool {
        true
    }

    fn fingerprint(&self) -> u128 {
        let mut hash = self.stage.fingerprint();
        for number in [self.radius.into(), PROBES] {
            hash.update(&u32::to_le_bytes(number));
        }
        hash.digest128()
    }

    /// The distribution is that of positions nearer than the radius.
    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError> {
        let &NearGoalTable {
            stage,
            radius,
            bytes,
            ..
        } = self;
        let filter = FilterBuilder::new(bytes, radius);
        let distribution = levels(stage, radius, PART, |distance, keys, (part, parts)| {
            let chunks = keys.par_chunks(CHUNK);
            chunks.for_each(|keys| filter.enter(keys, distance));
            if distance + 1 == radius {
                // Nearly all the work is in this step. Successors that are not at the radius are nearer, and have
                // been or will be entered.
                let done = AtomicUsize::new(0);
                keys.par_chunks(CHUNK).for_each(|chunk| {
                    filter.enter(&successors(stage, chunk), radius);
                    let done = done.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                    let share = (part as f64 + done as f64 / keys.len() as f64) / parts as f64;
                    progress(BuildProgress::of_share(radius, share, 8 * bytes));
                });
            }
        });
        Ok(Built {
            payload: filter.into_payload(),
            distribution,
        })
    }

    /// Checks that the filter has all positions up to six turns from the goal.
    fn is_as_counted(&self, table: &Table) -> bool {
        let mut all_there = true;
        let sampled = SAMPLED.min(self.radius - 1);
        let distribution = levels(self.stage, sampled + 1, PART, |distance, keys, _| {
            let is_there =
                |&key: &Key| (distance..=self.radius).all(|limit| is_entered(table, key, limit));
            all_there &= keys.par_iter().all(is_there);
        });
        let header = &table.header().distribution;
        let sampled = ..=usize::from(sampled);
        all_there
            && header.positions.get(sampled) == Some(&*distribution.positions)
            && header.unique.get(sampled) == Some(&*distribution.unique)
    }
}

/// The greatest number of successors in memory at a time. They take 0.75 GB, because they are in memory twice
/// while they are merged.
const PART: usize = 3 << 24;
/// The number of positions in a unit of work of a thread.
const CHUNK: usize = 1 << 12;

/// Lists and counts the positions at each distance less than `radius`, in ascending order. In memory are the
/// positions at two distances, eight bytes each, and about `most` successors. The last level is split into
/// parts accordingly; each part computes all successors and keeps its own. Calls `take` with the distance and
/// positions of each part, its index, and the number of parts of its distance.
fn levels(
    stage: &PairEdges,
    radius: u8,
    most: usize,
    mut take: impl FnMut(u8, &[Key], (usize, usize)),
) -> Distribution {
    let goal = stage.pairings.rank(Portable, PAIRED).index;
    let mut distribution = Distribution::default();
    let (mut before, mut level) = (Vec::new(), Vec::new());
    for distance in 0..radius {
        let is_last = distance + 1 == radius;
        let most = if is_last { most } else { usize::MAX };
        let parts = (TURNS * level.len()).div_ceil(most).max(1);
        let mut next = Vec::new();
        for part in 0..parts {
            let mut keys: Vec<Key> = level
                .par_chunks(CHUNK)
                .flat_map_iter(|keys| successors(stage, keys))
                .filter(|&key| split(key).0 as usize % parts == part)
                .collect();
            if distance == 0 {
                keys.push(key(goal, stage.centers.goal));
            }
            keys.par_sort_unstable();
            keys.dedup();
            remove(&mut keys, &before);
            remove(&mut keys, &level);
            let counts = keys.par_chunks(CHUNK);
            let counts = counts.map(|keys| simd::dispatch!(|simd| count(simd, stage, keys)));
            let [positions, unique] = counts.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
            distribution.add(distance.into(), positions, unique);
            take(distance, &keys, (part, parts));
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

/// The positions one turn away from positions, with all their images.
fn successors(stage: &PairEdges, keys: &[Key]) -> Vec<Key> {
    let mut reached = Vec::with_capacity(TURNS * keys.len());
    simd::dispatch!(|simd| push_successors(simd, stage, keys, &mut reached));
    reached
}

#[inline(always)]
fn push_successors<S: Simd>(simd: S, stage: &PairEdges, keys: &[Key], into: &mut Vec<Key>) {
    let PairEdges {
        pairings, centers, ..
    } = stage;
    for &from in keys {
        let (index, at) = split(from);
        let pairing = pairings.unrank(index as usize);
        for (turn, &at) in centers.images(at).iter().enumerate() {
            let image = pairings.turned(simd, pairing, turn);
            let to = pairings.rank(simd, image);
            let seen = centers.conjugated(at, to.sym.into());
            pairings.for_each_rank(simd, image, to, |sym, index| {
                // Nearly always it is the identity, which needs no lookup.
                let seen = if sym == 0 {
                    seen
                } else {
                    centers.conjugated(seen, sym)
                };
                into.push(key(index, seen));
            });
        }
    }
}

/// The number of positions of keys, and that up to symmetry.
#[inline(always)]
fn count<S: Simd>(simd: S, stage: &PairEdges, keys: &[Key]) -> [u64; 2] {
    let mut counts = [0; 2];
    for &own in keys {
        let (index, at) = split(own);
        let precedes = |sym, other| key(other, stage.centers.conjugated(at, sym)) < own;
        let [positions, unique] = stage.pairings.count(simd, index, precedes);
        counts[0] += positions;
        counts[1] += unique;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Filter, table_of};

    fn built(radius: u8, bytes: usize) -> (Filter, Distribution) {
        let near = NearGoalTable {
            stage: &PairEdges::new(),
            label: "some",
            radius,
            bytes,
        };
        let built = near.build(&|_| ()).unwrap();
        let table = table_of(built.payload, Encoding::filter(radius));
        (Filter::new(table).unwrap(), built.distribution)
    }

    #[test]
    fn the_distribution_begins_as_known() {
        let stage = PairEdges::new();
        let mut sums = Vec::new();
        let mut sum = 0;
        levels(&stage, 8, PART, |_, keys, _| {
            sum += keys.len();
            sums.push(sum);
        });
        // The known numbers are of keys, of which those of a position that looks alike from several
        // sides are several.
        assert_eq!(sums, [1, 4, 23, 152, 1221, 9762, 78587, 673957]);
        let (_, distribution) = built(4, 1 << 16);
        // The goal looks the same from all sides; half turns of a wide block solve one of three.
        assert_eq!(distribution.positions[..2], [1, 3]);
        assert_eq!(distribution.unique[..2], [1, 2]);
    }

    #[test]
    fn few_positions_pass_that_are_not_entered() {
        // 9,762 keys up to distance 5 and 78,587 up to 6 in 90 kB, about eight bits each.
        let (near, _) = built(6, 90 << 10);
        let others = 0..100_000;
        let passed = others
            .filter(|&i| near.has(near.probe(key(31_000_000 - 7 * i, 29_000), 6)))
            .count();
        assert!(passed < 4_000, "{passed} of 100,000 passed");
    }

    #[test]
    fn a_level_in_parts_is_the_level() {
        let stage = PairEdges::new();
        let last = |most: usize| {
            let (mut keys, mut parts) = (Vec::new(), 0);
            let distribution = levels(&stage, 7, most, |distance, of_part, (part, of)| {
                if distance == 6 {
                    assert_eq!(part, parts);
                    parts += 1;
                    keys.extend_from_slice(of_part);
                    assert_eq!(part + 1 == of, parts == of);
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
