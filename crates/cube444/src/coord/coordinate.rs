//! The traits of coordinates.

use std::fmt;

use crate::cube::{Action, AxisMove, Cube, Pieces};

/// The rank of a cube on which a coordinate is not defined. It is greater than any value.
pub const UNDEFINED: usize = usize::MAX;

/// A numbering of the values of one aspect of the cube, from 0 to `size() - 1`.
///
/// For every `i`, `rank(unrank(i)) = i`. Messages show the coordinate as `{:?}`. The image of a value under a move or
/// a symmetry must depend on the value alone, so that it can be tabulated.
///
/// # Examples
///
/// ```
/// use cube444::cube::{Action, Cube, Pieces, Symmetry};
/// use cube444::method::{ActionGroup, Classes, Coordinate};
///
/// /// The place of the corner DBL, whose home is place 0.
/// #[derive(Debug)]
/// struct DblPlace;
///
/// impl Coordinate for DblPlace {
///     fn pieces(&self) -> Pieces {
///         Pieces::Corners
///     }
///     fn size(&self) -> usize {
///         8
///     }
///     fn rank(&self, cube: &Cube) -> usize {
///         (0..8).find(|&slot| cube.corners()[slot].0 == 0).expect("each corner is somewhere")
///     }
///     fn write(&self, index: usize, cube: &mut Cube) {
///         let mut corners = cube.corners();
///         corners.swap(self.rank(cube), index);
///         cube.set_corners(corners).expect("two corners have changed places with their twists");
///     }
/// }
///
/// for index in 0..8 {
///     assert_eq!(DblPlace.rank(&DblPlace.unrank(index)), index);
/// }
/// // Rotations of the whole cube map every place to every other.
/// let turned = Symmetry::rotations().map(Action::turning).collect();
/// let classes = Classes::new(&DblPlace, &ActionGroup::new(turned)?)?;
/// assert_eq!((classes.count(), classes.stabilizer(0).len()), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Coordinate: fmt::Debug + Send + Sync {
    /// The kind of pieces that the coordinate depends on.
    fn pieces(&self) -> Pieces;

    /// The number of values.
    fn size(&self) -> usize;

    /// The value of a cube. If the coordinate is not defined on the cube (for example, a coordinate of corner
    /// permutations on twisted corners), this is [`UNDEFINED`] or any number. It must not panic: the
    /// construction of a stage also calls it to check that the coordinate is defined.
    fn rank(&self, cube: &Cube) -> usize;

    /// Rearranges the pieces so that the value is `index`, which must be below `size()`. The coordinate must be
    /// defined on the cube.
    fn write(&self, index: usize, cube: &mut Cube);

    /// A cube with the value `index`, and all other pieces solved.
    fn unrank(&self, index: usize) -> Cube {
        let mut cube = Cube::solved();
        self.write(index, &mut cube);
        cube
    }
}

/// The kind of pieces and the number of values in an implementation of [`Coordinate`].
macro_rules! values {
    ($pieces:ident, $size:expr) => {
        fn pieces(&self) -> $crate::cube::Pieces {
            $crate::cube::Pieces::$pieces
        }

        fn size(&self) -> usize {
            $size
        }
    };
}
pub(super) use values;

/// A coordinate whose values are relative to a symmetry coordinate. For example, the symmetry coordinate is a
/// set of places, and this one is the arrangement of pieces in them.
///
/// The image of a value under a move depends on the symmetry coordinate only through a *key*, such as the way
/// in which the move reorders the places. So images can be tabulated by key.
pub trait DependentCoordinate: Coordinate {
    /// The number of keys, at most 65,536.
    fn keys(&self) -> usize;

    /// The key of a move followed by an action. It depends only on the symmetry coordinate of the cube.
    fn key(&self, cube: &Cube, mv: AxisMove, action: Action) -> usize;

    /// The image of a value under a move and an action with a key.
    fn image(&self, key: usize, value: usize) -> usize;
}

/// The image of each value below `size` under each of some maps of cubes.
pub(crate) fn images<const N: usize>(
    size: usize,
    unrank: impl Fn(usize) -> Cube,
    rank: impl Fn(&Cube) -> usize,
    image: impl Fn(&Cube, usize) -> Cube,
) -> Vec<[u16; N]> {
    let row = |value| {
        let cube = unrank(value);
        std::array::from_fn(|map| rank(&image(&cube, map)) as u16)
    };
    (0..size).map(row).collect()
}
