//! Guides: distances near a goal, with the turns that lead nearer.

use super::turns::TurnSet;

/// For a position near a goal: its distance, the turns that lead nearer, the turns that keep the distance,
/// and an index for more data. Packed into 64 bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guide(u64);

/// The greatest number of turns of a stage with guides.
pub(super) const MOST_TURNS: usize = 23;
/// All turns.
const ALL: TurnSet = (1 << MOST_TURNS) - 1;
const INDEX_SHIFT: u32 = 2 * MOST_TURNS as u32;
const DISTANCE_SHIFT: u32 = 60;

impl Guide {
    /// The guide of a position at `distance`, below 16, given the distance after each turn, if known.
    pub(super) fn new(distance: u8, after: impl IntoIterator<Item = Option<u8>>) -> Guide {
        let mut guide = u64::from(distance) << DISTANCE_SHIFT;
        for (turn, after) in after.into_iter().enumerate() {
            match after {
                Some(after) if after < distance => guide |= 1 << turn,
                Some(after) if after == distance => guide |= 1 << (turn + MOST_TURNS),
                _ => {}
            }
        }
        Guide(guide)
    }

    /// The same guide with an index below 2^14.
    pub(super) fn with_index(self, index: usize) -> Guide {
        assert!(index < 1 << (DISTANCE_SHIFT - INDEX_SHIFT), "{index}");
        Guide(self.0 | (index as u64) << INDEX_SHIFT)
    }

    /// The distance.
    #[inline(always)]
    pub(super) fn distance(self) -> u8 {
        (self.0 >> DISTANCE_SHIFT) as u8
    }

    /// The index.
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        let bits = DISTANCE_SHIFT - INDEX_SHIFT;
        (self.0 >> INDEX_SHIFT) as usize & ((1 << bits) - 1)
    }

    /// The turns after which `left` more turns may suffice.
    #[inline(always)]
    pub(super) fn leading(self, left: u8) -> TurnSet {
        let (nearer, level) = (self.0 as TurnSet, (self.0 >> MOST_TURNS) as TurnSet);
        match (left + 1).checked_sub(self.distance()) {
            None => 0,
            Some(0) => nearer & ALL,
            Some(1) => (nearer | level) & ALL,
            Some(_) => ALL,
        }
    }
}
