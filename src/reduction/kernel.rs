//! What a stage of the reduction method offers to a search.

use std::ops::ControlFlow;

use super::turns::{RunState, Turns};
use crate::cube::{Cube, Symmetry};

/// A stage: its turns, its positions, and the ways to finish it.
pub trait StageKernel {
    /// A position, with the state of the sequence that led to it.
    type Node: Copy;

    /// The stage's turns, whose numbers paths consist of.
    fn turns(&self) -> &Turns;

    /// The position of a cube, and a lower bound of the turns to the stage's goal. `state` says what
    /// the last run of the stage before has turned.
    fn enter(&self, cube: &Cube, state: RunState) -> (Self::Node, u8);

    /// Visits every canonical way to finish the stage with exactly `cost` turns, once, as the
    /// numbers of its turns, until `visit` or `meter` breaks.
    fn endings(
        &self,
        node: &Self::Node,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// How the whole cube must be turned after an ending, so that the next stage can be entered.
    fn settle(&self, ending: &Cube) -> Symmetry;
}

/// Counts what an enumeration does, and stops it.
pub struct Meter<'a> {
    /// Positions expanded.
    pub nodes: u64,
    /// Positions whose bound was looked up.
    pub lookups: u64,
    /// The number of nodes at which `stop` is asked next.
    next_look: u64,
    stop: &'a mut dyn FnMut(u64) -> bool,
}

/// Nodes between two questions whether to stop: some tens of microseconds.
const NODES_PER_LOOK: u64 = 256;

impl<'a> Meter<'a> {
    /// A meter that asks `stop` now and then, with the number of nodes so far, whether to stop.
    pub fn new(stop: &'a mut dyn FnMut(u64) -> bool) -> Meter<'a> {
        Meter {
            nodes: 0,
            lookups: 0,
            next_look: NODES_PER_LOOK,
            stop,
        }
    }

    /// Counts a node; breaks if the enumeration must stop.
    #[inline]
    pub(super) fn node(&mut self) -> ControlFlow<()> {
        self.nodes += 1;
        if self.nodes < self.next_look {
            return ControlFlow::Continue(());
        }
        self.next_look = self.nodes + NODES_PER_LOOK;
        if (self.stop)(self.nodes) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Counts a lookup.
    #[inline]
    pub(super) fn lookup(&mut self) {
        self.lookups += 1;
    }
}
