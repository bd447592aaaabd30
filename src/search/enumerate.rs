//! Depth-first enumeration of the ways to finish a stage at one exact cost.

use std::ops::ControlFlow;

use super::space::SearchSpace;
use crate::limits::{Limits, Meter, Statistics};
use crate::stage::Step;

/// Lists every canonical sequence of generators of exactly `cost` that leads from `root` to a goal
/// and ends where a stage may end; `visit` gets the generators' numbers in order.
///
/// Every sequence of axis moves is visited once. Returns what was done.
pub fn enumerate<S: SearchSpace>(
    space: &S,
    root: S::Node,
    cost: u8,
    limits: &Limits,
    mut visit: impl FnMut(&[u8]),
) -> Statistics {
    let mut meter = Meter::new(limits);
    let mut visit = |path: &[u8], _: &S::Node, _: &mut Meter<'_>| {
        visit(path);
        ControlFlow::Continue(())
    };
    let _ = enumerate_metered(space, root, cost, &mut meter, &mut visit);
    meter.statistics
}

/// As [`enumerate`], on a running meter, until `visit` breaks or the meter says to stop. Break with
/// `Some` means that the search must go on no further; hurrying is up to `visit`.
pub(crate) fn enumerate_metered<S: SearchSpace>(
    space: &S,
    root: S::Node,
    cost: u8,
    meter: &mut Meter<'_>,
    visit: &mut impl FnMut(&[u8], &S::Node, &mut Meter<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut descent = Descent {
        space,
        meter,
        visit,
        path: Vec::with_capacity(32),
        children: Vec::with_capacity(1024),
    };
    if cost == 0 {
        return if space.is_goal(&root) {
            descent.end(&root)
        } else {
            ControlFlow::Continue(())
        };
    }
    descent.below(root, 0, cost)
}

struct Descent<'a, 'm, S: SearchSpace, V> {
    space: &'a S,
    meter: &'a mut Meter<'m>,
    visit: &'a mut V,
    path: Vec<u8>,
    /// Children that wait for their turn, of all nodes on the way here.
    children: Vec<(S::Node, Step)>,
}

impl<S: SearchSpace, V: FnMut(&[u8], &S::Node, &mut Meter<'_>) -> ControlFlow<()>>
    Descent<'_, '_, S, V>
{
    fn end(&mut self, node: &S::Node) -> ControlFlow<()> {
        self.meter.statistics.endings += 1;
        (self.visit)(&self.path, node, self.meter)
    }

    /// Visits what can be reached from `node` with exactly `left`.
    fn below(&mut self, node: S::Node, state: u8, left: u8) -> ControlFlow<()> {
        // All children are worked out and their bounds fetched before the first is looked at: the
        // processor waits for all the tables' cache misses together.
        let base = self.children.len();
        self.space.expand(&node, state, left, &mut self.children);
        let end = self.children.len();
        self.meter.node()?;
        for index in base..end {
            let (child, step) = self.children[index];
            let left = left - step.cost;
            if !self.space.is_known(left) {
                self.meter.statistics.lookups += 1;
                if self.space.exceeds(&child, left) {
                    continue;
                }
            }
            self.path.push(step.generator);
            if left > 0 {
                self.below(child, step.state, left)?;
            } else if self.space.is_known(0) || self.space.is_goal(&child) {
                self.end(&child)?;
            }
            self.path.pop();
        }
        self.children.truncate(base);
        ControlFlow::Continue(())
    }
}
