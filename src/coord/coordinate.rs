//! What a coordinate is.

use crate::cube::{Cube, Pieces};

/// What a coordinate ranks where it is not defined: more than any value.
pub const UNDEFINED: usize = usize::MAX;

/// A numbering of the values that one aspect of the cube can take, `0..size()`.
///
/// `rank(unrank(i)) = i` for every `i`. What a move or a symmetry does to the aspect must depend on
/// the aspect alone, so that it can be tabulated by number.
///
/// # Examples
///
/// ```
/// use scramble444::coord::{ActionGroup, Classes, Coordinate};
/// use scramble444::cube::{Action, Cube, Pieces, Symmetry};
///
/// /// The place of the corner that belongs at DBL, place 0.
/// struct DblPlace;
///
/// impl Coordinate for DblPlace {
///     fn name(&self) -> String {
///         "dbl-place".to_owned()
///     }
///     fn pieces(&self) -> Pieces {
///         Pieces::Corners
///     }
///     fn size(&self) -> usize {
///         8
///     }
///     fn rank(&self, cube: &Cube) -> usize {
///         (0..8).find(|&slot| cube.corner(slot).0 == 0).expect("each corner is somewhere")
///     }
///     fn write(&self, index: usize, cube: &mut Cube) {
///         let mut corners = std::array::from_fn(|slot| cube.corner(slot));
///         corners.swap(self.rank(cube), index);
///         cube.set_corners(corners).expect("two corners have changed places with their twists");
///     }
/// }
///
/// for index in 0..8 {
///     assert_eq!(DblPlace.rank(&DblPlace.unrank(index)), index);
/// }
/// // Seen from anywhere, one place is as good as another.
/// let turned = Symmetry::rotations().map(Action::turning).collect();
/// let classes = Classes::new(&DblPlace, &ActionGroup::new(turned)?)?;
/// assert_eq!((classes.count(), classes.stabiliser(0).len()), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Coordinate: Send + Sync {
    /// A short name, for messages.
    fn name(&self) -> String;

    /// The one kind of pieces that it looks at.
    fn pieces(&self) -> Pieces;

    /// The number of values.
    fn size(&self) -> usize;

    /// The number of the cube's value. The cube should be one on which the coordinate is defined
    /// (say, corners all oriented, for a coordinate of corner permutations); on others it is
    /// [`UNDEFINED`] as far as can be told, or else any number. It must not panic: a stage that uses a
    /// coordinate where it is not defined is found out by trying.
    fn rank(&self, cube: &Cube) -> usize;

    /// Rearranges the pieces that the coordinate looks at so that its value is `index`, which must be
    /// below `size()`; the cube given must be one on which the coordinate is defined.
    fn write(&self, index: usize, cube: &mut Cube);

    /// A cube whose value is `index`, otherwise solved as far as possible.
    fn unrank(&self, index: usize) -> Cube {
        let mut cube = Cube::solved();
        self.write(index, &mut cube);
        cube
    }
}
