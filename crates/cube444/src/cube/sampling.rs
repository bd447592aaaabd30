//! Uniformly random states.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::layout::CORNERS;
use super::state::{Cube, corner_carried};

impl Cube {
    /// Draws a state uniformly from all 8!·3⁷ arrangements of corners, 24! of wings and 24!/(4!)⁶ of centers.
    ///
    /// All combinations are reachable. Centers of one colour are interchangeable, so parity does not restrict
    /// the combinations.
    #[must_use]
    pub fn random(rng: &mut (impl Rng + ?Sized)) -> Cube {
        let mut cube = Cube::solved();
        cube.wings.shuffle(rng);
        cube.centers.shuffle(rng);

        let mut homes: [usize; CORNERS] = std::array::from_fn(|slot| slot);
        homes.shuffle(rng);
        let mut twists: [usize; CORNERS] = std::array::from_fn(|_| rng.random_range(0..3));
        // The sum of all twists is a multiple of three.
        let others: usize = twists[..CORNERS - 1].iter().sum();
        twists[CORNERS - 1] = (2 * others) % 3;
        for slot in 0..CORNERS {
            cube.corners[slot] = corner_carried(homes[slot], slot, twists[slot]);
        }
        cube
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::layout::WINGS;
    use crate::uniformity::{assert_places_uniform, assert_uniform};
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    #[test]
    fn pieces_are_uniform_over_places() {
        let mut rng = ChaCha20Rng::seed_from_u64(20);
        assert_places_uniform((0..100_000).map(|_| Cube::random(&mut rng)));
    }

    fn is_odd(permutation: &[usize]) -> bool {
        let pairs = (0..permutation.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
        let inversions = pairs.filter(|&(j, i)| permutation[j] > permutation[i]);
        inversions.count() % 2 == 1
    }

    #[test]
    fn parities_of_wings_and_corners_are_uniform() {
        let mut rng = ChaCha20Rng::seed_from_u64(21);
        let mut counts = [0; 4];
        for _ in 0..20_000 {
            let cube = Cube::random(&mut rng);
            let wings: Vec<usize> = (0..WINGS).map(|slot| cube.wing(slot)).collect();
            let corners: Vec<usize> = (0..CORNERS).map(|slot| cube.corner(slot).0).collect();
            counts[2 * usize::from(is_odd(&wings)) + usize::from(is_odd(&corners))] += 1;
        }
        assert_uniform("parities", &counts);
    }

    #[test]
    fn generators_may_be_trait_objects() {
        let mut rng = ChaCha20Rng::seed_from_u64(22);
        let rng: &mut dyn Rng = &mut rng;
        let cube = Cube::random(rng);
        assert!(cube == Cube::random(&mut ChaCha20Rng::seed_from_u64(22)));
    }
}
