//! What is where: a cube read piece by piece, and its pieces put into a given arrangement.
//!
//! Places and homes are numbered as [`layout`](super::layout) describes. Pieces are put in place a
//! kind at a time, all of the kind together, so that a [`Cube`] is always one that can be reached by
//! turns: any arrangement of one kind goes with any of the others.

use super::layout::{CENTERS, CORNERS, Face, Place, WINGS};
use super::state::{Cube, corner_carried};

/// Why an arrangement of pieces is none that turns can reach.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrangementError {
    /// A number that is no place's.
    #[error("there is no {kind} number {number}; {kind}s are numbered from 0 to {greatest}")]
    NoSuchPiece {
        /// "wing" or "corner".
        kind: &'static str,
        /// The number given.
        number: usize,
        /// The greatest number of such a piece.
        greatest: usize,
    },
    /// The same piece twice (and so another one nowhere).
    #[error("the {kind} that belongs at {home} is both at {} and at {}", .places[0], .places[1])]
    Duplicate {
        /// "wing" or "corner".
        kind: &'static str,
        /// The home of the piece, named by its faces, as places are: `URF` for a corner; of the two
        /// wings of an edge, `UFr` is the one next to R.
        home: String,
        /// Two places where it is.
        places: [String; 2],
    },
    /// The corners' twists do not add up.
    #[error("the corners' twists add up to {0} thirds of a turn; they must add up to whole turns")]
    Twist(usize),
    /// Not four centers of each colour.
    #[error("colour {colour} is on {count} centers; each colour must be on exactly 4")]
    CenterCount {
        /// The letter of the colour's home face.
        colour: char,
        /// On how many centers it was found.
        count: usize,
    },
}

/// Checks that each of `N` pieces is there once.
fn check_permutation<const N: usize>(
    homes: [usize; N],
    place: fn(usize) -> Place,
) -> Result<(), ArrangementError> {
    let mut seen = [None; N];
    for (slot, home) in homes.into_iter().enumerate() {
        let kind = place(slot).kind();
        let seen = seen.get_mut(home).ok_or(ArrangementError::NoSuchPiece {
            kind,
            number: home,
            greatest: N - 1,
        })?;
        if let Some(first) = seen.replace(slot) {
            return Err(ArrangementError::Duplicate {
                kind,
                home: place(home).to_string(),
                places: [first, slot].map(|slot| place(slot).to_string()),
            });
        }
    }
    Ok(())
}

impl Cube {
    /// The home and the twist of the corner at a corner place.
    ///
    /// The twist, below 3, is how many clockwise steps around the place the corner's U or D sticker
    /// is away from the U or D face.
    ///
    /// # Panics
    ///
    /// If there is no such place.
    #[must_use]
    pub fn corner(&self, slot: usize) -> (usize, usize) {
        (self.corner_home(slot), self.twist(slot))
    }

    /// The home of the wing at a wing place.
    ///
    /// # Panics
    ///
    /// If there is no such place.
    #[must_use]
    pub fn wing(&self, slot: usize) -> usize {
        self.wings[slot] as usize
    }

    /// The colour of the center at a center place, as the face where centers of that colour belong.
    ///
    /// # Panics
    ///
    /// If there is no such place.
    #[must_use]
    pub fn center(&self, slot: usize) -> Face {
        Face::ALL[self.centers[slot] as usize]
    }

    /// Puts the corners in place: for each corner place, the home of the corner and its twist as
    /// [`Cube::corner`] gives them, the twist being taken modulo 3.
    ///
    /// # Errors
    ///
    /// If it is not each corner once, or the twists do not add up to a multiple of 3. The cube is
    /// then as it was.
    pub fn set_corners(
        &mut self,
        corners: [(usize, usize); CORNERS],
    ) -> Result<(), ArrangementError> {
        check_permutation(corners.map(|(home, _)| home), Place::Corner)?;
        let twist = corners.iter().map(|(_, twist)| twist % 3).sum::<usize>() % 3;
        if twist != 0 {
            return Err(ArrangementError::Twist(twist));
        }
        for (slot, (home, twist)) in corners.into_iter().enumerate() {
            self.corners[slot] = corner_carried(home, slot, twist % 3);
        }
        Ok(())
    }

    /// Puts the wings in place: for each wing place, the home of the wing.
    ///
    /// # Errors
    ///
    /// If it is not each wing once. The cube is then as it was.
    pub fn set_wings(&mut self, homes: [usize; WINGS]) -> Result<(), ArrangementError> {
        check_permutation(homes, Place::Wing)?;
        self.wings = homes.map(|home| home as u8);
        Ok(())
    }

    /// Puts the centers in place: for each center place, the colour, as the face where centers of
    /// that colour belong.
    ///
    /// # Errors
    ///
    /// If it is not each colour four times. The cube is then as it was.
    pub fn set_centers(&mut self, colours: [Face; CENTERS]) -> Result<(), ArrangementError> {
        for face in Face::ALL {
            let count = colours.iter().filter(|&&colour| colour == face).count();
            if count != 4 {
                let colour = face.letter();
                return Err(ArrangementError::CenterCount { colour, count });
            }
        }
        self.centers = colours.map(|colour| colour as u8);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{Axis, AxisMove};
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;
    use std::array::from_fn;

    #[test]
    fn a_cube_is_told_by_what_is_where() {
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let mut copy = Cube::solved();
        for _ in 0..200 {
            let cube = Cube::random(&mut rng);
            copy.set_corners(from_fn(|slot| cube.corner(slot))).unwrap();
            copy.set_wings(from_fn(|slot| cube.wing(slot))).unwrap();
            copy.set_centers(from_fn(|slot| cube.center(slot))).unwrap();
            assert!(copy == cube);
        }
    }

    #[test]
    fn pieces_are_read_as_described() {
        // R carries the corner DFR (5) to UFR (7), its D sticker to F: two steps clockwise from U.
        // With r it carries the wing FR (13) to UR (23), and the D centers beside R to F.
        let cube = Cube::solved().moved(AxisMove::new(Axis::X, [0, 0, 1, 1]));
        assert_eq!(cube.corner(7), (5, 2));
        assert_eq!(cube.corner(6), (6, 0));
        assert_eq!(cube.wing(23), 13);
        assert_eq!(cube.center(21), Face::D);
        assert_eq!(cube.center(20), Face::F);
    }

    #[test]
    fn arrangements_that_turns_cannot_reach_are_refused() {
        let solved = Cube::solved();
        let mut cube = solved;
        let mut corners: [(usize, usize); CORNERS] = from_fn(|slot| solved.corner(slot));
        corners[3].1 = 4;
        assert_eq!(cube.set_corners(corners), Err(ArrangementError::Twist(1)));
        corners[5].1 = 2;
        assert_eq!(cube.set_corners(corners), Ok(()));
        assert_eq!((cube.corner(3), cube.corner(5)), ((3, 1), (5, 2)));
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

        let mut colours: [Face; CENTERS] = from_fn(|slot| solved.center(slot));
        colours[0] = Face::B;
        let count = ArrangementError::CenterCount {
            colour: 'L',
            count: 3,
        };
        assert_eq!(cube.set_centers(colours), Err(count));
        assert!(cube == solved);
    }
}
