//! Both phases with their tables.

use std::sync::Arc;

use super::cubies::shuffle;
use super::near_subgroup::{NearSubgroup, RADIUS};
use super::phase_one::{PhaseOneNode, PhaseOneSpace};
use super::phase_two::PhaseTwo;
use super::roots::Premoves;
use crate::simd::Shuffle32;
use crate::table::{Table, TwoBitTable};

/// Both phases with their tables.
pub struct ThreeByThree {
    pub(super) space: Arc<PhaseOneSpace>,
    pub(super) table: TwoBitTable,
    pub(super) near: NearSubgroup,
    pub(super) two: PhaseTwo,
    pub(super) premoves: Premoves,
    pub(super) shuffles: Vec<Shuffle32>,
}

impl ThreeByThree {
    /// The phases with their tables.
    #[must_use]
    pub fn new(space: Arc<PhaseOneSpace>, table: Arc<Table>, two: PhaseTwo) -> ThreeByThree {
        ThreeByThree {
            near: NearSubgroup::new(&space),
            premoves: Premoves::new(&space),
            shuffles: space.turns.moves().iter().map(|&mv| shuffle(mv)).collect(),
            table: TwoBitTable::new(table).expect("the table is of two bits an entry"),
            space,
            two,
        }
    }

    /// A lower bound of the first phase.
    pub(super) fn bound(&self, node: PhaseOneNode) -> u8 {
        let at = self.space.reduced(node);
        match self.table.bound(at.index()) {
            0 => self
                .near
                .guide(at)
                .map_or(RADIUS + 1, |guide| guide.distance),
            bound => bound,
        }
    }
}
