//! A position in a component, and its place in a pruning table.

use crate::coord::ClassAction;

/// A position in a component: the class of the symmetry coordinate, and the raw coordinates as they
/// are after the action that carries the symmetry coordinate to the class' representative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    pub(super) symmetry: ClassAction,
    pub(super) first: u16,
    pub(super) second: u16,
}

impl Node {
    /// A node by its class, the number of the action that carries the position at hand to the
    /// representative, and the raw coordinates.
    #[must_use]
    pub fn new(symmetry: ClassAction, first: u16, second: u16) -> Node {
        Node {
            symmetry,
            first,
            second,
        }
    }

    /// The class of the symmetry coordinate.
    #[must_use]
    #[inline]
    pub fn class(&self) -> usize {
        self.symmetry.class()
    }

    /// The number of the action that carries the position at hand to this one.
    #[must_use]
    #[inline]
    pub fn action(&self) -> usize {
        self.symmetry.action()
    }

    /// The first raw coordinate.
    #[must_use]
    #[inline]
    pub fn first(&self) -> usize {
        self.first as usize
    }

    /// The second raw coordinate.
    #[must_use]
    #[inline]
    pub fn second(&self) -> usize {
        self.second as usize
    }

    /// The same position, carried by the action with a number.
    pub(super) fn with_action(self, action: usize) -> Node {
        Node {
            symmetry: self.symmetry.with_action(action as u8),
            ..self
        }
    }
}

/// Where the entries of a pruning table are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strides(pub(super) [usize; 3]);

impl Strides {
    /// A node's place.
    #[inline]
    pub(crate) fn index(self, node: &Node) -> usize {
        let Strides([class, first, second]) = self;
        node.class() * class + node.first() * first + node.second() * second
    }
}
