//! Depth-first enumeration of the ways to finish a stage at one exact cost.

use std::sync::Arc;

use crate::search::{Meter, Stopped};
use crate::table::NibbleTable;

use super::automaton::{Automaton, Step};
use super::space::{Position, Space, Strides};

/// A stage with the pruning tables that it is searched with. The greatest of their entries is a lower
/// bound of the distance, and the distance itself if one is exact (up to the greatest entry).
pub(super) struct BoundedSpace {
    pub(super) space: Arc<Space>,
    pub(super) tables: Vec<(Strides, NibbleTable)>,
}

impl BoundedSpace {
    /// A lower bound of the cost to finish the stage from a position.
    #[inline]
    pub(super) fn bound(&self, position: &Position) -> u8 {
        let tables = self.tables.iter();
        let bounds = tables.map(|(strides, table)| table.get(strides.index(position)));
        bounds.max().unwrap_or(0)
    }

    /// Asks the processor to fetch what [`BoundedSpace::bound`] will look up soon.
    #[inline]
    pub(super) fn prefetch(&self, position: &Position) {
        for (strides, table) in &self.tables {
            table.prefetch(strides.index(position));
        }
    }

    /// Whether the cost to finish the stage from a position exceeds a limit, as far as the tables
    /// tell.
    #[inline]
    fn exceeds(&self, position: &Position, limit: u8) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|(strides, table)| table.get(strides.index(position)) > limit)
    }
}

/// A position that has been expanded.
struct Frame {
    /// Where its children begin and which of them is next.
    base: usize,
    next: usize,
    /// What may still be spent from it.
    left: u8,
}

/// Lists every canonical sequence of generators of one exact cost that leads from a position to a goal
/// and ends where a stage may end; each sequence of axis moves once.
pub(super) struct Enumeration<'a> {
    stage: &'a BoundedSpace,
    /// The position to begin with, and the cost; none if it has been expanded.
    root: Option<(Position, u8)>,
    /// The positions on the way to the one at hand.
    frames: Vec<Frame>,
    /// The children of all of them, from the next one on.
    children: Vec<(Position, Step)>,
    path: Vec<u8>,
}

impl<'a> Enumeration<'a> {
    pub(super) fn new(stage: &'a BoundedSpace) -> Enumeration<'a> {
        Enumeration {
            stage,
            root: None,
            frames: Vec::with_capacity(32),
            children: Vec::with_capacity(1024),
            path: Vec::with_capacity(32),
        }
    }

    /// Begins at a position, with exactly `cost` to spend.
    pub(super) fn begin(&mut self, root: Position, cost: u8) {
        self.root = Some((root, cost));
        self.frames.clear();
        self.children.clear();
        self.path.clear();
    }

    /// The generators that lead to a goal, and the goal.
    pub(super) fn next(
        &mut self,
        meter: &mut Meter<'_>,
    ) -> Result<Option<(&[u8], Position)>, Stopped> {
        let radius = self.stage.space.known_radius();
        if let Some((root, cost)) = self.root.take() {
            if cost > 0 {
                self.expand(root, Automaton::START, cost, meter)?;
            } else if self.stage.space.is_goal(&root) {
                meter.statistics.endings += 1;
                return Ok(Some((&self.path, root)));
            }
        }
        while let Some(frame) = self.frames.last_mut() {
            let Some(&(child, step)) = self.children.get(frame.next) else {
                self.children.truncate(frame.base);
                self.frames.pop();
                continue;
            };
            frame.next += 1;
            let left = frame.left - step.cost;
            if left > radius {
                meter.statistics.lookups += 1;
                if self.stage.exceeds(&child, left) {
                    continue;
                }
            }
            self.path.truncate(self.frames.len() - 1);
            self.path.push(step.generator);
            if left > 0 {
                self.expand(child, step.state, left, meter)?;
            } else {
                // With nothing left, only goals are listed: they are within every radius.
                meter.statistics.endings += 1;
                return Ok(Some((&self.path, child)));
            }
        }
        Ok(None)
    }

    /// Lists the children of a position.
    #[inline]
    fn expand(
        &mut self,
        position: Position,
        state: u8,
        left: u8,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stopped> {
        let BoundedSpace { space, .. } = self.stage;
        let base = self.children.len();
        space.expand(&position, state, left, &mut self.children);
        // All bounds are fetched before the first is looked at: the processor waits for all the
        // tables' cache misses together.
        for (child, step) in &self.children[base..] {
            if left - step.cost > space.known_radius() {
                self.stage.prefetch(child);
            }
        }
        self.frames.push(Frame {
            base,
            next: base,
            left,
        });
        meter.node()
    }
}
