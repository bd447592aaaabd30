//! Depth-first enumeration of the endings of a declared stage at an exact cost.

use std::sync::Arc;

use crate::search::{Meter, Stopped};
use crate::table::NibbleTable;

use super::automaton::{Automaton, Step};
use super::space::{Position, Space, Strides};

/// A stage with its pruning tables. The greatest of their entries for a position is a lower bound of its
/// distance.
pub(super) struct BoundedSpace {
    pub(super) space: Arc<Space>,
    pub(super) tables: Vec<(Strides, NibbleTable)>,
    /// Whether the entries of the only table are exact distances, except the greatest.
    pub(super) is_exact: bool,
}

impl BoundedSpace {
    /// A lower bound of the distance of a position.
    #[inline]
    pub(super) fn bound(&self, position: &Position) -> u8 {
        let tables = self.tables.iter();
        let bounds = tables.map(|(strides, table)| table.get(strides.index(position)));
        bounds.max().unwrap_or(0)
    }

    /// Prefetches the entries of a position.
    #[inline]
    pub(super) fn prefetch(&self, position: &Position) {
        for (strides, table) in &self.tables {
            table.prefetch(strides.index(position));
        }
    }

    /// Whether the tables show that the distance of a position exceeds a limit.
    #[inline]
    fn exceeds(&self, position: &Position, limit: u8) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|(strides, table)| table.get(strides.index(position)) > limit)
    }
}

/// A position that has been expanded.
struct StackFrame {
    /// The index of its first child, and that of the next child.
    base: usize,
    next: usize,
    /// The cost left.
    left: u8,
}

/// An iterator over the canonical sequences of generators with an exact cost that lead from a position to a
/// goal and end where the stage may end. Lists each sequence of axis moves once.
pub(super) struct Enumeration<'a> {
    stage: &'a BoundedSpace,
    /// The first position and the cost; `None` after it has been expanded.
    root: Option<(Position, u8)>,
    /// The positions on the path to the current one.
    frames: Vec<StackFrame>,
    /// The children of all frames.
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

    /// Starts at a position. Sequences must have exactly this cost.
    pub(super) fn begin(&mut self, root: Position, cost: u8) {
        self.root = Some((root, cost));
        self.frames.clear();
        self.children.clear();
        self.path.clear();
    }

    /// The next sequence, and the goal that it leads to.
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
                // With no cost left, `Space::expand` lists only goals.
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
        // Prefetch all bounds before the first one is looked up, so that their cache misses overlap.
        for (child, step) in &self.children[base..] {
            if left - step.cost > space.known_radius() {
                self.stage.prefetch(child);
            }
        }
        self.frames.push(StackFrame {
            base,
            next: base,
            left,
        });
        meter.node()
    }
}
