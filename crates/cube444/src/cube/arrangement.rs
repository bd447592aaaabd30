//! Reading, setting and drawing the pieces of a cube.
//!
//! Places and homes are numbered as in [`layout`](super::layout). All pieces of a kind are set at once, so
//! that a [`Cube`] can always be reached by turns: arrangements of different kinds can be combined freely.

use std::array::from_fn;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::layout::{CENTERS, CORNERS, Face, Place, WINGS};
use super::state::{Cube, corner_carried};

/// An arrangement of pieces cannot be reached by turns.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[error(ignore)]
#[non_exhaustive]
pub enum ArrangementError {
    /// There is no piece with this number.
    #[display("there is no {kind} number {number}; {kind}s are numbered from 0 to {max}")]
    NoSuchPiece {
        /// "wing" or "corner".
        kind: &'static str,
        /// The number.
        number: usize,
        /// The largest valid number.
        max: usize,
    },
    /// A piece occurs twice.
    #[display(
        "the {} that belongs at {home} is both at {} and at {}",
        home.kind(), places[0], places[1]
    )]
    Duplicate {
        /// The home of the piece.
        home: Place,
        /// Two places of the piece.
        places: [Place; 2],
    },
    /// The sum of the corners' twists is not a multiple of three.
    #[display(
        "the corners' twists add up to {_0} thirds of a turn; they must add up to whole turns"
    )]
    Twist(usize),
    /// A color is not on four centers.
    #[display("color {color} is on {count} centers; each color must be on exactly 4")]
    CenterCount {
        /// The letter of the color's home face.
        color: char,
        /// The number of centers with this color.
        count: usize,
    },
}

/// Checks that each of `N` pieces occurs once.
fn check_permutation<const N: usize>(
    homes: [usize; N],
    place: fn(usize) -> Place,
) -> Result<(), ArrangementError> {
    let mut seen = [None; N];
    for (slot, home) in homes.into_iter().enumerate() {
        let seen = seen.get_mut(home).ok_or(ArrangementError::NoSuchPiece {
            kind: place(slot).kind(),
            number: home,
            max: N - 1,
        })?;
        if let Some(first) = seen.replace(slot) {
            return Err(ArrangementError::Duplicate {
                home: place(home),
                places: [first, slot].map(place),
            });
        }
    }
    Ok(())
}

impl Cube {
    /// For each corner place, the home and the twist of its corner.
    ///
    /// The twist, below 3, is the number of clockwise steps around the place from the U or D face to the
    /// corner's U or D sticker.
    #[must_use]
    pub fn corners(&self) -> [(usize, usize); CORNERS] {
        from_fn(|slot| (self.corner_home(slot), self.twist(slot)))
    }

    /// For each wing place, the home of its wing.
    #[must_use]
    pub fn wings(&self) -> [usize; WINGS] {
        self.wings.map(usize::from)
    }

    /// For each center place, the color of its center, as its home face.
    #[must_use]
    pub fn centers(&self) -> [Face; CENTERS] {
        from_fn(|slot| self.center(slot))
    }

    /// The home of the wing at place `slot`.
    pub(crate) fn wing(&self, slot: usize) -> usize {
        self.wings[slot] as usize
    }

    /// The color of the center at place `slot`, as its home face.
    pub(crate) fn center(&self, slot: usize) -> Face {
        Face::ALL[self.centers[slot] as usize]
    }

    /// Draws a state uniformly from all 8!·3⁷ arrangements of corners, 24! of wings and 24!/(4!)⁶ of centers.
    ///
    /// All combinations are reachable. Centers of one color are interchangeable, so parity does not restrict
    /// the combinations.
    #[must_use]
    pub fn random(rng: &mut (impl Rng + ?Sized)) -> Cube {
        let mut cube = Cube::solved();
        cube.wings.shuffle(rng);
        cube.centers.shuffle(rng);

        let mut homes: [usize; CORNERS] = from_fn(|slot| slot);
        homes.shuffle(rng);
        let mut twists: [usize; CORNERS] = from_fn(|_| rng.random_range(0..3));
        // The sum of all twists is a multiple of three.
        let others: usize = twists[..CORNERS - 1].iter().sum();
        twists[CORNERS - 1] = (2 * others) % 3;
        cube.corners = from_fn(|slot| corner_carried(homes[slot], slot, twists[slot]));
        cube
    }

    /// Sets the corners. For each place, `corners` has the home of the corner and its twist, as in
    /// [`Cube::corners`]; twists are taken modulo 3.
    ///
    /// # Errors
    ///
    /// If a corner does not occur exactly once, or if the sum of twists is not a multiple of 3. The cube is
    /// then unchanged.
    pub fn set_corners(
        &mut self,
        corners: [(usize, usize); CORNERS],
    ) -> Result<(), ArrangementError> {
        check_permutation(corners.map(|(home, _)| home), Place::Corner)?;
        let twist = corners.iter().map(|(_, twist)| twist % 3).sum::<usize>() % 3;
        if twist != 0 {
            return Err(ArrangementError::Twist(twist));
        }
        self.corners = from_fn(|slot| corner_carried(corners[slot].0, slot, corners[slot].1 % 3));
        Ok(())
    }

    /// Sets the wings. For each place, `homes` has the home of the wing.
    ///
    /// # Errors
    ///
    /// If a wing does not occur exactly once. The cube is then unchanged.
    pub fn set_wings(&mut self, homes: [usize; WINGS]) -> Result<(), ArrangementError> {
        check_permutation(homes, Place::Wing)?;
        self.wings = homes.map(|home| home as u8);
        Ok(())
    }

    /// Sets the centers. For each place, `colors` has the color of the center, as its home face.
    ///
    /// # Errors
    ///
    /// If a color does not occur exactly four times. The cube is then unchanged.
    pub fn set_centers(&mut self, colors: [Face; CENTERS]) -> Result<(), ArrangementError> {
        for face in Face::ALL {
            let count = colors.iter().filter(|&&color| color == face).count();
            if count != 4 {
                let color = face.letter();
                return Err(ArrangementError::CenterCount { color, count });
            }
        }
        self.centers = colors.map(|color| color as u8);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{Axis, AxisMove};
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    #[test]
    fn a_cube_is_determined_by_its_pieces() {
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let mut copy = Cube::solved();
        for _ in 0..200 {
            let cube = Cube::random(&mut rng);
            copy.set_corners(cube.corners()).unwrap();
            copy.set_wings(cube.wings()).unwrap();
            copy.set_centers(cube.centers()).unwrap();
            assert!(copy == cube);
        }
    }

    #[test]
    fn homes_and_twists_after_a_turn() {
        // R takes the corner DFR (5) to UFR (7) and its D sticker to F, two steps clockwise from U. Rw takes the
        // wing FR (13) to UR (23), and D centers next to R to F.
        let cube = Cube::solved().moved(AxisMove::new(Axis::X, [0, 0, 1, 1]));
        assert_eq!(cube.corners()[6..], [(6, 0), (5, 2)]);
        assert_eq!(cube.wing(23), 13);
        assert_eq!(cube.center(21), Face::D);
        assert_eq!(cube.center(20), Face::F);
    }

    #[test]
    fn unreachable_arrangements_are_refused() {
        let solved = Cube::solved();
        let mut cube = solved;
        let mut corners = solved.corners();
        corners[3].1 = 4;
        assert_eq!(cube.set_corners(corners), Err(ArrangementError::Twist(1)));
        corners[5].1 = 2;
        assert_eq!(cube.set_corners(corners), Ok(()));
        assert_eq!((cube.corners()[3], cube.corners()[5]), ((3, 1), (5, 2)));
        cube = solved;
        corners[3].0 = 2;
        let error = cube.set_corners(corners).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the corner that belongs at ULB is both at ULB and at URB"
        );
        corners[3].0 = 8;
        let error = cube.set_corners(corners).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no corner number 8; corners are numbered from 0 to 7"
        );

        let mut homes: [usize; WINGS] = from_fn(|slot| slot);
        homes[6] = 23;
        let error = cube.set_wings(homes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the wing that belongs at URf is both at UFl and at URf"
        );
        homes[23] = 24;
        let error = cube.set_wings(homes).unwrap_err();
        assert!(matches!(
            error,
            ArrangementError::NoSuchPiece { number: 24, .. }
        ));

        let mut colors: [Face; CENTERS] = from_fn(|slot| solved.center(slot));
        colors[0] = Face::B;
        let count = ArrangementError::CenterCount {
            color: 'L',
            count: 3,
        };
        assert_eq!(cube.set_centers(colors), Err(count));
        assert!(cube == solved);
    }

    #[test]
    fn generators_may_be_trait_objects() {
        let mut rng = ChaCha20Rng::seed_from_u64(22);
        let rng: &mut dyn Rng = &mut rng;
        let cube = Cube::random(rng);
        assert!(cube == Cube::random(&mut ChaCha20Rng::seed_from_u64(22)));
    }
}
