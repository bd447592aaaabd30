//! The table of pairings with parity: lower bounds of the third stage.
//!
//! For each pairing up to symmetry and each parity (see [`centers`](super::centers)), the distance to paired
//! wings with an even parity.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::super::turns::{TurnSet, is_wide};
use super::centers::TURNS;
use super::pairing::{CLASSES, PAIRED, PAIRINGS, Pairings, RESTS, Ranked, SYMMETRIES};
use super::space::PairingSpace;
use crate::simd::{self, Arch, Simd, WithSimd};

use crate::table::{
    BuildError, BuildProgress, Built, Distribution, Encoding, Table, TableSpec, prefetch,
};

/// The end of the first range. Distances up to 9 are known from the filter of positions near the goal; few are
/// greater than 11.
const LEAST: u8 = 9;
/// The number of entries: for each pairing an even and an odd one.
pub(super) const ENTRIES: usize = 2 * PAIRINGS;
/// How the entries are stored.
const ENCODING: Encoding = Encoding::two_bits(LEAST);

/// The entry of a pairing and a parity.
#[inline(always)]
pub(super) fn entry(pairing: u32, odd: bool) -> u32 {
    2 * pairing + u32::from(odd)
}

/// The table of pairings with parity.
pub(super) struct PairingTable<'a>(pub(super) &'a PairingSpace);

impl TableSpec for PairingTable<'_> {
    fn label(&self) -> String {
        "reduction-pairings".to_owned()
    }

    fn entries(&self) -> u64 {
        ENTRIES as u64
    }

    fn encoding(&self) -> Encoding {
        ENCODING
    }

    fn fingerprint(&self) -> u128 {
        self.0.fingerprint().digest128()
    }

    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError> {
        let report = |distance: u8, reached: u64| {
            progress(BuildProgress {
                distance,
                reached: reached as usize,
                entries: ENTRIES,
            });
        };
        Ok(build(self.0, &report))
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        let stored = |entry: usize| LEAST + table.code(entry);
        let counted = count(&self.0.pairings, &stored);
        counted == table.header().distribution.clipped(ENCODING)
    }
}

/// Builds the table on the current rayon thread pool, with 31 MB besides the result. Calls `progress` with each
/// distance and the number of entries reached.
fn build(space: &PairingSpace, progress: &(dyn Fn(u8, u64) + Sync)) -> Built {
    let PairingSpace {
        turns, pairings, ..
    } = space;
    let builder = Builder {
        pairings,
        wide: turns.which(is_wide),
        turns: turns.moves().len(),
        distances: (0..PAIRINGS).map(|_| AtomicU8::new(UNREACHED)).collect(),
    };
    builder.fill(progress);
    let distance = |entry: usize| {
        let pair = builder.distances[entry / 2].load(Ordering::Relaxed);
        pair >> (4 * (entry % 2)) & 0xf
    };
    let distribution = count(pairings, &distance);
    let chunk = |chunk: usize| {
        let entries = 2 * CHUNK * chunk..2 * CHUNK * (chunk + 1);
        ENCODING.pack(entries.map(distance).collect())
    };
    let chunks = (0..PAIRINGS / CHUNK).into_par_iter();
    Built {
        payload: chunks.flat_map_iter(chunk).collect(),
        distribution,
    }
}

/// An unreached entry of each parity, four bits each.
const UNREACHED: u8 = 0xff;
/// From this distance on, unreached entries look for reached neighbours (pull): most find one soon.
const PULL_FROM: u8 = 12;
/// The number of pairings in a unit of work of a thread.
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

    fn fill(&self, progress: &(dyn Fn(u8, u64) + Sync)) {
        let goal = goal_index(self.pairings) as usize;
        self.distances[goal].store(0xf0, Ordering::Relaxed);
        let mut reached = 1;
        let mut distance = 0;
        while reached < 2 * PAIRINGS as u64 {
            distance += 1;
            let chunks = (0..PAIRINGS / CHUNK).into_par_iter();
            chunks.for_each(|chunk| {
                simd::run(PairingLevel {
                    builder: self,
                    indices: chunk * CHUNK..(chunk + 1) * CHUNK,
                    distance,
                });
            });
            let count = self.count(distance);
            assert!(
                count > 0,
                "the turns lead to every pairing with either parity"
            );
            reached += count;
            progress(distance, reached);
        }
    }

    fn count(&self, distance: u8) -> u64 {
        let of_pair = |pair: &AtomicU8| {
            let pair = pair.load(Ordering::Relaxed);
            u64::from(pair & 0xf == distance) + u64::from(pair >> 4 == distance)
        };
        self.distances.par_iter().map(of_pair).sum()
    }
}

/// The rank of the identity.
pub(super) fn goal_index(pairings: &Pairings) -> u32 {
    Arch::Portable.run(Rank(pairings))
}

struct Rank<'a>(&'a Pairings);

impl WithSimd for Rank<'_> {
    type Output = u32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u32 {
        self.0.rank(simd, PAIRED).index
    }
}

/// The distribution of positions. `distance` gives the distance of an entry.
fn count(pairings: &Pairings, distance: &(dyn Fn(usize) -> u8 + Sync)) -> Distribution {
    let of_class = |class: usize| {
        simd::run(CountClass {
            pairings,
            class,
            distance,
        })
    };
    let classes = (0..CLASSES).into_par_iter().map(of_class);
    classes.reduce(Distribution::default, |a, b| a.merged(&b))
}

/// Counts the distances in a class. An entry stands for as many positions as there are symmetries; entries that
/// are images of each other under the stabiliser stand for the same positions.
struct CountClass<'a> {
    pairings: &'a Pairings,
    class: usize,
    distance: &'a (dyn Fn(usize) -> u8 + Sync),
}

impl WithSimd for CountClass<'_> {
    type Output = Distribution;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Distribution {
        let CountClass {
            pairings,
            class,
            distance,
        } = self;
        let stabiliser = pairings.stabiliser(class);
        let weight = SYMMETRIES as u64 / u64::from(stabiliser.count_ones());
        let (mut positions, mut unique) = ([0; 16], [0; 16]);
        for index in class * RESTS..(class + 1) * RESTS {
            let is_first = pairings.is_first(simd, index);
            for odd in [false, true] {
                let distance = usize::from(distance(entry(index as u32, odd) as usize));
                positions[distance] += weight;
                unique[distance] += u64::from(is_first);
            }
        }
        Distribution::of_counts(&positions, &unique)
    }
}

/// A step of the search, from the entries at one distance to those at the next.
struct PairingLevel<'a> {
    builder: &'a Builder<'a>,
    indices: Range<usize>,
    distance: u8,
}

/// The four-bit numbers of a pair that equal a number, as a mask of two bits.
#[inline(always)]
fn equal(pair: u8, number: u8) -> u8 {
    u8::from(pair & 0xf == number) | u8::from(pair >> 4 == number) << 1
}

/// A mask of two bits, exchanged if `exchange` is set.
#[inline(always)]
fn exchanged(mask: u8, exchange: bool) -> u8 {
    if exchange {
        mask >> 1 | mask << 1 & 2
    } else {
        mask
    }
}

impl WithSimd for PairingLevel<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for index in self.indices.clone() {
            let pair = self.builder.distances[index].load(Ordering::Relaxed);
            if self.distance >= PULL_FROM {
                self.pull(simd, index, equal(pair, 0xf));
            } else {
                self.push(simd, index, equal(pair, self.distance - 1));
            }
        }
    }
}

impl PairingLevel<'_> {
    /// Looks for neighbours of unreached entries.
    #[inline(always)]
    fn pull<S: Simd>(&self, simd: S, index: usize, mut wanted: u8) {
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
            let to = pairings.rank(simd, pairings.turned(simd, pairing, turn));
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
    fn push<S: Simd>(&self, simd: S, index: usize, from: u8) {
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
            *image = pairings.turned(simd, pairing, turn);
            *to = pairings.rank(simd, *image);
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
                let image = pairings.conjugated(simd, image, to.sym.into());
                for sym in (1..SYMMETRIES).filter(|sym| stabiliser >> sym & 1 == 1) {
                    let alike = pairings.rank(simd, pairings.conjugated(simd, image, sym));
                    reach(&distances[alike.index as usize], reached, self.distance);
                }
            }
        }
    }
}

/// Sets the distance of the unreached ones of two entries. Other threads can only set the same distance.
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
    use super::*;
    use crate::table::{RangeTable, table_of};

    #[test]
    fn the_distribution_is_the_known_one() {
        let space = PairingSpace::new();
        let built = build(&space, &|_, _| ());
        // The published numbers count entries, including symmetric ones. The table has their ranges.
        let published = [
            1, 3, 12, 46, 299, 1710, 11430, 74631, 485289, 2901779, 12816853, 30578383, 14985469,
            156255,
        ];
        let table = RangeTable::new(table_of(built.payload, ENCODING)).unwrap();
        let mut counts = [0; 13];
        for entry in 0..ENTRIES as u32 {
            counts[usize::from(table.bound(entry))] += 1;
        }
        assert_eq!(counts[0], published[..10].iter().sum::<u64>());
        assert_eq!(counts[10..12], published[10..12]);
        assert_eq!(counts[12], published[12] + published[13]);
        // Every pairing with either parity: 12!/2 of them.
        assert_eq!(built.distribution.total(), 479_001_600);
        assert_eq!(built.distribution.greatest(), 13);
        let pairs = std::iter::zip(&built.distribution.unique, published);
        assert!(
            pairs
                .into_iter()
                .all(|(&unique, entries)| unique <= entries)
        );
    }
}
