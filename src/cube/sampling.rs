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
    Symmetry::rotations().find(carries).map_or(0, |rotation| rotation.index() as u8)
}
