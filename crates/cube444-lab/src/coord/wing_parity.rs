//! The parity of the wings.

use cube444::coord::Coordinate;
use cube444::coord::combinatorics::is_odd;
use cube444::cube::layout::WINGS;
use cube444::cube::{Cube, Pieces};

/// The parity of the 24 wings: 2 values.
///
/// Only quarter turns of inner layers change it. An outer quarter turn makes two cycles of four wings.
#[derive(Clone, Copy, Debug)]
pub struct WingParity;

impl Coordinate for WingParity {
    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        2
    }

    fn rank(&self, cube: &Cube) -> usize {
        let homes: [u8; WINGS] = std::array::from_fn(|slot| cube.wing(slot) as u8);
        usize::from(is_odd(&homes))
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let mut homes = std::array::from_fn(|place| place);
        homes.swap(0, index);
        cube.set_wings(homes).expect("a swap is a permutation");
    }
}
