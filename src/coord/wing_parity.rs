//! The parity of the wings' permutation.

use super::Coordinate;
use super::combinatorics::is_odd;
use crate::cube::layout::WINGS;
use crate::cube::{Cube, Pieces};

/// Whether the 24 wings are in an odd permutation: 2 values.
///
/// Quarter turns of inner layers change it, and nothing else does: an outer quarter turn makes two
/// cycles of four wings.
#[derive(Clone, Copy, Debug)]
pub struct WingParity;

impl Coordinate for WingParity {
    fn name(&self) -> String {
        "wing-parity".to_owned()
    }

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
        cube.wings = Cube::solved().wings;
        cube.wings.swap(0, index);
    }
}
