//! Coordinates of the 24 wings.

use super::combinatorics::{Permutation8, binomial, dealt, is_odd, subset_rank, subset_unrank};
use super::coordinate::values;
use super::edges::is_in_orbit;
use super::half_turns::{COSETS, HALF_TURNS, ORDER};
use super::{Coordinate, UNDEFINED};
use crate::cube::layout::WINGS;
use crate::cube::{Axis, Cube};

/// Whether a wing place (or home) is in the u and d layers.
fn is_ud(slot: usize) -> bool {
    slot >> 3 == Axis::Y as usize
}

/// The places of the eight wings of the u and d layers: C(24,8) = 735,471 values.
#[derive(Clone, Copy, Debug)]
pub struct WingPlaces;

impl Coordinate for WingPlaces {
    values!(Wings, binomial(WINGS, 8));

    fn rank(&self, cube: &Cube) -> usize {
        let own = (0..WINGS).filter(|&slot| is_ud(cube.wing(slot)));
        subset_rank(own.map(|slot| 1 << slot).sum())
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let homes = dealt(subset_unrank(index, 8), 0..WINGS, |&home| is_ud(home));
        for (slot, home) in homes.enumerate() {
            cube.wings[slot] = home as u8;
        }
    }
}

/// The arrangement of the eight wings of an axis: a permutation if they are in their places.
fn arrangement(cube: &Cube, axis: Axis) -> Permutation8 {
    let first = 8 * axis as usize;
    std::array::from_fn(|octant| cube.wings[first + octant].wrapping_sub(first as u8))
}

fn arrange(cube: &mut Cube, axis: Axis, arrangement: &Permutation8) {
    let first = 8 * axis as usize;
    for (octant, &home) in arrangement.iter().enumerate() {
        cube.wings[first + octant] = first as u8 + home;
    }
}

/// The arrangement of the wings of the u and d layers up to half turns: 8!/96 = 420 values. They must be in
/// these layers.
#[derive(Clone, Copy, Debug)]
pub struct WingCoset;

impl Coordinate for WingCoset {
    values!(Wings, COSETS);

    fn rank(&self, cube: &Cube) -> usize {
        let rank = HALF_TURNS.cosets.rank(&arrangement(cube, Axis::Y));
        rank.unwrap_or(UNDEFINED)
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        arrange(cube, Axis::Y, &HALF_TURNS.cosets.representatives[index]);
    }
}

/// The number of wings in the U and D layers.
pub const OUTER_WINGS: usize = 16;

/// The place (or home) with an index among the sixteen in the U and D layers.
pub fn outer_wing(index: usize) -> usize {
    if index < 8 { index } else { index + 8 }
}

/// Whether a place (or home) in the U and D layers is in the right-handed orbit, one of two that turns of U
/// and D and half turns keep separate.
pub fn is_right_handed(slot: usize) -> bool {
    !is_in_orbit(Axis::Z, slot)
}

/// The places of the right-handed wings among the sixteen in the U and D layers, and the parity of the
/// sixteen wings: C(16,8)·2 = 25,740 values. The wings of the u and d layers must be in these layers.
#[derive(Clone, Copy, Debug)]
pub struct WingHands;

impl Coordinate for WingHands {
    values!(Wings, binomial(OUTER_WINGS, 8) * 2);

    fn rank(&self, cube: &Cube) -> usize {
        let mut mask = 0;
        let homes: [u8; OUTER_WINGS] = std::array::from_fn(|index| {
            let home = cube.wing(outer_wing(index));
            mask |= u32::from(is_right_handed(home)) << index;
            home as u8
        });
        2 * subset_rank(mask) + usize::from(is_odd(&homes))
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let mask = subset_unrank(index / 2, 8);
        let homes = (0..OUTER_WINGS).map(outer_wing);
        for (place, home) in dealt(mask, homes, |&home| is_right_handed(home)).enumerate() {
            cube.wings[outer_wing(place)] = home as u8;
        }
        if self.rank(cube) != index {
            // To change the parity, swap two wings of the same hand.
            let [a, b] = [mask, mask & (mask - 1)].map(|left| left.trailing_zeros() as usize);
            cube.wings.swap(outer_wing(a), outer_wing(b));
        }
    }
}

/// The arrangement of the eight wings of each axis among the 96 that half turns can solve: 96³ = 884,736
/// values.
#[derive(Clone, Copy, Debug)]
pub struct WingArrangement;

impl Coordinate for WingArrangement {
    values!(Wings, ORDER.pow(3));

    fn rank(&self, cube: &Cube) -> usize {
        let ranked = Axis::ALL.into_iter().try_fold(0, |rank, axis| {
            Some(rank * ORDER + HALF_TURNS.element_rank(&arrangement(cube, axis))?)
        });
        ranked.unwrap_or(UNDEFINED)
    }

    fn write(&self, mut index: usize, cube: &mut Cube) {
        for axis in Axis::ALL.into_iter().rev() {
            arrange(cube, axis, &HALF_TURNS.elements[index % ORDER]);
            index /= ORDER;
        }
    }
}
