//! Which positions of the third stage are near its goal.
//!
//! The stage's position is a pairing with the centers and the parity: 7·10¹² up to symmetry, too many
//! for a table. But all positions up to some distance from the goal are listed, in a Bloom filter
//! whose bits for one position are all in one cache line. A position is entered once for every
//! distance from its own to the radius, so that one line answers for each number of turns left
//! whether they can suffice: surely not, or probably.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::lanes::{Lanes, Speed, Work, prefetch};
use super::pairing::{PAIRED, Pairing, Pairings, RESTS, SYMMETRIES};
use super::payload::{LINE, Payload};
use super::settled_centers::SettledCenters;
use super::turns::Turns;

/// A position up to symmetry, but for stabilisers: the pairing's number, and the centers and parity
/// as seen by the symmetry that leads to the pairing's representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64);

/// Bits for the centers and parity.
const CENTER_BITS: u32 = 15;

impl Key {
    #[inline(always)]
    pub(super) fn new(index: u32, centers: u16) -> Key {
        Key(u64::from(index) << CENTER_BITS | u64::from(centers))
    }

    fn index(self) -> usize {
        (self.0 >> CENTER_BITS) as usize
    }

    fn centers(self) -> u16 {
        (self.0 & ((1 << CENTER_BITS) - 1)) as u16
    }
}

/// Words of 64 bits in a cache line.
const WORDS: usize = LINE / 8;

/// Where a position is entered for a distance: a line, and in it one bit in each of some words.
#[derive(Clone, Copy)]
struct Probe {
    line: usize,
    bits: u64,
}

/// Bits that are set for one entry.
const PROBES: u32 = 5;

/// Scrambles a number so that every bit of the result depends on all of it.
#[inline(always)]
fn mixed(number: u64) -> u64 {
    // The finishing steps of the SplitMix64 generator (Steele, Lea and Flood, 2014).
    let a = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ a >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ b >> 31
}

impl Probe {
    #[inline(always)]
    fn new(key: Key, distance: u8, lines: usize) -> Probe {
        let of_key = mixed(key.0);
        Probe {
            line: ((u128::from(of_key) * lines as u128) >> 64) as usize,
            bits: mixed(of_key ^ u64::from(distance).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    }

    /// The word and the bit in it of each probe.
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = (usize, u64)> {
        (0..PROBES).map(move |i| {
            let nine = self.bits >> (9 * i) & 0x1ff;
            ((nine >> 6) as usize, 1 << (nine & 63))
        })
    }
}

/// The positions up to some distance from the third stage's goal.
pub struct NearGoal {
    payload: Payload,
    lines: usize,
    radius: u8,
}

impl NearGoal {
    /// A filter from what [`build`] made for a radius.
    #[must_use]
    pub fn new(payload: Payload, radius: u8) -> NearGoal {
        let lines = payload.bytes().len() / LINE;
        NearGoal {
            payload,
            lines,
            radius,
        }
    }

    /// The greatest distance that is entered.
    #[must_use]
    #[inline(always)]
    pub fn radius(&self) -> u8 {
        self.radius
    }

    /// Asks for the line of a position, which will be read soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: Key) {
        prefetch(&self.payload.bytes()[Probe::new(key, 0, self.lines).line * LINE]);
    }

    /// Whether a position is at most so far from the goal, or seems to be; `distance` must not be
    /// greater than the radius.
    #[inline(always)]
    pub(super) fn may_be_within(&self, key: Key, distance: u8) -> bool {
        let probe = Probe::new(key, distance, self.lines);
        let line = &self.payload.bytes()[probe.line * LINE..][..LINE];
        let (words, _) = line.as_chunks::<8>();
        probe
            .each()
            .all(|(word, bit)| u64::from_le_bytes(words[word % WORDS]) & bit != 0)
    }
}

/// Builds the filter on all threads of the pool: `bytes` long (in whole cache lines), with all
/// positions up to `radius`, at least 1. Positions up to `radius - 1` are in memory at the same time,
/// eight bytes each, with their successors.
///
/// Returns the payload, and the numbers of positions at each distance below the radius. Positions
/// that look alike from several sides count several times.
#[must_use]
pub fn build(
    turns: &Turns,
    pairings: &Pairings,
    centers: &SettledCenters,
    (radius, bytes): (u8, usize),
    speed: Speed,
    progress: &(dyn Fn(u8, u64) + Sync),
) -> (Vec<u8>, Vec<u64>) {
    let lines = bytes / LINE;
    let words: Vec<AtomicU64> = (0..lines * WORDS).map(|_| AtomicU64::new(0)).collect();
    let enter = |keys: &[Key], distances: RangeInclusive<u8>| {
        for (i, &key) in keys.iter().enumerate() {
            if let Some(&later) = keys.get(i + AHEAD) {
                prefetch(&words[Probe::new(later, radius, lines).line * WORDS]);
            }
            for distance in distances.clone() {
                enter_one(&words, lines, key, distance);
            }
        }
    };
    let successors = |keys: &[Key]| -> Vec<Key> {
        let mut reached = Vec::with_capacity(turns.count() * keys.len());
        speed.run(Successors {
            turns,
            pairings,
            centers,
            keys,
            into: &mut reached,
        });
        reached
    };
    let goal = Key::new(Speed::PORTABLE.run(Goal(pairings)), centers.goal());
    let mut levels = vec![Vec::new(), vec![goal]];
    let mut counts = Vec::new();
    for distance in 0..radius {
        let [before, level] = [&levels[0], &levels[1]];
        counts.push(level.len() as u64);
        level
            .par_chunks(CHUNK)
            .for_each(|keys| enter(keys, distance..=radius));
        progress(distance, counts.iter().sum());
        if distance + 1 == radius {
            // Those not at this distance are nearer, and entered already.
            level.par_chunks(CHUNK).for_each(|keys| {
                enter(&successors(keys), radius..=radius);
            });
            break;
        }
        let mut next: Vec<Key> = level.par_chunks(CHUNK).flat_map_iter(successors).collect();
        next.par_sort_unstable();
        next.dedup();
        let is_new =
            |key: &Key| before.binary_search(key).is_err() && level.binary_search(key).is_err();
        let next: Vec<Key> = next.into_par_iter().filter(is_new).collect();
        levels = vec![levels.swap_remove(1), next];
    }
    let payload = words
        .into_iter()
        .flat_map(|word| word.into_inner().to_le_bytes())
        .collect();
    (payload, counts)
}

/// Positions that one thread works on at a time.
const CHUNK: usize = 1 << 12;
/// So many positions before one is entered, its line is asked for.
const AHEAD: usize = 16;

fn enter_one(words: &[AtomicU64], lines: usize, key: Key, distance: u8) {
    let probe = Probe::new(key, distance, lines);
    for (word, bit) in probe.each() {
        let word = &words[probe.line * WORDS + word];
        // Setting a bit takes much longer than seeing that it is set.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }
}

/// The number of the identity.
struct Goal<'a>(&'a Pairings);

impl Work for Goal<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u32 {
        self.0.rank(lanes, PAIRED).index
    }
}

/// The positions one turn away from some, with all their images.
struct Successors<'a> {
    turns: &'a Turns,
    pairings: &'a Pairings,
    centers: &'a SettledCenters,
    keys: &'a [Key],
    into: &'a mut Vec<Key>,
}

impl Work for Successors<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for &key in self.keys {
            let pairing = self.pairings.unrank(key.index());
            for turn in 0..self.turns.count() {
                let image = self.pairings.turned(lanes, pairing, turn);
                let centers = self.centers.turned(key.centers(), turn);
                push_images(
                    lanes,
                    (self.pairings, self.centers),
                    image,
                    centers,
                    self.into,
                );
            }
        }
    }
}

/// Lists a position in all the ways in which it may be numbered.
#[inline(always)]
fn push_images<L: Lanes>(
    lanes: L,
    (pairings, settled): (&Pairings, &SettledCenters),
    pairing: Pairing,
    centers: u16,
    into: &mut Vec<Key>,
) {
    let to = pairings.rank(lanes, pairing);
    let seen = settled.conjugated(centers, to.sym.into());
    into.push(Key::new(to.index, seen));
    let stabiliser = pairings.stabiliser(to.index as usize / RESTS);
    if stabiliser == 1 {
        return;
    }
    let image = pairings.conjugated(lanes, pairing, to.sym.into());
    for sym in (1..SYMMETRIES).filter(|sym| stabiliser >> sym & 1 == 1) {
        // The class' representative is kept, so the image is its own representative's.
        let alike = pairings.conjugated(lanes, image, sym);
        let index = pairings.rank(lanes, alike).index;
        into.push(Key::new(index, settled.conjugated(seen, sym)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::turns::{HALF, OUTER};
    use super::*;

    fn built(radius: u8, bytes: usize) -> (NearGoal, Vec<u64>) {
        let turns = Turns::new([OUTER, OUTER, HALF]);
        let pairings = Pairings::new(&turns);
        let centers = SettledCenters::new(&turns, pairings.symmetries());
        let speed = Speed::best();
        let (payload, counts) = build(
            &turns,
            &pairings,
            &centers,
            (radius, bytes),
            speed,
            &|_, _| (),
        );
        (
            NearGoal::new(Payload::new(&payload).unwrap(), radius),
            counts,
        )
    }

    #[test]
    fn the_distribution_begins_as_known() {
        let (near, counts) = built(8, 1 << 20);
        let mut sum = 0;
        let cumulative: Vec<u64> = counts
            .iter()
            .map(|count| {
                sum += count;
                sum
            })
            .collect();
        assert_eq!(cumulative, [1, 4, 23, 152, 1221, 9762, 78587, 673957]);
        assert_eq!(near.radius(), 8);
    }

    #[test]
    fn few_positions_pass_that_are_not_entered() {
        // 9,762 positions up to distance 5 and 78,587 up to 6 in 90 kB, about eight bits each.
        let (near, _) = built(6, 90 << 10);
        let others = 0..100_000;
        let passed = others
            .filter(|&i| near.may_be_within(Key::new(31_000_000 - 7 * i, 29_000), 6))
            .count();
        assert!(passed < 4_000, "{passed} of 100,000 passed");
    }
}
