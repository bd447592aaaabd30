//! Coordinates whose values are told relative to another coordinate's.

use super::Coordinate;
use crate::cube::{Action, AxisMove, Cube};

/// A coordinate that is told relative to a symmetry coordinate: which of the marked places hold
/// what, say, with the marked places being the symmetry coordinate's value.
///
/// What a move does to it depends on that value. It must do so through one of few *keys*, so that
/// it can be tabulated by key: which way the move reorders the marked places, say.
pub trait DependentCoordinate: Coordinate {
    /// The number of keys, at most 65,536.
    fn keys(&self) -> usize;

    /// The key of a move followed by an action, from a cube of which only the symmetry coordinate's
    /// value matters.
    fn key(&self, cube: &Cube, mv: AxisMove, action: Action) -> usize;

    /// What becomes of a value under a move and an action with a key.
    fn image(&self, key: usize, value: usize) -> usize;
}
