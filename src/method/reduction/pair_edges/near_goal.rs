//! Which positions of the third stage are near its goal.
//!
//! The stage's position is a pairing with the centers and the parity: 7·10¹², too many for a table. But
//! all positions up to some distance from the goal are in a [`Filter`](crate::table::Filter), by their
//! keys.

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

impl From<Key> for u64 {
    #[inline(always)]
    fn from(key: Key) -> u64 {
        key.0
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
