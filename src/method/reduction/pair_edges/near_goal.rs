//! Which positions of the third stage are near its goal.
//!
//! The stage's position is a pairing with the centers and the parity: 7·10¹², too many
//! for a table. But all positions up to some distance from the goal are listed, in a Bloom filter
//! whose bits for one position are all in one cache line. A position is entered once for every
//! distance from its own to the radius, so that one line answers for each number of turns left
//! whether they can suffice: surely not, or probably.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::table::{Encoding, Table, prefetch};

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

    pub(super) fn index(self) -> usize {
        (self.0 >> CENTER_BITS) as usize
    }

    pub(super) fn centers(self) -> u16 {
        (self.0 & ((1 << CENTER_BITS) - 1)) as u16
    }
}

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;
/// Words of 64 bits in a cache line.
pub(super) const WORDS: usize = LINE / 8;

/// Where a position is entered for a distance: a line, and in it one bit in each of some words.
#[derive(Clone, Copy, Default)]
pub(super) struct Probe {
    pub(super) line: usize,
    bits: u64,
}

/// Bits that are set for one entry.
pub(super) const PROBES: u32 = 5;

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
    pub(super) fn new(key: Key, distance: u8, lines: usize) -> Probe {
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
pub(super) struct NearGoalFilter {
    table: Arc<Table>,
    lines: usize,
    radius: u8,
}

impl NearGoalFilter {
    /// A filter as its file has it; `None` if the table is none.
    pub(super) fn new(table: Arc<Table>) -> Option<NearGoalFilter> {
        let encoding = table.header().identity.encoding;
        let radius = encoding.largest_code;
        (encoding == Encoding::filter(radius)).then(|| NearGoalFilter {
            lines: table.payload().len() / LINE,
            radius,
            table,
        })
    }

    /// The greatest distance that is entered.
    #[inline(always)]
    pub(super) fn radius(&self) -> u8 {
        self.radius
    }

    /// Where a position is entered if it is at most so far from the goal; `distance` must not be
    /// greater than the radius.
    #[inline(always)]
    pub(super) fn probe(&self, key: Key, distance: u8) -> Probe {
        Probe::new(key, distance, self.lines)
    }

    /// Asks for the line of a probe, which will be read soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, probe: Probe) {
        prefetch(&self.table.payload()[probe.line * LINE]);
    }

    /// Whether something is entered there, or seems to be.
    #[inline(always)]
    pub(super) fn has(&self, probe: Probe) -> bool {
        is_set(self.table.payload(), probe)
    }
}

/// Whether a position is entered for a distance, or seems to be.
#[inline(always)]
pub(super) fn is_entered(payload: &[u8], lines: usize, key: Key, distance: u8) -> bool {
    is_set(payload, Probe::new(key, distance, lines))
}

#[inline(always)]
fn is_set(payload: &[u8], probe: Probe) -> bool {
    let line = &payload[probe.line * LINE..][..LINE];
    let (words, _) = line.as_chunks::<8>();
    probe
        .each()
        .all(|(word, bit)| u64::from_le_bytes(words[word % WORDS]) & bit != 0)
}

/// Enters what belongs there.
pub(super) fn enter(words: &[AtomicU64], probe: Probe) {
    for (word, bit) in probe.each() {
        let word = &words[probe.line * WORDS + word];
        // Setting a bit takes much longer than seeing that it is set.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_threads_enter_at_the_same_time_is_there() {
        const LINES: usize = 2;
        let words: Vec<AtomicU64> = (0..LINES * WORDS).map(|_| AtomicU64::new(0)).collect();
        let keys = |thread: u32| (0..8).map(move |i| Key::new(8 * i + thread, 0));
        thread::scope(|scope| {
            for thread in 0..4 {
                let words = &words;
                scope.spawn(move || {
                    keys(thread).for_each(|key| enter(words, Probe::new(key, 3, LINES)));
                });
            }
        });
        let payload: Vec<u8> = words
            .iter()
            .flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes())
            .collect();
        let is_there = |key| is_entered(&payload, LINES, key, 3);
        assert!((0..4).flat_map(keys).all(is_there));
        assert!(!(4..8).flat_map(keys).any(is_there));
    }
}
