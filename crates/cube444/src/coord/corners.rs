//! Coordinates of the eight corners.

use super::combinatorics::{
    PERMUTATIONS_8, Permutation8, permutation_unrank, try_permutation_rank,
};
use super::coordinate::values;
use super::half_turns::{COSETS, HALF_TURNS, ORDER};
use super::{Coordinate, UNDEFINED};
use crate::cube::Cube;
use crate::cube::layout::CORNERS;
use crate::cube::state::corner_carried;

/// The twists of the corners: 3^7 = 2,187 values.
///
/// The twist of a corner is the axis of its U or D sticker, relative to its place. The last twist follows
/// from the others.
#[derive(Clone, Copy, Debug)]
pub struct CornerTwist;

impl Coordinate for CornerTwist {
    values!(Corners, 3usize.pow(CORNERS as u32 - 1));

    fn rank(&self, cube: &Cube) -> usize {
        (0..CORNERS - 1).fold(0, |rank, slot| rank * 3 + cube.twist(slot))
    }

    fn write(&self, mut index: usize, cube: &mut Cube) {
        let mut sum = 0;
        for slot in (0..CORNERS - 1).rev() {
            let twist = index % 3;
            index /= 3;
            sum += twist;
            cube.corners[slot] = corner_carried(slot, slot, twist);
        }
        cube.corners[CORNERS - 1] = corner_carried(CORNERS - 1, CORNERS - 1, 2 * sum % 3);
    }
}

/// The arrangement of corners: for each place, the home of the corner there.
pub fn arrangement(cube: &Cube) -> Permutation8 {
    std::array::from_fn(|slot| cube.corner_home(slot) as u8)
}

/// Places untwisted corners in an arrangement.
pub fn arrange(cube: &mut Cube, arrangement: &Permutation8) {
    cube.corners = std::array::from_fn(|slot| corner_carried(arrangement[slot].into(), slot, 0));
}

/// The permutation of the corners: 8! = 40,320 values, in the lexicographic order of homes by place.
#[derive(Clone, Copy, Debug)]
pub struct CornerPermutation;

impl Coordinate for CornerPermutation {
    values!(Corners, PERMUTATIONS_8);

    fn rank(&self, cube: &Cube) -> usize {
        try_permutation_rank(&arrangement(cube)).unwrap_or(UNDEFINED)
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        arrange(cube, &permutation_unrank(index));
    }
}

/// The arrangement of the corners up to half turns: 8!/96 = 420 values. Corners must be untwisted.
#[derive(Clone, Copy, Debug)]
pub struct CornerCoset;

impl Coordinate for CornerCoset {
    values!(Corners, COSETS);

    fn rank(&self, cube: &Cube) -> usize {
        HALF_TURNS.cosets.of(&arrangement(cube))
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        arrange(cube, &HALF_TURNS.cosets.representatives[index]);
    }
}

/// The arrangement of the corners among the 96 that half turns can solve.
#[derive(Clone, Copy, Debug)]
pub struct CornerArrangement;

impl Coordinate for CornerArrangement {
    values!(Corners, ORDER);

    fn rank(&self, cube: &Cube) -> usize {
        let rank = HALF_TURNS.element_rank(&arrangement(cube));
        rank.unwrap_or(UNDEFINED)
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        arrange(cube, &HALF_TURNS.elements[index]);
    }
}
