//! What the enumeration needs to know of a stage.

use crate::stage::Step;

/// Positions, the steps that may follow each other, and lower bounds of the cost that is left.
pub trait SearchSpace {
    /// A position.
    type Node: Copy;

    /// Appends the positions that can follow `node`, in a state of the enumeration (0 is the start),
    /// where exactly `left` may still be spent: those after which something is left, and those that
    /// end the stage. The bounds of those that need it will be asked for soon.
    fn expand(&self, node: &Self::Node, state: u8, left: u8, into: &mut Vec<(Self::Node, Step)>);

    /// Whether `expand` lists no position from which finishing costs more than is left, where that
    /// is `left`: then there is no need to ask [`SearchSpace::exceeds`].
    fn is_known(&self, left: u8) -> bool;

    /// Whether the cost to finish from a position is known to exceed a limit.
    fn exceeds(&self, node: &Self::Node, limit: u8) -> bool;

    /// Whether the goal is reached.
    fn is_goal(&self, node: &Self::Node) -> bool;
}
