//! The tables of pairings with parity: lower bounds of the third stage.
//!
//! For each pairing up to symmetry and each parity (see [`super`]), they have the range of the
//! distance to paired wings with an even parity. The search for the distances needs nothing more than these two
//! bits of an entry: entries up to distance [`LISTED`] are listed, and each later distance has a code of its own.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::iter::Either;
use rayon::prelude::*;

use super::pairing::{PAIRED, PAIRINGS, Pairings, RESTS, Ranked};
use super::{PairEdges, TURNS};
use crate::search::turns::{TurnSet, is_wide};
use crate::simd::{self, Portable, Simd};
use crate::table::{
    BuildError, BuildProgress, Built, Distribution, Encoding, KeyGraph, Monitor, Table, TableSpec,
    prefetch,
};

/// The number of entries: for each pairing an even and an odd one.
const ENTRIES: usize = 2 * PAIRINGS;
/// The number of entries with a distance up to 9, which are one in eighteen.
const NEAR: usize = 3_475_200;
/// The maximum distance whose entries are listed. Those of the next one would take 100 MB.
const LISTED: u8 = 9;

/// The entry of a pairing, and of centers with the parity.
#[inline(always)]
pub(super) fn entry(pairing: u32, centers: u16) -> u64 {
    u64::from(2 * pairing + u32::from(centers % 2))
}

/// A table of pairings with parity.
#[derive(derive_more::Constructor)]
pub(super) struct PairingTable<'a> {
    /// The stage.
    pub(super) stage: &'a PairEdges,
    /// Whether all greater distances than 9 are one range. One more would take six times as long to build.
    pub(super) is_near: bool,
}

impl TableSpec for PairingTable<'_> {
    fn label(&self) -> String {
        let near = if self.is_near { "near-" } else { "" };
        format!("reduction-{near}pairings")
    }

    fn entries(&self) -> u64 {
        ENTRIES as u64
    }

    /// The filter of positions near the goal makes up for the first range. Few distances are greater than 11.
    fn encoding(&self) -> Encoding {
        Encoding::two_bits(if self.is_near { 7 } else { 9 })
    }

    fn fingerprint(&self) -> u128 {
        self.stage.fingerprint().digest128()
    }

    fn build(&self, monitor: &Monitor<'_>) -> Result<Built, BuildError> {
        let search = PairingLevels::new(self.stage, vec![u8::MAX; ENTRIES / 4], monitor);
        let mut distribution = Distribution::default();
        let mut reached = 0;
        let mut add = |distance: u8, [positions, unique, entries]: Counts| {
            distribution.add(distance.into(), positions, unique);
            reached += entries;
            let share = reached as f64 / if self.is_near { NEAR } else { ENTRIES } as f64;
            monitor.report(BuildProgress::of_share(distance, share, ENTRIES))
        };
        let goal = search.pairings.rank(Portable, PAIRED).index;
        let mut level = Level::Listed(vec![search.reach(goal, EVEN, 0)]);
        let last = self.encoding().largest_code - 1;
        for distance in 0..last {
            add(distance, search.count(&level))?;
            let code = self.encoding().code(distance + 1);
            let next = search
                .chunks(&level)
                .flat_map_iter(|from| simd::dispatch!(|simd| search.expanded(simd, &from, code)));
            level = if distance < LISTED {
                Level::Listed(next.collect())
            } else {
                next.for_each(drop);
                Level::Coded(code)
            };
        }
        add(last, search.count(&level))?;
        if !self.is_near {
            // The last range is two distances, as a test checks. Most of its entries have neighbors before it, so each
            // looks for one: that takes less time than trying all turns from those before it.
            let far = Level::Coded(FAR);
            let next = sum(search.chunks(&far).map(|far| {
                let next = simd::dispatch!(|simd| search.adjacent(simd, &far, FAR - 1));
                search.counts(&next)
            }));
            let all = search.count(&far);
            add(last + 1, next)?;
            add(last + 2, std::array::from_fn(|i| all[i] - next[i]))?;
        }
        let codes = search.codes.into_iter();
        let payload = codes.map(AtomicU8::into_inner).collect();
        Ok(Built::new(payload, distribution))
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        let monitor = Monitor::default();
        let search = PairingLevels::new(self.stage, table.payload().to_vec(), &monitor);
        let mut counted = Distribution::default();
        // Without the last range, if its distances have not been counted.
        for code in 0..FAR + u8::from(!self.is_near) {
            let [positions, unique, _] = search.count(&Level::Coded(code));
            let distance = self.encoding().least_code + code;
            counted.add(distance.into(), positions, unique);
        }
        counted == table.header().distribution.clipped(self.encoding())
    }
}

/// The code of the last range, and of unreached entries.
const FAR: u8 = 3;
/// The number of pairings in a unit of work of a thread.
const CHUNK: usize = RESTS / 16;

/// A set of parities: one bit of each of the entries of a pairing, which have four bits.
type Parities = u8;
const EVEN: Parities = 0b0001;
const BOTH: Parities = 0b0101;

/// One or both of the entries of a pairing, which is given by its rank.
#[derive(Clone, Copy)]
struct Entries {
    index: u32,
    parities: Parities,
}

/// The entries at a distance.
enum Level {
    Listed(Vec<Entries>),
    /// All with this code.
    Coded(u8),
}

/// The number of positions, that up to symmetry, and that of entries.
type Counts = [u64; 3];

fn sum(counts: impl ParallelIterator<Item = Counts>) -> Counts {
    counts.reduce(|| [0; 3], |a, b| std::array::from_fn(|i| a[i] + b[i]))
}

/// A search for the distances of all entries.
struct PairingLevels<'a> {
    pairings: &'a Pairings,
    /// The turns that change the parity.
    wide: TurnSet,
    codes: Vec<AtomicU8>,
    monitor: &'a Monitor<'a>,
}

impl<'a> PairingLevels<'a> {
    fn new(stage: &'a PairEdges, codes: Vec<u8>, monitor: &'a Monitor<'a>) -> PairingLevels<'a> {
        PairingLevels {
            monitor,
            pairings: &stage.pairings,
            wide: stage.turns.which(is_wide),
            codes: codes.into_iter().map(AtomicU8::new).collect(),
        }
    }

    /// The entries at a distance in units of work, none after the monitor cancels.
    fn chunks(&self, level: &Level) -> impl ParallelIterator<Item = Vec<Entries>> {
        let chunks = match level {
            Level::Listed(entries) => Either::Left(entries.par_chunks(CHUNK).map(<[_]>::to_vec)),
            Level::Coded(code) => {
                let starts = (0..PAIRINGS).into_par_iter().step_by(CHUNK);
                Either::Right(starts.map(|start| {
                    let all = (start as u32..(start + CHUNK) as u32).map(|index| Entries {
                        index,
                        parities: self.with_code(index, *code),
                    });
                    all.filter(|entries| entries.parities != 0).collect()
                }))
            }
        };
        chunks.take_any_while(|_| self.monitor.check().is_ok())
    }

    /// The parities with which a pairing has a code.
    #[inline(always)]
    fn with_code(&self, index: u32, code: u8) -> Parities {
        let byte = self.codes[index as usize / 2].load(Ordering::Relaxed);
        equal(byte, index, code)
    }

    /// Marks those of some entries with a code that have not been reached. Returns them.
    #[inline(always)]
    fn reach(&self, index: u32, parities: Parities, code: u8) -> Entries {
        let mut new = self.with_code(index, FAR) & parities;
        // An atomic update takes much longer than a load.
        if new != 0 {
            let cleared = ((FAR - code) * new) << (index % 2 * 4);
            let byte = &self.codes[index as usize / 2];
            new &= equal(byte.fetch_and(!cleared, Ordering::Relaxed), index, FAR);
        }
        Entries {
            index,
            parities: new,
        }
    }

    /// The parities after a turn.
    #[inline(always)]
    fn turned(&self, parities: Parities, turn: usize) -> Parities {
        if self.wide >> turn & 1 == 1 {
            (parities << 2 | parities >> 2) & BOTH
        } else {
            parities
        }
    }

    /// The unreached entries one turn away from entries, which are marked with a code.
    #[inline(always)]
    fn expanded<S: Simd>(&self, simd: S, from: &[Entries], code: u8) -> Vec<Entries> {
        let pairings = self.pairings;
        let mut reached = Vec::new();
        for from in from {
            let pairing = pairings.unrank(from.index as usize);
            let mut neighbors = [(PAIRED, Ranked { index: 0, sym: 0 }); TURNS];
            for (turn, (image, to)) in neighbors.iter_mut().enumerate() {
                *image = pairings.turns[turn].on(simd, pairing);
                *to = pairings.rank(simd, *image);
                prefetch(&self.codes[to.index as usize / 2]);
            }
            for (turn, &(image, to)) in neighbors.iter().enumerate() {
                let parities = self.turned(from.parities, turn);
                if self.with_code(to.index, FAR) & parities == 0 {
                    continue;
                }
                pairings.for_each_rank(simd, image, to, |_, index| {
                    let entries = self.reach(index, parities, code);
                    if entries.parities != 0 {
                        reached.push(entries);
                    }
                });
            }
        }
        reached
    }

    /// Those of some entries that are one turn away from entries with a code.
    #[inline(always)]
    fn adjacent<S: Simd>(&self, simd: S, entries: &[Entries], code: u8) -> Vec<Entries> {
        let mut adjacent = Vec::new();
        for entries in entries {
            let pairing = self.pairings.unrank(entries.index as usize);
            let mut missing = entries.parities;
            for turn in 0..TURNS {
                let image = self.pairings.turns[turn].on(simd, pairing);
                let neighbor = self.pairings.rank(simd, image).index;
                missing &= !self.turned(self.with_code(neighbor, code), turn);
                if missing == 0 {
                    break;
                }
            }
            adjacent.push(Entries {
                parities: entries.parities & !missing,
                ..*entries
            });
        }
        adjacent
    }

    fn count(&self, level: &Level) -> Counts {
        sum(self.chunks(level).map(|entries| self.counts(&entries)))
    }

    fn counts(&self, entries: &[Entries]) -> Counts {
        let mut counts = [0; 3];
        for entries in entries {
            let index = entries.index;
            let [positions, unique] = self.pairings.count(index, |_, other| other < index);
            let parities = u64::from(entries.parities.count_ones());
            counts[0] += parities * positions;
            counts[1] += parities * unique;
            counts[2] += parities;
        }
        counts
    }
}

/// The parities with which a pairing has a code, given the byte that has its entries and those of a neighbor.
#[inline(always)]
fn equal(byte: u8, index: u32, code: u8) -> Parities {
    let differing = (byte >> (index % 2 * 4)) ^ (code * BOTH);
    !(differing | differing >> 1) & BOTH
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::cancel::CancelFlag;
    use crate::table::{Bounds, RangeTable, table_of};

    #[test]
    fn the_distribution_is_the_known_one() {
        let stage = &PairEdges::new();
        let pairings = PairingTable {
            stage,
            is_near: false,
        };
        let built = pairings.build(&Monitor::default()).unwrap();
        // The published numbers count entries, including symmetric ones. The table has their ranges.
        let published = [
            1, 3, 12, 46, 299, 1710, 11430, 74631, 485289, 2901779, 12816853, 30578383, 14985469,
            156255,
        ];
        let table = RangeTable::new(table_of(built.payload, pairings.encoding())).unwrap();
        let mut counts = [0; 13];
        for entry in 0..ENTRIES as u64 {
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

    #[test]
    fn as_many_entries_are_near_as_is_known() {
        let stage = &PairEdges::new();
        let near = PairingTable {
            stage,
            is_near: true,
        };
        let reached = Mutex::new(Vec::new());
        let report = |progress: BuildProgress| reached.lock().unwrap().push(progress.reached);
        let monitor = Monitor::new(&report, CancelFlag::default());
        let built = near.build(&monitor).unwrap();
        // As in the whole table: 1, 3, 12, 46, … entries at each distance.
        let known = [1, 4, 16, 62, 361, 2_071, 13_501, 88_132, 573_421, NEAR];
        let progress = reached.into_inner().unwrap();
        let share = |reached| BuildProgress::of_share(0, reached as f64 / NEAR as f64, ENTRIES);
        assert_eq!(progress, known.map(|reached| share(reached).reached));
        assert_eq!(progress[9], ENTRIES);
        assert_eq!(built.distribution.positions[..2], [1, 3]);
        let table = RangeTable::new(table_of(built.payload, near.encoding())).unwrap();
        let mut with_bound = [0; 11];
        for entry in 0..ENTRIES as u64 {
            with_bound[usize::from(table.bound(entry))] += 1;
        }
        assert_eq!(with_bound[0], known[7]);
        assert_eq!(
            with_bound[8..10],
            [known[8] - known[7], known[9] - known[8]]
        );
        assert_eq!(with_bound[10], ENTRIES - known[9]);
        let goal = stage.pairings.rank(Portable, PAIRED).index;
        assert_eq!(table.bound(entry(goal, 0)), 0);
    }
}
