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
