//! Depth-first enumeration of the endings of a declared stage at an exact cost.

use std::ops::Range;

use crate::cube::{AxisMove, Cube};
use crate::search::{Ending, Endings, Entrant, Meter, MoveSet, Outcome, Replay};

use super::bounded::{BoundedSpace, SpaceNode};
use super::space::Position;

/// An iterator over the endings of a declared stage: the canonical sequences of generators with an exact cost that
/// lead from an entrant to a goal and end where the stage may end. Lists each sequence of axis moves once.
pub(super) struct Enumeration<'a> {
    stage: &'a BoundedSpace,
    /// The positions of the entrants.
    positions: Vec<Position>,
    /// The position of the entrant if the cost is 0, which may be an ending itself.
    start: Option<Position>,
    /// For each position on the path to the current one, the indices of its children that are still to be looked at.
    levels: Vec<Range<usize>>,
    /// The children of all of them.
    children: Vec<SpaceNode>,
    /// The moves of the current path, one for each level, and then any others.
    moves: Vec<AxisMove>,
    replay: Replay<Cube>,
}

impl Endings for Enumeration<'_> {
    fn begin(&mut self, index: usize, entrant: &Entrant, cost: u8, meter: &mut Meter) -> Outcome {
        self.levels.clear();
        self.children.clear();
        self.replay.begin(entrant.cube);
        let BoundedSpace { space, turns, .. } = self.stage;
        let root = SpaceNode::root(turns, self.positions[index], cost);
        self.start = (cost == 0).then_some(root.position);
        if cost == 0 {
            return Ok(());
        }
        self.expand(&root, meter)?;
        // The stage before also ends with the two joined, if it allows them. The last stage has to find the
        // shortest way from the one candidate that it may have.
        if !space.spec.widens && space.next != MoveSet::NONE {
            let (stage, moves) = (self.stage, turns.moves());
            let saves = |mv| stage.saves(entrant.last_run, mv);
            self.children
                .retain(|child| !saves(moves[child.generator as usize]));
            self.levels[0].end = self.children.len();
        }
        Ok(())
    }

    #[inline]
    fn next(&mut self, meter: &mut Meter) -> Outcome<Option<Ending<'_>>> {
        let space = &self.stage.space;
        while let Some(goal) = self.next_goal(meter)? {
            meter.statistics.endings += 1;
            let depth = self.levels.len();
            let cube = self.replay.cube(&self.moves[..depth]);
            if space.spec.condition.is_none_or(|holds| holds(&cube)) {
                let rotation = space.goal_rotation(&goal);
                return Ok(Some(Ending {
                    moves: &self.moves[..depth],
                    cube,
                    rotation: rotation.expect("an enumeration ends only at goals"),
                }));
            }
        }
        Ok(None)
    }
}

impl<'a> Enumeration<'a> {
    pub(super) fn new(stage: &'a BoundedSpace, positions: Vec<Position>) -> Enumeration<'a> {
        Enumeration {
            stage,
            positions,
            start: None,
            levels: Vec::with_capacity(32),
            children: Vec::with_capacity(1024),
            moves: vec![AxisMove::STILL; u8::MAX.into()],
            replay: Replay::new(Cube::solved()),
        }
    }

    /// Searches for the next sequence, and returns the goal that it leads to.
    fn next_goal(&mut self, meter: &mut Meter) -> Outcome<Option<Position>> {
        let stage = self.stage;
        let start = self.start.take();
        if start.is_some_and(|start| stage.space.goal_rotation(&start).is_some()) {
            return Ok(start);
        }
        while let Some(level) = self.levels.last_mut() {
            let Some(index) = level.next() else {
                self.levels.pop();
                let last = self.levels.last();
                self.children.truncate(last.map_or(0, |level| level.end));
                continue;
            };
            let child = self.children[index];
            if child.left > stage.near_goal.radius {
                meter.statistics.lookups += 1;
                if stage.exceeds(&child.position, child.left) {
                    continue;
                }
            }
            self.moves[self.levels.len() - 1] = stage.turns.moves()[child.generator as usize];
            if child.left == 0 {
                // With no cost left, `BoundedSpace::expand` lists only goals.
                return Ok(Some(child.position));
            }
            self.expand(&child, meter)?;
        }
        Ok(None)
    }

    /// Lists the children of a node.
    #[inline]
    fn expand(&mut self, node: &SpaceNode, meter: &mut Meter) -> Outcome {
        let base = self.children.len();
        self.stage.expand(node, &mut self.children);
        // Prefetch all bounds before the first one is looked up, so that their cache misses overlap.
        for child in &self.children[base..] {
            if child.left > self.stage.near_goal.radius {
                self.stage.prefetch(&child.position);
            }
        }
        self.levels.push(base..self.children.len());
        meter.node()
    }
}
