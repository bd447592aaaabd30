//! Phases for tests.

use super::ThreeByThree;
use super::phases::{self, PhaseOne, PhaseTwo, subgroup_filter};
use super::ways::RADIUS;
use crate::coord::combinatorics::PERMUTATIONS_8;
use crate::stage::Projection;
use crate::table::{Encoding, Filter, Monitor, RangeTable, TableSpec, table_of};

/// The first phase with a table that bounds nothing.
pub(super) fn one_without_bounds() -> PhaseOne<RangeTable> {
    let [space, _] = ThreeByThree::new().unwrap().0;
    let encoding = Encoding::two_bits(phases::FIRST_RANGE_ONE);
    let bytes = encoding.bytes(space.entries(Projection::Whole) as u64);
    let table = table_of(vec![0; bytes as usize], encoding);
    PhaseOne::new(space, RangeTable::new(table).unwrap())
}

/// The first phase with a filter.
pub(super) fn one_with_filter() -> PhaseOne<Filter> {
    let [space, _] = ThreeByThree::new().unwrap().0;
    let spec = subgroup_filter(&space);
    let table = table_of(
        spec.build(&Monitor::default()).unwrap().payload,
        spec.encoding(),
    );
    PhaseOne::new(space, Filter::new(table, RADIUS + 1).unwrap())
}

/// The second phase with a table that bounds nothing.
pub(super) fn two_without_bounds() -> PhaseTwo {
    let [_, space] = ThreeByThree::new().unwrap().0;
    let encoding = Encoding::two_bits(phases::FIRST_RANGE_TWO);
    let bytes = encoding.bytes((space.classes.count() * PERMUTATIONS_8) as u64);
    let table = table_of(vec![0; bytes as usize], encoding);
    PhaseTwo::new(space, RangeTable::new(table))
}
