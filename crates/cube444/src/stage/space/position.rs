//! Positions of a stage, and their indices in pruning tables.

use crate::coord::ClassAction;

/// A position: the class of the symmetry coordinate, and the raw coordinates after the action that maps the
/// symmetry coordinate to the class' representative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The class of the symmetry coordinate, and the action that maps the coordinate to its representative.
    pub(super) symmetry: ClassAction,
    pub(crate) first: u16,
    pub(super) second: u16,
}

/// The strides of a pruning table: how much its index grows with the class and each raw coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strides(pub(super) [usize; 3]);

impl Strides {
    /// The index of a position.
    #[inline]
    pub(crate) fn index(self, position: &Position) -> usize {
        let Strides([class, first, second]) = self;
        let (i, j) = (usize::from(position.first), usize::from(position.second));
        position.symmetry.class() * class + i * first + j * second
    }
}
