//! Distances of pairings with their parity: a lower bound of the third stage.
//!
//! For each pairing up to symmetry and each parity (see
//! [`settled_centers`](super::settled_centers)), the least number of turns to paired-up wings with an
//! even parity.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::bands::{self, Bands};
use super::lanes::{Lanes, Speed, Work, prefetch};
use super::pairing::{PAIRED, PAIRINGS, Pairings, RESTS, Ranked, SYMMETRIES};
use super::payload::Payload;
use super::settled_centers::TURNS;
use super::turns::{Boundary, TurnSet, Turns};

/// Distances up to 9 are known from the positions near the goal, and none is greater than 13, which
/// few have.
const LEAST: u8 = 9;
/// Entries: for each pairing an even and an odd one.
const ENTRIES: usize = 2 * PAIRINGS;
/// Length of a payload.
pub const BYTES: usize = bands::bytes(ENTRIES);

/// The entry of a pairing and a parity.
#[inline(always)]
pub(super) fn entry(pairing: u32, odd: bool) -> u32 {
    2 * pairing + u32::from(odd)
}

/// The table from what [`build`] made.
pub(super) fn open(payload: Payload) -> Bands {
    Bands::new(LEAST, ENTRIES, payload)
}

/// Builds the table on all threads of the pool, with 31 MB besides the result; `progress` is told
/// each distance and how many entries have been reached.
///
/// Returns the payload, and the number of entries at each distance.
#[must_use]
pub fn build(
    turns: &Turns,
    pairings: &Pairings,
    speed: Speed,
    progress: &(dyn Fn(u8, u64) + Sync),
) -> (Vec<u8>, Vec<u64>) {
    let builder = Builder {
        pairings,
        wide: turns.which(|turn| turn.boundary == Boundary::Middle),
        turns: turns.count(),
        distances: (0..PAIRINGS).map(|_| AtomicU8::new(UNREACHED)).collect(),
    };
    let counts = builder.fill(speed, progress);
    let chunk = |pairs: &[AtomicU8]| {
        let both = |pair: &AtomicU8| {
            let pair = pair.load(Ordering::Relaxed);
            [pair & 0xf, pair >> 4]
        };
        let distances: Vec<u8> = pairs.iter().flat_map(both).collect();
        bands::pack(LEAST, &distances)
    };
    let payload = builder
        .distances
        .par_chunks(CHUNK)
        .flat_map_iter(chunk)
        .collect();
    (payload, counts)
}

/// Both parities of a pairing, four bits each.
const UNREACHED: u8 = 0xff;
/// From this distance on, unreached entries look for reached neighbours instead of the reverse: then
/// most find one at once.
const PULL_FROM: u8 = 12;
/// Pairings that one thread works on at a time.
const CHUNK: usize = RESTS / 4;

struct Builder<'a> {
    pairings: &'a Pairings,
    wide: TurnSet,
    turns: usize,
    distances: Vec<AtomicU8>,
}

impl Builder<'_> {
    #[inline(always)]
    fn is_wide(&self, turn: usize) -> bool {
        self.wide >> turn & 1 == 1
    }

    fn fill(&self, speed: Speed, progress: &(dyn Fn(u8, u64) + Sync)) -> Vec<u64> {
        let start = Speed::PORTABLE.run(Rank(self.pairings));
        self.distances[start].store(0xf0, Ordering::Relaxed);
        let mut counts = vec![1];
        let mut reached = 1;
        while reached < 2 * PAIRINGS as u64 {
            let distance = counts.len() as u8;
            let chunks = (0..PAIRINGS / CHUNK).into_par_iter();
            chunks.for_each(|chunk| {
                speed.run(Level {
                    builder: self,
                    indices: chunk * CHUNK..(chunk + 1) * CHUNK,
                    distance,
                });
            });
            let count = self.count(distance);
            assert!(count > 0, "some entries cannot be reached");
            counts.push(count);
            reached += count;
            progress(distance, reached);
        }
        counts
    }

    fn count(&self, distance: u8) -> u64 {
        let of_pair = |pair: &AtomicU8| {
            let pair = pair.load(Ordering::Relaxed);
            u64::from(pair & 0xf == distance) + u64::from(pair >> 4 == distance)
        };
        self.distances.par_iter().map(of_pair).sum()
    }
}

/// The number of the identity.
struct Rank<'a>(&'a Pairings);

impl Work for Rank<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        self.0.rank(lanes, PAIRED).index as usize
    }
}

/// The entries at one distance among or next to some pairings.
struct Level<'a> {
    builder: &'a Builder<'a>,
    indices: Range<usize>,
    distance: u8,
}

/// Which of two four-bit numbers equal a number, as a mask of two bits.
#[inline(always)]
fn equal(pair: u8, number: u8) -> u8 {
    u8::from(pair & 0xf == number) | u8::from(pair >> 4 == number) << 1
}

/// Two bits exchanged if asked.
#[inline(always)]
fn exchanged(mask: u8, exchange: bool) -> u8 {
    if exchange {
        mask >> 1 | mask << 1 & 2
    } else {
        mask
    }
}

impl Work for Level<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for index in self.indices.clone() {
            let pair = self.builder.distances[index].load(Ordering::Relaxed);
            if self.distance >= PULL_FROM {
                self.pull(lanes, index, equal(pair, 0xf));
            } else {
                self.push(lanes, index, equal(pair, self.distance - 1));
            }
        }
    }
}

impl Level<'_> {
    /// Looks for neighbours of unreached entries.
    #[inline(always)]
    fn pull<L: Lanes>(&self, lanes: L, index: usize, mut wanted: u8) {
        let Builder {
            pairings,
            turns,
            distances,
            ..
        } = self.builder;
        if wanted == 0 {
            return;
        }
        let pairing = pairings.unrank(index);
        for turn in 0..*turns {
            let to = pairings.rank(lanes, pairings.turned(lanes, pairing, turn));
            let neighbour = distances[to.index as usize].load(Ordering::Relaxed);
            let near = equal(neighbour, self.distance - 1);
            let found = exchanged(near, self.builder.is_wide(turn)) & wanted;
            reach(&distances[index], found, self.distance);
            wanted &= !found;
            if wanted == 0 {
                break;
            }
        }
    }

    /// Reaches the neighbours of entries.
    #[inline(always)]
    fn push<L: Lanes>(&self, lanes: L, index: usize, from: u8) {
        let Builder {
            pairings,
            turns,
            distances,
            ..
        } = self.builder;
        if from == 0 {
            return;
        }
        let pairing = pairings.unrank(index);
        let mut neighbours = [(PAIRED, Ranked { index: 0, sym: 0 }); TURNS];
        for (turn, (image, to)) in neighbours.iter_mut().enumerate().take(*turns) {
            *image = pairings.turned(lanes, pairing, turn);
            *to = pairings.rank(lanes, *image);
            prefetch(&distances[to.index as usize]);
        }
        for (turn, &(image, to)) in neighbours.iter().enumerate().take(*turns) {
            let neighbour = &distances[to.index as usize];
            let reached = exchanged(from, self.builder.is_wide(turn));
            if equal(neighbour.load(Ordering::Relaxed), 0xf) & reached == 0 {
                continue;
            }
            reach(neighbour, reached, self.distance);
            let stabiliser = pairings.stabiliser(to.index as usize / RESTS);
            if stabiliser != 1 {
                let image = pairings.conjugated(lanes, image, to.sym.into());
                for sym in (1..SYMMETRIES).filter(|sym| stabiliser >> sym & 1 == 1) {
                    let alike = pairings.rank(lanes, pairings.conjugated(lanes, image, sym));
                    reach(&distances[alike.index as usize], reached, self.distance);
                }
            }
        }
    }
}

/// Gives the unreached ones of two entries a distance. Another thread can only be giving the same.
#[inline(always)]
fn reach(pair: &AtomicU8, entries: u8, distance: u8) {
    let new = equal(pair.load(Ordering::Relaxed), 0xf) & entries;
    // Unreached entries have all bits set, so clearing bits is enough.
    let low = if new & 1 == 1 { distance | 0xf0 } else { 0xff };
    let high = if new & 2 == 2 {
        distance << 4 | 0xf
    } else {
        0xff
    };
    if new != 0 {
        pair.fetch_and(low & high, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::turns::{HALF, OUTER};
    use super::*;

    #[test]
    fn the_distribution_is_the_known_one() {
        let turns = Turns::new([OUTER, OUTER, HALF]);
        let pairings = Pairings::new(&turns);
        let (payload, counts) = build(&turns, &pairings, Speed::best(), &|_, _| ());
        let known = [
            1, 3, 12, 46, 299, 1710, 11430, 74631, 485289, 2901779, 12816853, 30578383, 14985469,
            156255,
        ];
        assert_eq!(counts, known);
        let table = open(Payload::new(&payload).unwrap());
        let far = (0..ENTRIES as u32).filter(|&entry| table.bound(entry) == 11);
        assert_eq!(far.count() as u64, known[11]);
    }
}
