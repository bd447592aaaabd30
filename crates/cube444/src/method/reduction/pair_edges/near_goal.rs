//! The keys of the filter of positions near the goal of the third stage.
//!
//! The stage has 7·10¹² positions, too many for a table. The positions up to a distance from the goal are in
//! a [`Filter`](crate::table::Filter).

/// A position up to symmetry: the rank of the pairing, and the centers and parity after the symmetry that maps
/// the pairing to its representative. A pairing with a stabiliser has several keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GoalKey(u64);

/// The number of bits for the centers and the parity.
const CENTER_BITS: u32 = 15;

impl GoalKey {
    #[inline(always)]
    pub(super) fn new(index: u32, centers: u16) -> GoalKey {
        GoalKey(u64::from(index) << CENTER_BITS | u64::from(centers))
    }

    pub(super) fn index(self) -> usize {
        (self.0 >> CENTER_BITS) as usize
    }

    pub(super) fn centers(self) -> u16 {
        (self.0 & ((1 << CENTER_BITS) - 1)) as u16
    }
}

impl From<GoalKey> for u64 {
    #[inline(always)]
    fn from(key: GoalKey) -> u64 {
        key.0
    }
}
