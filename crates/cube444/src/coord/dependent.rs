//! Coordinates that depend on a symmetry coordinate.

use super::Coordinate;
use crate::cube::{Action, AxisMove, Cube};

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
