//! The twelve dedges, and the two orbits of wings.
//!
//! A dedge is a pair of wing places that form one edge. In the subgroup to which the second stage
//! leads (quarter turns of U, D, L and R, half turns of F, B and of wide blocks) the 24 wing places
//! fall into two orbits of twelve, each with one place of every dedge.

use std::sync::LazyLock;

use super::turns::Turns;
use crate::cube::Cube;
use crate::cube::layout::WINGS;
use crate::search::AxisFreedom;

/// Number of dedges.
pub(super) const DEDGES: usize = 12;

/// The dedge of a wing place, by the axis along which it runs (z, x, y) and the sign bits of the
/// two other axes. The first four are UL, UR, DL and DR.
#[must_use]
pub(super) const fn dedge_of(wing: usize) -> usize {
    let (axis, bits) = (wing >> 3, wing & 7);
    let below = bits & ((1 << axis) - 1);
    let above = (bits >> (axis + 1)) << axis;
    4 * ((axis + 1) % 3) + below + above
}

/// The two orbits of wing places.
pub(super) struct Orbits {
    /// For each wing place, whether it belongs to the second orbit.
    is_second: [bool; WINGS],
    /// The wing place of each dedge in the first and in the second orbit.
    wings: [[u8; DEDGES]; 2],
}

static ORBITS: LazyLock<Orbits> = LazyLock::new(|| {
    let turns = Turns::new([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::HALF]);
    let mut is_second = [true; WINGS];
    let mut reached = vec![0];
    is_second[0] = false;
    while let Some(place) = reached.pop() {
        for mv in turns.moves() {
            let from = mv.sources().wings[place] as usize;
            if std::mem::replace(&mut is_second[from], false) {
                reached.push(from);
            }
        }
    }
    let mut wings = [[u8::MAX; DEDGES]; 2];
    for (wing, &second) in is_second.iter().enumerate() {
        wings[usize::from(second)][dedge_of(wing)] = wing as u8;
    }
    Orbits { is_second, wings }
});

/// The two orbits of wing places.
#[must_use]
pub(super) fn orbits() -> &'static Orbits {
    &ORBITS
}

impl Orbits {
    /// Whether a wing place belongs to the second orbit.
    #[must_use]
    pub(super) fn is_second(&self, wing: usize) -> bool {
        self.is_second[wing]
    }

    /// The wing place of a dedge in an orbit (0 or 1).
    #[must_use]
    pub(super) fn wing(&self, orbit: usize, dedge: usize) -> usize {
        self.wings[orbit][dedge] as usize
    }

    /// For each dedge, the dedge to which the wing belongs that is at its place in an orbit.
    #[must_use]
    pub(super) fn dedges(&self, cube: &Cube, orbit: usize) -> [u8; DEDGES] {
        self.wings[orbit].map(|place| dedge_of(cube.wing(place as usize)) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dedge_has_two_wings_in_different_orbits() {
        for dedge in 0..DEDGES {
            let [first, second] = [0, 1].map(|orbit| orbits().wing(orbit, dedge));
            assert_eq!((dedge_of(first), dedge_of(second)), (dedge, dedge));
            assert_eq!(
                first ^ second,
                1 << (first >> 3),
                "they differ along their axis"
            );
            assert!(!orbits().is_second(first) && orbits().is_second(second));
        }
    }

    #[test]
    fn the_first_four_dedges_run_along_z() {
        for wing in 0..WINGS {
            assert_eq!(dedge_of(wing) < 4, wing >> 3 == 2);
        }
    }
}
