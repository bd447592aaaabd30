//! Coordinates of the twelve edges, numbered as in [`cube444::method::edges`].

use cube444::cube::layout::EDGES;
use cube444::cube::{Axis, Cube, Pieces};
use cube444::method::Coordinate;
use cube444::method::combinatorics::{binomial, dealt, subset_rank, subset_unrank};
use cube444::method::edges::{home, is_in_orbit, partner, put_wing, reference};

/// Puts an edge at a place, with both wings in the orbits of their homes about the x axis.
fn put(cube: &mut Cube, edge: usize, home: usize) {
    put_wing(cube, reference(Axis::X, edge), reference(Axis::X, home));
}

/// The flips of the edges: 2^11 = 2,048 values. The last flip follows from the others.
///
/// An edge is flipped if its wings cannot be brought home by outer turns with only half turns about the axis.
/// Then the places and homes of its wings are in different orbits.
#[derive(Clone, Copy, Debug)]
pub struct EdgeFlip {
    /// The axis whose quarter turns change flips.
    pub axis: Axis,
}

impl Coordinate for EdgeFlip {
    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        1 << (EDGES - 1)
    }

    fn rank(&self, cube: &Cube) -> usize {
        (0..EDGES - 1).fold(0, |rank, edge| {
            let wing = cube.wings()[reference(self.axis, edge)];
            rank << 1 | usize::from(!is_in_orbit(self.axis, wing))
        })
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let last = index.count_ones() as usize & 1;
        for edge in 0..EDGES {
            let flipped = (index << 1 | last) >> (EDGES - 1 - edge) & 1 == 1;
            let place = reference(self.axis, edge);
            let wing = if flipped { partner(place) } else { place };
            put_wing(cube, place, wing);
        }
    }
}

/// The places of the four edges along an axis: C(12,4) = 495 values, or C(8,4) = 70 if the edges along
/// another axis are in their places.
#[derive(Clone, Copy, Debug)]
pub struct EdgePlaces {
    /// The axis of the four edges.
    pub along: Axis,
    /// The axis whose edges are in their places already, if any.
    pub settled: Option<Axis>,
}

impl EdgePlaces {
    /// The places of the edges along an axis, if those along `settled` are in their places.
    #[must_use]
    pub fn new(along: Axis, settled: Option<Axis>) -> EdgePlaces {
        EdgePlaces { along, settled }
    }

    /// The possible places (and homes).
    fn places(&self) -> impl Iterator<Item = usize> {
        (0..EDGES).filter(|edge| self.settled.is_none_or(|axis| edge >> 2 != axis as usize))
    }
}

impl Coordinate for EdgePlaces {
    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        binomial(self.places().count(), 4)
    }

    fn rank(&self, cube: &Cube) -> usize {
        let marked = self.places().enumerate();
        let marked = marked.filter(|&(_, edge)| home(cube, edge) >> 2 == self.along as usize);
        subset_rank(marked.map(|(number, _)| 1 << number).sum())
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let is_own = |home: &usize| home >> 2 == self.along as usize;
        let homes = dealt(subset_unrank(index, 4), self.places(), is_own);
        for (edge, home) in self.places().zip(homes) {
            put(cube, edge, home);
        }
    }
}

/// The arrangement of the four edges along each axis among their places: 24³ = 13,824 values.
#[derive(Clone, Copy, Debug)]
pub struct EdgeArrangement;

/// The number of permutations of four.
const PERMUTATIONS_4: usize = 24;

impl Coordinate for EdgeArrangement {
    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        PERMUTATIONS_4.pow(3)
    }

    fn rank(&self, cube: &Cube) -> usize {
        (0..3).fold(0, |rank, axis| {
            // Lexicographic order: each digit counts the smaller images that come later.
            let homes: [usize; 4] = std::array::from_fn(|i| home(cube, 4 * axis + i));
            let smaller = |i: usize| homes[i + 1..].iter().filter(|&&h| h < homes[i]).count();
            let own = (smaller(0) * 3 + smaller(1)) * 2 + smaller(2);
            rank * PERMUTATIONS_4 + own
        })
    }

    fn write(&self, mut index: usize, cube: &mut Cube) {
        for axis in (0..3).rev() {
            let own = index % PERMUTATIONS_4;
            index /= PERMUTATIONS_4;
            let mut left: Vec<usize> = (4 * axis..4 * axis + 4).collect();
            for (i, digit) in [own / 6, own / 2 % 3, own % 2, 0].into_iter().enumerate() {
                put(cube, 4 * axis + i, left.remove(digit));
            }
        }
    }
}
