//! Which dedges are flipped, and which places hold the four that run along y: 2,048·495 values.

use super::super::dedges::{DEDGES, dedge_of, orbits};
use super::cubies::Cubies;
use crate::coord::Coordinate;
use crate::coord::combinatorics::{subset_rank, subset_unrank};
use crate::cube::{Action, Axis, Cube, Pieces, Symmetry};

/// Dedges along y are those from this number on.
pub(super) const SLICE: usize = 8;
/// Ways to choose which dedges are flipped; the last one is decided by the others.
const FLIPS: usize = 1 << (DEDGES - 1);
/// Ways to choose the places of the four: C(12,4).
const PLACES: usize = 495;

/// Flips, and the places of the dedges that run along y.
pub(super) struct FlipSlice;

/// The number for the pieces at each place.
pub(super) fn rank(cubies: &Cubies) -> usize {
    let (mut places, mut flips) = (0, 0);
    for place in 0..DEDGES {
        places |= u32::from(usize::from(cubies.edges[place]) >= SLICE) << place;
        flips |= usize::from(cubies.flips[place]) << place;
    }
    subset_rank(places) * FLIPS + flips % FLIPS
}

impl Coordinate for FlipSlice {
    fn name(&self) -> String {
        "flip-slice".to_owned()
    }

    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        PLACES * FLIPS
    }

    fn rank(&self, cube: &Cube) -> usize {
        let (mut places, mut flips) = (0, 0);
        for place in 0..DEDGES {
            let wing = cube.wing(orbits().wing(0, place));
            places |= u32::from(dedge_of(wing) >= SLICE) << place;
            flips |= usize::from(orbits().is_second(wing)) << place;
        }
        subset_rank(places) * FLIPS + flips % FLIPS
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let (places, flips) = (subset_unrank(index / FLIPS, 4), index % FLIPS);
        let last = usize::from(flips.count_ones() % 2 == 1) << (DEDGES - 1);
        let (mut along_y, mut others) = (SLICE..DEDGES, 0..SLICE);
        for place in 0..DEDGES {
            let dedge = if places >> place & 1 == 1 {
                along_y.next()
            } else {
                others.next()
            };
            let flipped = (flips | last) >> place & 1;
            put(cube, place, dedge.unwrap_or_default(), flipped);
        }
    }
}

/// Puts a dedge at a place.
pub(super) fn put(cube: &mut Cube, place: usize, dedge: usize, flipped: usize) {
    for orbit in 0..2 {
        cube.wings[orbits().wing(orbit, place)] = orbits().wing(orbit ^ flipped, dedge) as u8;
    }
}

/// Conjugations by the sixteen symmetries that map the U–D axis to itself, the identity first.
pub(super) fn keeping_ud() -> Vec<Action> {
    Symmetry::all()
        .filter(|symmetry| symmetry.axis(Axis::Y).0 == Axis::Y)
        .map(Action::conjugation)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_without_gaps() {
        for index in (0..FlipSlice.size()).step_by(97) {
            let cube = FlipSlice.unrank(index);
            assert_eq!(FlipSlice.rank(&cube), index);
            assert_eq!(rank(&Cubies::of(&cube)), index);
        }
    }
}
