//! Lower bounds of the first phase for positions that are not near its goal.

use super::near_subgroup::RADIUS;
use crate::table::{Filter, RangeTable};

/// The source of the bounds.
pub(super) enum Bounds {
    /// A table of the ranges of all distances.
    Ranges(RangeTable),
    /// A filter of the positions up to a distance greater than [`RADIUS`].
    Near(Filter),
}

impl Bounds {
    /// Prefetches the cache line of an entry.
    #[inline(always)]
    pub(super) fn prefetch(&self, entry: u32) {
        match self {
            Bounds::Ranges(table) => table.prefetch(entry),
            Bounds::Near(filter) => filter.prefetch(filter.probe(entry.into(), 0)),
        }
    }

    /// Whether the distance of an entry is known to be greater than `limit`, which is greater than [`RADIUS`].
    #[inline(always)]
    pub(super) fn exceeds(&self, entry: u32, limit: u8) -> bool {
        match self {
            Bounds::Ranges(table) => table.exceeds(entry, limit),
            Bounds::Near(filter) => {
                limit <= filter.radius() && !filter.has(filter.probe(entry.into(), limit))
            }
        }
    }

    /// A lower bound of the distance of an entry: 0 if it is at most [`RADIUS`] + 1, as far as is known.
    #[inline(always)]
    pub(super) fn bound(&self, entry: u32) -> u8 {
        match self {
            Bounds::Ranges(table) => table.bound(entry),
            Bounds::Near(filter) => {
                let has = |&distance: &u8| filter.has(filter.probe(entry.into(), distance));
                match (RADIUS + 1..=filter.radius()).find(has) {
                    Some(distance) if distance == RADIUS + 1 => 0,
                    Some(distance) => distance,
                    None => filter.radius() + 1,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::phase_one::with_filter;
    use super::super::subgroup_levels::{SubgroupLevels, entry};
    use super::*;
    use crate::stage::Projection;

    #[test]
    fn a_filter_tells_positions_within_its_radius_from_nearly_all_others() {
        let phase = with_filter();
        let space = &*phase.space;
        let Bounds::Near(filter) = &phase.table else {
            panic!("the bounds are a filter");
        };
        let radius = filter.radius();
        assert_eq!(radius, RADIUS + 1);
        let exceeds = |entry| phase.table.exceeds(entry, radius);
        let nearest = &SubgroupLevels::new(space, RADIUS).levels;
        for position in nearest.last().unwrap().iter().step_by(101) {
            for turn in 0..space.generators().len() {
                let child = space.child(position, turn as u8);
                assert!(!exceeds(entry(space, &child)));
            }
        }
        let all = (0..space.entries(Projection::Whole) as u32).step_by(10_007);
        let (count, far) = (all.len(), all.filter(|&entry| exceeds(entry)).count());
        assert!(far > count * 95 / 100, "{far} of {count}");
    }
}
