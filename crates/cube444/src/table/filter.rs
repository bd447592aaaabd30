//! A Bloom filter of the positions near a goal.
//!
//! The bits of an entry are in one cache line. A position is entered for every distance from its own to
//! the radius, so one lookup tells whether it is within a distance: no, or probably.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::builder::{BuildError, BuildProgress, Monitor};
use super::header::{Distribution, Encoding};
use super::levels::{CHUNK, KeyGraph, PART, levels};
use super::lookup::Bounds;
use super::map::prefetch;
use super::opened::Table;
use super::spec::{Built, TableSpec};

/// Bytes of a cache line.
const LINE: usize = 64;
/// The number of bits set for an entry.
const PROBES: u32 = 5;

/// The entry of a position at a distance: a cache line, and bits in it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Probe {
    line: usize,
    bits: u64,
}

/// Mixes a number, so that every bit of the result depends on every bit of the number.
#[inline(always)]
fn mixed(number: u64) -> u64 {
    // The finishing steps of the SplitMix64 generator (Steele, Lea and Flood, 2014).
    let a = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ a >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ b >> 31
}

impl Probe {
    #[inline(always)]
    fn new(key: u64, distance: u8, lines: usize) -> Probe {
        let of_key = mixed(key);
        Probe {
            line: ((u128::from(of_key) * lines as u128) >> 64) as usize,
            bits: mixed(of_key ^ u64::from(distance).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    }

    /// The byte of the line, and the bit in it, of each probe.
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = (usize, u8)> {
        (0..PROBES).map(move |i| {
            let nine = self.bits >> (9 * i) & 0x1ff;
            ((nine >> 3) as usize, 1 << (nine & 7))
        })
    }
}

/// A Bloom filter of the positions up to a distance from a goal. A position is given by its key.
pub(crate) struct Filter {
    table: Arc<Table>,
    lines: usize,
    nearest: u8,
    /// The maximum distance that is entered.
    pub(crate) radius: u8,
}

impl Filter {
    /// A view of a table; `None` if the table is not a filter. `nearest` is the minimum distance at which positions were
    /// entered.
    pub(crate) fn new(table: Arc<Table>, nearest: u8) -> Option<Filter> {
        let encoding = table.header().identity.encoding;
        let radius = encoding.largest_code;
        (encoding == Encoding::filter(radius)).then(|| Filter {
            lines: table.payload().len() / LINE,
            nearest,
            radius,
            table,
        })
    }

    /// The entry of a position at `distance`, which must not exceed the radius.
    #[inline(always)]
    pub(crate) fn probe(&self, key: u64, distance: u8) -> Probe {
        Probe::new(key, distance, self.lines)
    }

    /// Prefetches the cache line of a probe.
    #[inline(always)]
    pub(crate) fn prefetch_probe(&self, probe: Probe) {
        prefetch(&self.table.payload()[probe.line * LINE]);
    }

    /// Whether all bits of a probe are set.
    #[inline(always)]
    pub(crate) fn has(&self, probe: Probe) -> bool {
        is_set(self.table.payload(), probe)
    }

    /// The first distance from `from` on that a position may have, at most one more than the radius.
    #[inline(always)]
    pub(crate) fn bound_from(&self, key: u64, from: u8) -> u8 {
        let mut distances = from..=self.radius;
        let first = distances.find(|&distance| self.has(self.probe(key, distance)));
        first.unwrap_or(self.radius + 1)
    }
}

impl Bounds for Filter {
    #[inline(always)]
    fn prefetch(&self, key: u64) {
        self.prefetch_probe(self.probe(key, 0));
    }

    #[inline(always)]
    fn bound(&self, key: u64) -> u8 {
        match self.bound_from(key, self.nearest) {
            nearest if nearest == self.nearest => 0,
            distance => distance,
        }
    }

    /// `limit` is at least the minimum distance at which positions were entered.
    #[inline(always)]
    fn exceeds(&self, key: u64, limit: u8) -> bool {
        limit <= self.radius && !self.has(self.probe(key, limit))
    }
}

#[inline(always)]
fn is_set(payload: &[u8], probe: Probe) -> bool {
    let line = &payload[probe.line * LINE..][..LINE];
    // Without a branch for each bit, which would often be mispredicted.
    let missing = |missing, (byte, bit): (usize, u8)| missing | (bit & !line[byte % LINE]);
    probe.each().fold(0, missing) == 0
}

/// The filter of the positions near the goal of a graph.
pub(crate) struct NearGoalFilter<'a, G> {
    pub(crate) graph: &'a G,
    /// The label of the table.
    pub(crate) label: &'static str,
    /// The least distance at which positions are entered.
    pub(crate) nearest: u8,
    /// The maximum distance of the positions that are entered; at least 1.
    pub(crate) radius: u8,
    /// The length in bytes, a multiple of 64.
    pub(crate) bytes: usize,
}

/// Why [`levels`] cannot be cancelled.
const UNSTOPPED: &str = "the default monitor never cancels";

/// The greatest distance of the positions that a check looks up.
const SAMPLED: u8 = 6;

impl<G: KeyGraph> NearGoalFilter<'_, G> {
    /// The number of positions at each distance below the radius.
    pub(crate) fn distribution(&self) -> Distribution {
        let monitor = Monitor::default();
        levels(self.graph, self.radius, PART, &monitor, |_, _, _| Ok(())).expect(UNSTOPPED)
    }
}

impl<G: KeyGraph> TableSpec for NearGoalFilter<'_, G> {
    fn label(&self) -> String {
        self.label.to_owned()
    }

    fn entries(&self) -> u64 {
        8 * self.bytes as u64
    }

    fn encoding(&self) -> Encoding {
        Encoding::filter(self.radius)
    }

    /// In large pages, level 4 of `reduction` with full tables takes 0.88 of the time.
    fn prefers_memory(&self) -> bool {
        true
    }

    fn fingerprint(&self) -> u128 {
        let mut hash = self.graph.fingerprint();
        // Files from before it was hashed have 0.
        let nearest = (self.nearest > 0).then_some(self.nearest.into());
        for number in [self.radius.into(), PROBES].into_iter().chain(nearest) {
            hash.update(&u32::to_le_bytes(number));
        }
        hash.digest128()
    }

    /// The distribution is that of positions nearer than the radius.
    fn build(&self, monitor: &Monitor<'_>) -> Result<Built, BuildError> {
        let (graph, radius) = (self.graph, self.radius);
        let bytes = (0..self.bytes).map(|_| AtomicU8::new(0));
        let bytes: Vec<AtomicU8> = bytes.collect();
        let take = |distance: u8, keys: &[u64], (part, parts): (usize, usize)| {
            keys.par_chunks(CHUNK).try_for_each(|keys| {
                enter(&bytes, keys, distance.max(self.nearest)..=radius);
                monitor.check()
            })?;
            if distance + 1 == radius {
                // Nearly all the work is in this step. Neighbors that are not at the radius are nearer, and have
                // been or will be entered.
                let done = AtomicUsize::new(0);
                keys.par_chunks(CHUNK).try_for_each(|chunk| {
                    enter(&bytes, &graph.neighbors(chunk, 1), radius..=radius);
                    let done = done.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                    let share = (part as f64 + done as f64 / keys.len() as f64) / parts as f64;
                    monitor.report(BuildProgress::of_share(radius, share, 8 * self.bytes))
                })?;
            }
            Ok(())
        };
        let distribution = levels(graph, radius, PART, monitor, take)?;
        Ok(Built::new(payload_of(bytes), distribution))
    }

    /// Checks that the filter has all positions up to six turns from the goal.
    fn is_as_counted(&self, table: &Table) -> bool {
        let payload = table.payload();
        let has = |key, limit| is_set(payload, Probe::new(key, limit, payload.len() / LINE));
        let mut all_there = true;
        let sampled = SAMPLED.min(self.radius - 1);
        let take = |distance: u8, keys: &[u64], _| {
            let mut limits = distance.max(self.nearest)..=self.radius;
            all_there &= limits.all(|limit| keys.par_iter().all(|&key| has(key, limit)));
            Ok(())
        };
        let distribution = levels(self.graph, sampled + 1, PART, &Monitor::default(), take);
        let distribution = distribution.expect(UNSTOPPED);
        let header = &table.header().distribution;
        all_there
            && header.positions.starts_with(&distribution.positions)
            && header.unique.starts_with(&distribution.unique)
    }
}

/// The number of positions whose cache lines are prefetched while those before them are entered.
const BATCH: usize = 16;

/// Enters positions in the bytes of a filter at all these distances. Threads can do so at the same time.
fn enter(bytes: &[AtomicU8], keys: &[u64], distances: RangeInclusive<u8>) {
    let lines = bytes.len() / LINE;
    for distance in distances {
        let fetched = |keys: &[u64]| {
            let mut probes = [Probe::default(); BATCH];
            for (probe, &key) in probes.iter_mut().zip(keys) {
                *probe = Probe::new(key, distance, lines);
                prefetch(&bytes[probe.line * LINE]);
            }
            (probes, keys.len())
        };
        let mut batches = keys.chunks(BATCH).map(fetched);
        let mut next = batches.next();
        while let Some((probes, count)) = next {
            next = batches.next();
            for probe in &probes[..count] {
                for (byte, bit) in probe.each() {
                    let byte = &bytes[probe.line * LINE + byte];
                    // An atomic update takes much longer than a load.
                    if byte.load(Ordering::Relaxed) & bit == 0 {
                        byte.fetch_or(bit, Ordering::Relaxed);
                    }
                }
            }
        }
    }
}

/// The bytes of a filter, in the same memory.
fn payload_of(bytes: Vec<AtomicU8>) -> Vec<u8> {
    bytes.into_iter().map(AtomicU8::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::table::table_of;

    fn empty(lines: usize) -> Vec<AtomicU8> {
        (0..lines * LINE).map(|_| AtomicU8::new(0)).collect()
    }

    /// Files of filters are read by later versions, so the bits of a key must not change. They were computed by another
    /// program, from the definition of the hash.
    #[test]
    fn the_bits_of_a_key_are_those_of_earlier_versions() {
        let bytes = empty(3);
        enter(&bytes, &[1, 12_345_678_901], 2..=3);
        let payload = payload_of(bytes);
        let is_set = |&bit: &usize| payload[bit / 8] >> (bit % 8) & 1 == 1;
        let bits: Vec<usize> = (0..8 * payload.len()).filter(is_set).collect();
        let expected = [
            114, 121, 151, 196, 205, 249, 270, 273, 421, 457, 584, 588, 601, 654, 702, 833, 868,
            897, 971, 1_011,
        ];
        assert_eq!(bits, expected);
    }

    #[test]
    fn the_payload_is_not_copied() {
        let bytes = empty(2);
        let memory = bytes.as_ptr().cast();
        let payload = payload_of(bytes);
        assert_eq!(payload.as_ptr(), memory);
    }

    #[test]
    fn threads_can_enter_keys_at_the_same_time() {
        let bytes = empty(2);
        let keys = |thread: u64| (0..8).map(move |i| 8 * i + thread);
        thread::scope(|scope| {
            for thread in 0..4 {
                let bytes = &bytes;
                scope.spawn(move || enter(bytes, &keys(thread).collect::<Vec<_>>(), 3..=3));
            }
        });
        let filter = Filter::new(table_of(payload_of(bytes), Encoding::filter(3)), 3).unwrap();
        let has = |key| filter.has(filter.probe(key, 3));
        assert!((0..4).flat_map(keys).all(has));
        assert!(!(4..8).flat_map(keys).any(has));
    }
}
