//! Lower bounds of the first phase for positions that are not near its goal.

use super::near_subgroup::RADIUS;
use crate::table::{Filter, RangeTable};

/// The source of the bounds.
pub(super) enum PhaseBounds {
    /// A table of the ranges of all distances.
    Ranges(RangeTable),
    /// A filter of the positions up to a distance greater than [`RADIUS`].
    Near(Filter),
}

impl PhaseBounds {
    /// Prefetches the cache line of an entry.
    #[inline(always)]
    pub(super) fn prefetch(&self, entry: u32) {
        match self {
            PhaseBounds::Ranges(table) => table.prefetch(entry),
            PhaseBounds::Near(filter) => filter.prefetch(filter.probe(entry.into(), 0)),
        }
    }

    /// Whether the distance of an entry is known to be greater than `limit`, which is greater than [`RADIUS`].
    #[inline(always)]
    pub(super) fn exceeds(&self, entry: u32, limit: u8) -> bool {
        match self {
            PhaseBounds::Ranges(table) => table.exceeds(entry, limit),
            PhaseBounds::Near(filter) => {
                limit <= filter.radius() && !filter.has(filter.probe(entry.into(), limit))
            }
        }
    }

    /// A lower bound of the distance of an entry: 0 if it is at most [`RADIUS`] + 1, as far as is known.
    #[inline(always)]
    pub(super) fn bound(&self, entry: u32) -> u8 {
        match self {
            PhaseBounds::Ranges(table) => table.bound(entry),
            PhaseBounds::Near(filter) => {
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
