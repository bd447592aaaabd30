//! The pairings with parity near the goal: lower bounds of the third stage that are built quickly.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::super::turns::{TurnSet, is_wide};
use super::centers::TURNS;
use super::pairing::{PAIRED, Pairings, RESTS, Ranked, SYMMETRIES};
use super::pairing_table::{ENTRIES, entry, goal_index};
use super::space::PairingSpace;
use crate::simd::{self, Simd, WithSimd};
use crate::table::{
    BuildError, BuildProgress, Built, Distribution, Encoding, Table, TableSpec, prefetch,
};

/// The greatest distance of near entries, which are one in eighteen. One more would take six times as long to
/// build.
const RADIUS: u8 = 9;
/// The number of near entries, which is the measure of progress.
const NEAR: usize = 3_475_200;
/// Distances up to 7, 8, 9, and all greater ones. The filter of positions near the goal makes up for the first
/// range.
const ENCODING: Encoding = Encoding::two_bits(RADIUS - 2);

/// The distances of pairings with parity up to [`RADIUS`].
pub(super) struct NearPairings<'a>(pub(super) &'a PairingSpace);

impl TableSpec for NearPairings<'_> {
    fn label(&self) -> String {
        "reduction-near-pairings".to_owned()
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
        let PairingSpace {
            turns, pairings, ..
        } = self.0;
        let codes = (0..ENTRIES / 4).map(|_| AtomicU8::new(u8::MAX));
        let mut step = PairingStep {
            pairings,
            turns: turns.moves().len(),
            wide: turns.which(is_wide),
            codes: &codes.collect::<Vec<_>>(),
            code: ENCODING.code(0),
        };
        let goal = entry(goal_index(pairings), false);
        step.reach(goal);
        let mut level = vec![goal];
        let mut distribution = Distribution::default();
        let mut reached = 0;
        for distance in 0..=RADIUS {
            let counts = level.par_chunks(CHUNK).map(|entries| step.count(entries));
            let [positions, unique] = counts.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
            distribution.add(distance.into(), positions, unique);
            reached += level.len();
            progress(of_near(distance, reached));
            if distance < RADIUS {
                step.code = ENCODING.code(distance + 1);
                let chunks = level.par_chunks(CHUNK);
                level = chunks.flat_map_iter(|entries| step.next(entries)).collect();
            }
        }
        Ok(Built {
            payload: step
                .codes
                .iter()
                .map(|byte| byte.load(Ordering::Relaxed))
                .collect(),
            distribution,
        })
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        let built = self.build(&|_| ());
        built.is_ok_and(|built| built.payload == table.payload())
    }
}

/// The progress when this many near entries have been reached.
fn of_near(distance: u8, reached: usize) -> BuildProgress {
    BuildProgress::of_share(distance, reached as f64 / NEAR as f64, ENTRIES)
}

/// The number of entries in a unit of work of a thread.
const CHUNK: usize = 1 << 10;

/// A step of the search, from the entries at one distance to those at the next.
#[derive(Clone, Copy)]
struct PairingStep<'a> {
    pairings: &'a Pairings,
    turns: usize,
    wide: TurnSet,
    /// The codes of the entries. Those that have not been reached have [`FAR`].
    codes: &'a [AtomicU8],
    /// The code of the entries that the step reaches.
    code: u8,
}

/// The code of all distances greater than [`RADIUS`].
const FAR: u8 = 3;

impl PairingStep<'_> {
    /// Marks an entry as reached. Returns whether it was unreached.
    #[inline(always)]
    fn reach(self, entry: u32) -> bool {
        let (byte, shift) = (&self.codes[entry as usize / 4], entry % 4 * 2);
        let is_far = |byte: u8| byte >> shift & FAR == FAR;
        // An atomic update takes much longer than a load.
        is_far(byte.load(Ordering::Relaxed))
            && is_far(byte.fetch_and(!((FAR - self.code) << shift), Ordering::Relaxed))
    }

    /// The unreached entries one turn away from entries, which are marked as reached.
    fn next(self, entries: &[u32]) -> Vec<u32> {
        let mut into = Vec::new();
        simd::run(ExpandPairings {
            step: self,
            entries,
            into: &mut into,
        });
        into
    }

    /// The number of positions that entries stand for, and that up to symmetry.
    fn count(self, entries: &[u32]) -> [u64; 2] {
        simd::run(Count {
            pairings: self.pairings,
            entries,
        })
    }
}

struct ExpandPairings<'a> {
    step: PairingStep<'a>,
    entries: &'a [u32],
    into: &'a mut Vec<u32>,
}

impl WithSimd for ExpandPairings<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let PairingStep {
            pairings,
            turns,
            wide,
            codes,
            ..
        } = self.step;
        for &from in self.entries {
            let (pairing, odd) = (pairings.unrank(from as usize / 2), from % 2 == 1);
            let parity = |turn: usize| odd ^ (wide >> turn & 1 == 1);
            let mut neighbours = [(PAIRED, Ranked { index: 0, sym: 0 }); TURNS];
            for (turn, (image, to)) in neighbours.iter_mut().enumerate().take(turns) {
                *image = pairings.turned(simd, pairing, turn);
                *to = pairings.rank(simd, *image);
                prefetch(&codes[entry(to.index, parity(turn)) as usize / 4]);
            }
            for (turn, &(image, to)) in neighbours.iter().enumerate().take(turns) {
                let mut reach = |index: u32| {
                    let entry = entry(index, parity(turn));
                    let is_new = self.step.reach(entry);
                    if is_new {
                        self.into.push(entry);
                    }
                    is_new
                };
                let stabiliser = pairings.stabiliser(to.index as usize / RESTS);
                if reach(to.index) && stabiliser != 1 {
                    let image = pairings.conjugated(simd, image, to.sym.into());
                    for sym in (1..SYMMETRIES).filter(|sym| stabiliser >> sym & 1 == 1) {
                        reach(
                            pairings
                                .rank(simd, pairings.conjugated(simd, image, sym))
                                .index,
                        );
                    }
                }
            }
        }
    }
}

struct Count<'a> {
    pairings: &'a Pairings,
    entries: &'a [u32],
}

impl WithSimd for Count<'_> {
    type Output = [u64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [u64; 2] {
        let [mut positions, mut unique] = [0; 2];
        for &entry in self.entries {
            let index = entry as usize / 2;
            let stabiliser = self.pairings.stabiliser(index / RESTS);
            positions += SYMMETRIES as u64 / u64::from(stabiliser.count_ones());
            unique += u64::from(self.pairings.is_first(simd, index));
        }
        [positions, unique]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::table::{RangeTable, table_of};

    #[test]
    fn as_many_entries_are_near_as_is_known() {
        let space = PairingSpace::new();
        let near = NearPairings(&space);
        let reached = Mutex::new(Vec::new());
        let built = near.build(&|progress| reached.lock().unwrap().push(progress.reached));
        let built = built.unwrap();
        // As in the whole table: 1, 3, 12, 46, … entries at each distance.
        let known = [1, 4, 16, 62, 361, 2_071, 13_501, 88_132, 573_421, NEAR];
        let progress = reached.into_inner().unwrap();
        assert_eq!(progress, known.map(|reached| of_near(0, reached).reached));
        assert_eq!(progress[9], ENTRIES);
        assert_eq!(built.distribution.positions[..2], [1, 3]);
        let table = RangeTable::new(table_of(built.payload, near.encoding())).unwrap();
        let mut with_bound = [0; 11];
        for entry in 0..ENTRIES as u32 {
            with_bound[usize::from(table.bound(entry))] += 1;
        }
        assert_eq!(with_bound[0], known[7]);
        assert_eq!(
            with_bound[8..10],
            [known[8] - known[7], known[9] - known[8]]
        );
        assert_eq!(with_bound[10], ENTRIES - known[9]);
        assert_eq!(table.bound(entry(goal_index(&space.pairings), false)), 0);
    }
}
