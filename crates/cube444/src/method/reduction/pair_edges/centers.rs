//! The centers of the third stage, with the parity.
//!
//! The L and R centers are on the L and R faces, the D and U centers on D and U, and the F and B centers on F
//! and B in one of the 12 patterns that half turns can solve. Half turns of the whole cube, which exchange the
//! two colours of two axes, do not matter. So the L and R pattern and the D and U pattern count up to
//! exchanging colours (35 each), and that of F and B is relative to both exchanges.
//!
//! The parity is odd if the permutation of the corners and that of the wings in the first orbit, as a
//! permutation of edges, have different parities. A paired cube with odd parity cannot be solved like a 3x3x3
//! cube. Turns of outer layers keep the parity, half turns of wide blocks change it.

use xxhash_rust::xxh3::Xxh3;

use super::super::images;
use super::super::turns::{Turns, is_wide};
use super::pairing::{SYMMETRIES, edges_in};
use crate::coord::Coordinate;
use crate::coord::centers::CenterPairing;
use crate::coord::combinatorics::is_odd;
use crate::coord::half_turns::{CENTER_PATTERNS, HALF_TURNS};
use crate::cube::{Action, Axis, Cube, Face, Pieces, Symmetry};
use crate::table::{Distribution, distances, prefetch};

/// The number of values.
pub(super) const SIZE: usize = CenterPairing::SIZE * CenterPairing::SIZE * CENTER_PATTERNS * 2;
/// The number of turns.
pub(super) const TURNS: usize = 17;

/// The images of centers and parity under turns and symmetries, and their distances.
pub(super) struct Centers {
    images: Vec<[u16; TURNS]>,
    conjugates: Vec<[u16; SYMMETRIES]>,
    distances: Vec<u8>,
    /// The solved value.
    pub(super) goal: u16,
}

/// Whether the first place of an axis has the colour of the negative face.
fn is_exchanged(cube: &Cube, axis: Axis) -> bool {
    cube.center(8 * axis as usize) == Face::on(axis, false)
}

/// The rank of the centers, without parity.
fn rank(cube: &Cube) -> usize {
    // Each exchange of the colours of x or y also exchanges F and B, so both together do not.
    let exchanged = is_exchanged(cube, Axis::X) ^ is_exchanged(cube, Axis::Y);
    let mut pattern = 0;
    for octant in 0..8 {
        let is_front = cube.center(16 + octant) == Face::F;
        pattern |= u8::from(is_front ^ exchanged) << octant;
    }
    let sides = CenterPairing::LR.rank(cube) * CenterPairing::SIZE + CenterPairing::DU.rank(cube);
    let front = HALF_TURNS.center_pattern_rank(Axis::Z, pattern);
    sides * CENTER_PATTERNS + front.expect("half turns solve the centers here")
}

/// A cube with the centers of a rank.
fn unrank(index: usize) -> Cube {
    let mut cube = Cube::solved();
    let sides = index / CENTER_PATTERNS;
    CenterPairing::LR.write(sides / CenterPairing::SIZE, &mut cube);
    CenterPairing::DU.write(sides % CenterPairing::SIZE, &mut cube);
    let pattern = HALF_TURNS.center_patterns[Axis::Z as usize][index % CENTER_PATTERNS];
    for octant in 0..8 {
        let face = Face::on(Axis::Z, pattern >> octant & 1 == 1);
        cube.centers[16 + octant] = face as u8;
    }
    cube
}

/// Whether the parity is odd.
fn is_parity_odd(cube: &Cube) -> bool {
    let corners: [u8; 8] = std::array::from_fn(|slot| cube.corner_home(slot) as u8);
    is_odd(&corners) ^ is_odd(&edges_in(cube, false))
}

impl Centers {
    /// Computes the tables for turns and symmetries.
    pub(super) fn new(turns: &Turns, symmetries: [Symmetry; SYMMETRIES]) -> Centers {
        let wide = turns.which(is_wide);
        let turned: Vec<[u16; TURNS]> = images(SIZE / 2, unrank, rank, |cube, turn| {
            cube.moved_in(turns.moves()[turn], Pieces::Centers)
        });
        let conjugated: Vec<[u16; SYMMETRIES]> = images(SIZE / 2, unrank, rank, |cube, sym| {
            cube.transformed_in(Action::conjugation(symmetries[sym]), Pieces::Centers)
        });
        let (mut images, mut conjugates) = (Vec::new(), Vec::new());
        for (turned, conjugated) in turned.iter().zip(&conjugated) {
            for odd in 0..2 {
                let after = |turn| odd ^ (wide >> turn & 1) as u16;
                images.push(std::array::from_fn(|turn| 2 * turned[turn] + after(turn)));
                conjugates.push(conjugated.map(|image| 2 * image + odd));
            }
        }
        let goal = Centers::rank(&Cube::solved());
        let images_of = |index: usize| images[index].map(|image| (image.into(), 1));
        let distances = distances(SIZE, [goal.into()], images_of);
        Centers {
            images,
            conjugates,
            distances,
            goal,
        }
    }

    /// The rank of the centers and the parity of a cube.
    pub(super) fn rank(cube: &Cube) -> u16 {
        (rank(cube) * 2 + usize::from(is_parity_odd(cube))) as u16
    }

    /// Whether the parity is odd.
    #[inline(always)]
    pub(super) fn is_odd(index: u16) -> bool {
        index % 2 == 1
    }

    /// The images of a value under all turns.
    #[inline(always)]
    pub(super) fn images(&self, index: u16) -> &[u16; TURNS] {
        &self.images[usize::from(index)]
    }

    /// Prefetches the images of a value under turns.
    #[inline(always)]
    pub(super) fn prefetch_images(&self, index: u16) {
        prefetch(&self.images[usize::from(index)][0]);
        prefetch(&self.images[usize::from(index)][TURNS - 1]);
    }

    /// The image of a value under a symmetry.
    #[inline(always)]
    pub(super) fn conjugated(&self, index: u16, sym: usize) -> u16 {
        self.conjugates[usize::from(index)][sym]
    }

    /// The distance of a value.
    #[inline(always)]
    pub(super) fn distance(&self, index: u16) -> u8 {
        self.distances[usize::from(index)]
    }

    /// The number of values at each distance.
    pub(super) fn distribution(&self) -> Distribution {
        let mut distribution = Distribution::default();
        for (value, &distance) in self.distances.iter().enumerate() {
            let images = self.conjugates[value].iter();
            let is_first = images.into_iter().all(|&image| usize::from(image) >= value);
            distribution.add(distance.into(), 1, is_first.into());
        }
        distribution
    }

    /// Hashes the images under turns and symmetries.
    pub(super) fn hash(&self, hash: &mut Xxh3) {
        let images = self.images.as_flattened().iter();
        let numbers = images
            .chain(self.conjugates.as_flattened())
            .chain([&self.goal]);
        let bytes = numbers.flat_map(|number| number.to_le_bytes());
        hash.update(&bytes.collect::<Vec<u8>>());
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::declaration::{PAIR_EDGES, THREE_BY_THREE};
    use super::super::pairing::Pairings;
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    fn stage() -> (Turns, Pairings, Centers) {
        let turns = Turns::new(PAIR_EDGES, THREE_BY_THREE);
        let pairings = Pairings::new(&turns);
        let centers = Centers::new(&turns, pairings.symmetries);
        (turns, pairings, centers)
    }

    #[test]
    fn arrangements_are_numbered_without_gaps() {
        for index in 0..SIZE / 2 {
            assert_eq!(rank(&unrank(index)), index);
        }
    }

    #[test]
    fn turns_and_symmetries_act_as_on_cubes() {
        let (turns, pairings, centers) = stage();
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        let mut cube = Cube::solved();
        for _ in 0..3_000 {
            let turn = rng.random_range(0..turns.moves().len());
            let moved = cube.moved(turns.moves()[turn]);
            let index = Centers::rank(&cube);
            assert_eq!(centers.images(index)[turn], Centers::rank(&moved));
            for (sym, symmetry) in pairings.symmetries.into_iter().enumerate() {
                let image = cube.transformed(Action::conjugation(symmetry));
                assert_eq!(centers.conjugated(index, sym), Centers::rank(&image));
            }
            for axis in Axis::ALL {
                let half = Action::turning(Symmetry::rotation(axis, 2));
                assert_eq!(Centers::rank(&cube.transformed(half)) % 2, index % 2);
                let renamed = Action::new(Symmetry::IDENTITY, Symmetry::rotation(axis, 2));
                assert_eq!(rank(&cube.transformed(renamed)), usize::from(index / 2));
            }
            cube = moved;
        }
    }

    #[test]
    fn the_distribution_is_the_known_one() {
        let known = [1, 3, 34, 238, 1118, 3719, 6991, 8360, 6600, 2208, 128];
        assert_eq!(stage().2.distribution().positions, known);
    }
}
