//! Uniformly random states.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::layout::{Axis, CORNERS};
use super::state::{Cube, twist_towards};
use super::symmetry::Symmetry;

impl Cube {
    /// A state drawn uniformly from all 8!·3⁷ corner, 24! wing and 24!/(4!)⁶ center arrangements.
    ///
    /// Every combination is reachable: centers of one colour are interchangeable, so no parity ties
    /// the three kinds of pieces together.
    #[must_use]
    pub fn random(rng: &mut impl Rng) -> Cube {
        let mut cube = Cube::solved();
        cube.wings.shuffle(rng);
        cube.centers.shuffle(rng);

        let mut homes: [usize; CORNERS] = std::array::from_fn(|slot| slot);
        homes.shuffle(rng);
        let mut twists: [usize; CORNERS] = std::array::from_fn(|_| rng.random_range(0..3));
        // The last twist is decided by the others.
        let others: usize = twists[..CORNERS - 1].iter().sum();
        twists[CORNERS - 1] = (2 * others) % 3;
        for slot in 0..CORNERS {
            cube.corners[slot] = corner_carried(homes[slot], slot, twists[slot]);
        }
        cube
    }
}

/// The rotation that carries the corner of place `home` to place `slot` with the given twist.
pub(crate) fn corner_carried(home: usize, slot: usize, twist: usize) -> u8 {
    let carries = |rotation: &Symmetry| {
        rotation.corner(home) == slot && twist_towards(slot, rotation.axis(Axis::Y).0) == twist
    };
    debug_assert_eq!(Symmetry::rotations().filter(carries).count(), 1);
    Symmetry::rotations()
        .find(carries)
        .map_or(0, |rotation| rotation.index() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::layout::{CENTERS, WINGS};
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    /// Asserts that counts are as evenly spread as uniform draws would be. Six standard deviations
    /// of the chi-square statistic above its mean (and a little, for few degrees of freedom) are
    /// exceeded by chance less than once in a million times.
    fn assert_uniform(what: &str, counts: &[u32]) {
        let total: u32 = counts.iter().sum();
        let expected = f64::from(total) / counts.len() as f64;
        let statistic: f64 = counts
            .iter()
            .map(|&count| (f64::from(count) - expected).powi(2) / expected)
            .sum();
        let freedom = (counts.len() - 1) as f64;
        let limit = freedom + 6.0 * (2.0 * freedom).sqrt() + 10.0;
        assert!(
            statistic < limit,
            "{what}: chi-square {statistic} above {limit}: {counts:?}"
        );
    }

    #[test]
    fn every_place_holds_every_piece_equally_often() {
        let mut rng = ChaCha20Rng::seed_from_u64(20);
        let mut corners = [[0; CORNERS]; CORNERS];
        let mut twists = [[0; 3]; CORNERS];
        let mut wings = [[0; WINGS]; WINGS];
        let mut centers = [[0; 6]; CENTERS];
        for _ in 0..100_000 {
            let cube = Cube::random(&mut rng);
            assert_eq!(cube.twist_sum(), 0);
            for slot in 0..CORNERS {
                corners[slot][cube.corner_home(slot)] += 1;
                twists[slot][cube.twist(slot)] += 1;
            }
            for slot in 0..WINGS {
                wings[slot][cube.wing(slot)] += 1;
                centers[slot][cube.center(slot) as usize] += 1;
            }
        }
        for slot in 0..CORNERS {
            assert_uniform("corner", &corners[slot]);
            assert_uniform("twist", &twists[slot]);
        }
        for slot in 0..WINGS {
            assert_uniform("wing", &wings[slot]);
            assert_uniform("center", &centers[slot]);
        }
    }
}
