//! The parity of the corners.

use cube444::coord::Coordinate;
use cube444::coord::combinatorics::is_odd;
use cube444::coord::corners::{arrange, arrangement};
use cube444::cube::{Cube, Pieces};

/// The parity of the corners: 2 values.
#[derive(Clone, Copy, Debug)]
pub struct CornerParity;

impl Coordinate for CornerParity {
    fn pieces(&self) -> Pieces {
        Pieces::Corners
    }

    fn size(&self) -> usize {
        2
    }

    fn rank(&self, cube: &Cube) -> usize {
        usize::from(is_odd(&arrangement(cube)))
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let mut homes = std::array::from_fn(|slot| slot as u8);
        homes.swap(0, index);
        arrange(cube, &homes);
    }
}
