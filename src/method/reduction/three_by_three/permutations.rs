//! The permutations that the second phase undoes.

use super::super::dedges::{DEDGES, dedge_of, orbits};
use super::flip_slice::{SLICE, put};
use crate::coord::Coordinate;
use crate::coord::combinatorics::{
    PERMUTATIONS_8, Permutation8, permutation_rank, permutation_unrank,
};
use crate::cube::state::corner_carried;
use crate::cube::{Cube, Pieces};

/// Arrangements of the four dedges that run along y.
pub(super) const SLICES: usize = 24;

/// The arrangement of the corners: 8! values.
pub(super) struct Corners;

impl Coordinate for Corners {
    fn name(&self) -> String {
        "corner-permutation".to_owned()
    }

    fn pieces(&self) -> Pieces {
        Pieces::Corners
    }

    fn size(&self) -> usize {
        PERMUTATIONS_8
    }

    fn rank(&self, cube: &Cube) -> usize {
        permutation_rank(&std::array::from_fn(|slot| cube.corner_home(slot) as u8))
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        for (slot, &home) in permutation_unrank(index).iter().enumerate() {
            cube.corners[slot] = corner_carried(home.into(), slot, 0);
        }
    }
}

fn dedge_at(cube: &Cube, place: usize) -> u8 {
    dedge_of(cube.wing(orbits().wing(0, place))) as u8
}

/// The arrangement of the eight dedges of the U and D faces, which must be in these: 8! values.
pub(super) struct OuterEdges;

impl Coordinate for OuterEdges {
    fn name(&self) -> String {
        "outer-edge-permutation".to_owned()
    }

    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        PERMUTATIONS_8
    }

    fn rank(&self, cube: &Cube) -> usize {
        permutation_rank(&std::array::from_fn(|place| dedge_at(cube, place)))
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        for (place, &dedge) in permutation_unrank(index).iter().enumerate() {
            put(cube, place, dedge.into(), 0);
        }
    }
}

/// The number of an arrangement of the four dedges that run along y, by their homes.
#[inline]
pub(super) fn slice_rank(homes: [u8; 4]) -> usize {
    let eight: Permutation8 = [
        0,
        1,
        2,
        3,
        homes[0] - 4,
        homes[1] - 4,
        homes[2] - 4,
        homes[3] - 4,
    ];
    permutation_rank(&eight)
}

/// The arrangement of the four dedges that run along y, which must be in their places: 24 values.
pub(super) struct Slice;

impl Coordinate for Slice {
    fn name(&self) -> String {
        "slice-permutation".to_owned()
    }

    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        SLICES
    }

    fn rank(&self, cube: &Cube) -> usize {
        slice_rank(std::array::from_fn(|i| dedge_at(cube, SLICE + i)))
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        // The last four of eight, the first four being at home.
        let eight = permutation_unrank(index);
        for place in SLICE..DEDGES {
            put(cube, place, usize::from(eight[place - 4]) + 4, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_numbered_without_gaps() {
        let coordinates: [&dyn Coordinate; 3] = [&Corners, &OuterEdges, &Slice];
        for coordinate in coordinates {
            for index in 0..coordinate.size() {
                assert_eq!(coordinate.rank(&coordinate.unrank(index)), index);
            }
        }
    }
}
