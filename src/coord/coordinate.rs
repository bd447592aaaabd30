//! What a coordinate is.

use crate::cube::{Cube, Pieces};

/// A numbering of the values that one aspect of the cube can take, `0..size()`.
///
/// `rank(write(i)) = i` for every `i`. What a move or a symmetry does to the aspect must depend on
/// the aspect alone, so that it can be tabulated by number.
pub trait Coordinate: Send + Sync {
    /// A short name, for messages.
    fn name(&self) -> String;

    /// The one kind of pieces that it looks at.
    fn pieces(&self) -> Pieces;

    /// The number of values.
    fn size(&self) -> usize;

    /// The number of the cube's value. The cube must be one on which the coordinate is defined
    /// (say, corners all oriented, for a coordinate of corner permutations).
    fn rank(&self, cube: &Cube) -> usize;

    /// Rearranges the pieces that the coordinate looks at so that its value is `index`; the cube
    /// given must be one on which the coordinate is defined.
    fn write(&self, index: usize, cube: &mut Cube);

    /// A cube whose value is `index`, otherwise solved as far as possible.
    fn unrank(&self, index: usize) -> Cube {
        let mut cube = Cube::solved();
        self.write(index, &mut cube);
        cube
    }
}
