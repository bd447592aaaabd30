//! The parities of pieces.

use cube444::cube::layout::WINGS;
use cube444::cube::{Cube, Pieces};
use cube444::method::Coordinate;
use cube444::method::combinatorics::{is_odd, permutation_unrank};
use cube444::method::corners::{arrange, arrangement};

/// The parity of the permutation of some pieces: 2 values.
#[derive(Clone, Copy, Debug)]
pub enum Parity {
    /// Of the corners.
    Corners,
    /// Of the 24 wings. Only quarter turns of inner layers change it. An outer quarter turn makes two cycles
    /// of four wings.
    Wings,
}

impl Coordinate for Parity {
    fn pieces(&self) -> Pieces {
        match self {
            Parity::Corners => Pieces::Corners,
            Parity::Wings => Pieces::Wings,
        }
    }

    fn size(&self) -> usize {
        2
    }

    fn rank(&self, cube: &Cube) -> usize {
        let homes: Vec<u8> = match self {
            Parity::Corners => arrangement(cube).to_vec(),
            Parity::Wings => (0..WINGS).map(|place| cube.wings()[place] as u8).collect(),
        };
        usize::from(is_odd(&homes))
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        match self {
            // The permutation with rank 1 is a swap.
            Parity::Corners => arrange(cube, &permutation_unrank(index)),
            Parity::Wings => {
                let mut homes = std::array::from_fn(|place| place);
                homes.swap(0, index);
                cube.set_wings(homes).expect("a swap is a permutation");
            }
        }
    }
}
