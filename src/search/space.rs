//! What the enumeration needs to know of a stage.

use crate::stage::{Node, Space, StageTables, Step};

/// Positions, the steps that may follow each other, and lower bounds of the cost that is left.
pub trait SearchSpace {
    /// A position.
    type Node: Copy;

    /// The steps that may follow in a state of the enumeration; state 0 is the start.
    fn steps(&self, state: u8) -> &[Step];

    /// The position after a step.
    fn child(&self, node: &Self::Node, step: &Step) -> Self::Node;

    /// Announces that a position's bound will be asked for soon.
    fn prefetch(&self, _node: &Self::Node) {}

    /// Whether the cost to finish from a position is known to exceed a limit.
    fn exceeds(&self, node: &Self::Node, limit: u8) -> bool;

    /// Whether the goal is reached.
    fn is_goal(&self, node: &Self::Node) -> bool;
}

/// A stage with its tables.
#[derive(Clone, Copy)]
pub struct BoundedSpace<'a> {
    /// The stage.
    pub space: &'a Space,
    /// Its tables.
    pub tables: &'a StageTables,
}

impl SearchSpace for BoundedSpace<'_> {
    type Node = Node;

    #[inline]
    fn steps(&self, state: u8) -> &[Step] {
        self.space.automaton().steps(state)
    }

    #[inline]
    fn child(&self, node: &Node, step: &Step) -> Node {
        self.space.child(node, step.generator)
    }

    #[inline]
    fn prefetch(&self, node: &Node) {
        self.tables.prefetch(node);
    }

    #[inline]
    fn exceeds(&self, node: &Node, limit: u8) -> bool {
        self.tables.exceeds(node, limit)
    }

    fn is_goal(&self, node: &Node) -> bool {
        self.space.is_goal(node)
    }
}
