//! The positions of the first phase, and its table.

use std::sync::Arc;

use super::super::declaration::{SUBGROUP, THREE_BY_THREE};
use super::super::guide::Guide;
use super::super::turns::{State, TurnSet, Turns, is_quarter};
use super::cubies::Cubies;
use super::subgroup::{PhaseBounds, RADIUS, near_subgroup};
use crate::cube::{Axis, AxisMove};
use crate::stage::{NearTable, Position, Space};

/// The end of the first range of the table. Distances up to 6 are known without the table, so 7 is, too.
pub(super) const LEAST: u8 = 7;
/// The number of turns.
pub(super) const TURNS: usize = 18;

/// The first phase with its tables.
pub(super) struct PhaseOne {
    pub(super) space: Arc<Space>,
    pub(super) turns: Turns,
    pub(super) table: PhaseBounds,
    pub(super) near: NearTable<Guide>,
}

/// A position, with the state of the sequence that led there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeOne {
    pub(super) position: Position,
    pub(super) state: State,
}

impl PhaseOne {
    pub(super) fn new(space: Arc<Space>, table: PhaseBounds) -> PhaseOne {
        let turns = Turns::new(THREE_BY_THREE, SUBGROUP);
        // A turn has the same number as a generator of the declared stage.
        assert_eq!(turns.moves(), space.generators.moves);
        PhaseOne {
            near: near_subgroup(&space),
            space,
            turns,
            table,
        }
    }

    /// The coordinates of a reduced cube. Prefetches what [`PhaseOne::node`] reads.
    pub(super) fn coordinates(&self, cubies: &Cubies) -> [usize; 2] {
        let flip_slice = cubies.flip_slice();
        self.space.prefetch_class(flip_slice);
        [flip_slice, cubies.twist()]
    }

    /// The position with some coordinates, before any turn.
    pub(super) fn node(&self, [flip_slice, twist]: [usize; 2]) -> NodeOne {
        NodeOne {
            position: self.space.position_of(flip_slice, twist),
            state: self.turns.start(AxisMove::STILL),
        }
    }

    /// A lower bound of the distance.
    pub(super) fn bound(&self, position: &Position) -> u8 {
        let key = self.space.key(position);
        match self.table.bound(key) {
            0 => self
                .near
                .get(key)
                .map_or(RADIUS + 1, |guide| guide.distance()),
            bound => bound,
        }
    }

    /// The turns that lead out of the subgroup.
    pub(super) fn leaving(&self) -> TurnSet {
        self.turns
            .which(|mv| mv.axis() != Axis::Y && is_quarter(mv))
    }
}

/// The first phase with a table that bounds nothing.
#[cfg(test)]
pub(super) fn without_bounds() -> PhaseOne {
    use crate::stage::Projection;
    use crate::table::{Encoding, RangeTable, table_of};

    let [space, _] = super::spaces().unwrap();
    let encoding = Encoding::two_bits(LEAST);
    let bytes = encoding.bytes(space.entries(Projection::Whole) as u64);
    let table = table_of(vec![0; bytes as usize], encoding);
    PhaseOne::new(
        Arc::new(space),
        PhaseBounds::Ranges(RangeTable::new(table).unwrap()),
    )
}

/// The first phase with a filter.
#[cfg(test)]
pub(super) fn with_filter() -> PhaseOne {
    use super::subgroup::SubgroupFilter;
    use crate::table::{Filter, TableSpec, table_of};

    let [space, _] = super::spaces().unwrap();
    let spec = SubgroupFilter(&space);
    let table = table_of(spec.build(&|_| ()).unwrap().payload, spec.encoding());
    let filter = PhaseBounds::Near(Filter::new(table).unwrap());
    PhaseOne::new(Arc::new(space), filter)
}
