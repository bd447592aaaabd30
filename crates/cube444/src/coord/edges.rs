//! Coordinates of the twelve edges of a cube whose wings are paired.
//!
//! An edge is a pair of wings. Places (and homes) have the numbers `4·a + bits`, where `a` is the axis along
//! which the edge runs, and `bits` are the sign bits along the two other axes, the lower axis in bit 0.

use super::combinatorics::{
    PERMUTATIONS_8, binomial, dealt, permutation_unrank, subset_rank, subset_unrank,
    try_permutation_rank,
};
use super::coordinate::values;
use super::{Coordinate, UNDEFINED};
pub use crate::cube::layout::partner;
use crate::cube::layout::{EDGES, WINGS};
use crate::cube::{Axis, Cube};

/// The edge of a wing place.
pub const fn edge_of(wing: usize) -> usize {
    let (axis, bits) = (wing >> 3, wing & 7);
    let below = bits & ((1 << axis) - 1);
    let above = bits >> (axis + 1) << axis;
    4 * axis + (above | below)
}

/// Whether a wing place is in the orbit of wing place 0 under outer turns of which those about `axis` are half
/// turns. There are two such orbits, and each edge has one wing place in each.
///
/// A quarter turn moves wings of the two other axes, exchanges these axes, and changes the sign of one of the two
/// coordinates. A half turn keeps the axis and changes two signs. So the number of positive signs, plus one for
/// wings of `axis`, remains even or odd.
pub const fn is_in_orbit(axis: Axis, wing: usize) -> bool {
    let is_odd = (wing & 7).count_ones() % 2 == 1;
    let is_first = matches!(axis, Axis::X);
    (is_odd ^ (wing >> 3 == axis as usize)) == is_first
}

/// For each axis: the wing place of each edge place for which [`is_in_orbit`] holds; and for each wing, in bit 0, whether
/// its edge runs along y, and in bit 16, whether it is flipped about the axis. Opening `reduction` ranks millions of
/// cubes, so these are tables.
static BY_AXIS: ([[usize; EDGES]; 3], [[u32; WINGS]; 3]) = {
    let (mut references, mut facts) = ([[0; EDGES]; 3], [[0; WINGS]; 3]);
    let mut number = 0;
    while number < 3 * WINGS {
        let (axis, wing) = (number / WINGS, number % WINGS);
        let is_flipped = !is_in_orbit(Axis::ALL[axis], wing);
        if !is_flipped {
            references[axis][edge_of(wing)] = wing;
        }
        facts[axis][wing] = (wing >> 3 == Axis::Y as usize) as u32 | (is_flipped as u32) << 16;
        number += 1;
    }
    (references, facts)
};

/// The wing place of an edge place for which [`is_in_orbit`] holds.
pub fn reference(axis: Axis, edge: usize) -> usize {
    BY_AXIS.0[axis as usize][edge]
}

/// The home of the edge at a place.
pub fn home(cube: &Cube, edge: usize) -> usize {
    edge_of(cube.wing(reference(Axis::X, edge)))
}

/// Puts a wing at a place, and its partner at the partner place.
pub fn put_wing(cube: &mut Cube, place: usize, wing: usize) {
    cube.wings[place] = wing as u8;
    cube.wings[partner(place)] = partner(wing) as u8;
}

/// The flips of the edges about the z axis, and the places of the four edges along y: 2^11·495 = 1,013,760
/// values. Quarter turns of U and D and half turns of other faces keep the value of the solved cube.
#[derive(Clone, Copy, Debug)]
pub struct FlipSlice;

/// The number of flips of the edges. The last flip follows from the others.
const FLIPS: usize = 1 << (EDGES - 1);

impl Coordinate for FlipSlice {
    values!(Wings, binomial(EDGES, 4) * FLIPS);

    fn rank(&self, cube: &Cube) -> usize {
        let (references, facts) = &BY_AXIS;
        let facts = &facts[Axis::Z as usize];
        let of_place = |(place, &wing): (usize, &usize)| facts[cube.wing(wing)] << place;
        let places = references[Axis::Z as usize].iter().enumerate();
        let facts: u32 = places.map(of_place).sum();
        let flips = (facts >> 16) as usize;
        subset_rank(facts & 0xffff) * FLIPS + flips % FLIPS
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let places = subset_unrank(index / FLIPS, 4);
        let flips = index % FLIPS;
        let last = usize::from(flips.count_ones() % 2 == 1) << (EDGES - 1);
        let homes = dealt(places, 0..EDGES, |&home| home >> 2 == Axis::Y as usize);
        for (place, home) in homes.enumerate() {
            let wing = reference(Axis::Z, home);
            let is_flipped = (flips | last) >> place & 1 == 1;
            let wing = if is_flipped { partner(wing) } else { wing };
            put_wing(cube, reference(Axis::Z, place), wing);
        }
    }
}

/// The permutation of the eight edges of the U and D faces: 8! = 40,320 values. They must be in places of these faces and
/// not flipped about the z axis.
#[derive(Clone, Copy, Debug)]
pub struct EdgePermutation;

impl EdgePermutation {
    /// The eight edges in order.
    pub(crate) const EDGES: [usize; 8] = [0, 1, 2, 3, 8, 9, 10, 11];

    /// The value, given the home of the edge at each place; `None` if other edges are there.
    #[inline(always)]
    pub(crate) fn of_homes(homes: impl Fn(usize) -> u8) -> Option<usize> {
        let numbers = EdgePermutation::EDGES.map(|place| match homes(place) {
            home @ 0..4 => home,
            home @ 8.. => home - 4,
            _ => u8::MAX,
        });
        try_permutation_rank(&numbers)
    }
}

impl Coordinate for EdgePermutation {
    values!(Wings, PERMUTATIONS_8);

    fn rank(&self, cube: &Cube) -> usize {
        let home = |edge| edge_of(cube.wing(reference(Axis::Z, edge))) as u8;
        EdgePermutation::of_homes(home).unwrap_or(UNDEFINED)
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let edges = EdgePermutation::EDGES;
        for (place, number) in edges.into_iter().zip(permutation_unrank(index)) {
            let home = edges[usize::from(number)];
            put_wing(cube, reference(Axis::Z, place), reference(Axis::Z, home));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{AxisMove, Sequence};

    #[test]
    fn every_edge_has_a_wing_in_each_orbit() {
        for axis in Axis::ALL {
            let turns = Axis::ALL.map(|turned| {
                let quarters = if turned == axis { 2 } else { 1 };
                [[quarters, 0, 0, 0], [0, 0, 0, quarters]]
                    .map(|amounts| AxisMove::new(turned, amounts))
            });
            let mut orbit = vec![0];
            let mut next = 0;
            while next < orbit.len() {
                for turn in turns.as_flattened() {
                    let image = usize::from(turn.sources().wings[orbit[next]]);
                    if !orbit.contains(&image) {
                        orbit.push(image);
                    }
                }
                next += 1;
            }
            orbit.sort_unstable();
            let expected = (0..WINGS).filter(|&wing| is_in_orbit(axis, wing));
            assert_eq!(orbit, expected.collect::<Vec<_>>());
            for edge in 0..EDGES {
                let wing = reference(axis, edge);
                assert_eq!((edge_of(wing), edge_of(partner(wing))), (edge, edge));
                assert!(is_in_orbit(axis, wing) && !is_in_orbit(axis, partner(wing)));
            }
        }
    }

    #[test]
    fn permutations_are_undefined_if_edges_leave_their_places() {
        let turned: Sequence = "R".parse().unwrap();
        let cube = Cube::solved().moved_by(turned.axis_moves());
        assert_eq!(EdgePermutation.rank(&Cube::solved()), 0);
        assert_eq!(EdgePermutation.rank(&cube), UNDEFINED);
    }
}
