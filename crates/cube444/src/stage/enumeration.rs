//! Depth-first enumeration of the endings of a declared stage at an exact cost.

use std::ops::Range;
use std::sync::Arc;

use crate::cube::{AxisMove, Cube};
use crate::search::turns::TurnState;
use crate::search::{Ending, Endings, Entrant, Meter, MoveSet, Outcome, Premove, Replay};
use crate::table::{Bounds, NibbleTable};

use super::expander::{Child, Expander};
use super::space::{Position, Space, Strides};

/// A stage with its pruning tables. The greatest of their entries for a position is a lower bound of its
/// distance.
pub(super) struct BoundedSpace {
    pub(super) space: Arc<Space>,
    pub(super) expander: Expander,
    /// The premoves, the first one without turns.
    pub(super) premoves: Vec<Premove>,
    pub(super) tables: Vec<(Strides, NibbleTable)>,
    /// Whether the entries of the only table are exact distances, except the greatest.
    pub(super) is_exact: bool,
}

impl Bounds<&Position> for BoundedSpace {
    #[inline]
    fn prefetch(&self, position: &Position) {
        for (strides, table) in &self.tables {
            table.prefetch(strides.index(position));
        }
    }

    #[inline]
    fn bound(&self, position: &Position) -> u8 {
        let tables = self.tables.iter();
        let bounds = tables.map(|(strides, table)| table.get(strides.index(position)));
        bounds.max().unwrap_or(0)
    }

    #[inline]
    fn exceeds(&self, position: &Position, limit: u8) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|(strides, table)| table.get(strides.index(position)) > limit)
    }
}

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
    children: Vec<Child>,
    /// The moves of the current path, one for each level, and then any others.
    moves: Vec<AxisMove>,
    replay: Replay<Cube>,
}

impl Endings for Enumeration<'_> {
    fn begin(&mut self, index: usize, entrant: &Entrant, cost: u8, meter: &mut Meter) -> Outcome {
        self.levels.clear();
        self.children.clear();
        self.replay.begin(entrant.cube);
        self.start = (cost == 0).then_some(self.positions[index]);
        if cost == 0 {
            return Ok(());
        }
        let BoundedSpace {
            space, expander, ..
        } = self.stage;
        self.expand(
            self.positions[index],
            expander.turns.start(AxisMove::STILL),
            cost,
            meter,
        )?;
        // The stage before also ends with the two joined, if it allows them. The last stage has to find the
        // shortest way from the one candidate that it may have.
        if !space.spec.widens && space.next != MoveSet::NONE {
            let moves = expander.turns.moves();
            let saves = |mv| expander.saves(entrant.last_run, mv);
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
        let radius = self.stage.expander.known_radius();
        let start = self.start.take();
        if start.is_some_and(|start| self.stage.space.goal_rotation(&start).is_some()) {
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
            if child.left > radius {
                meter.statistics.lookups += 1;
                if self.stage.exceeds(&child.position, child.left) {
                    continue;
                }
            }
            let moves = self.stage.expander.turns.moves();
            self.moves[self.levels.len() - 1] = moves[child.generator as usize];
            if child.left == 0 {
                // With no cost left, `Expander::expand` lists only goals.
                return Ok(Some(child.position));
            }
            self.expand(child.position, child.state, child.left, meter)?;
        }
        Ok(None)
    }

    /// Lists the children of a position.
    #[inline]
    fn expand(
        &mut self,
        position: Position,
        state: TurnState,
        left: u8,
        meter: &mut Meter,
    ) -> Outcome {
        let (space, expander) = (&self.stage.space, &self.stage.expander);
        let base = self.children.len();
        expander.expand(space, &position, state, left, &mut self.children);
        // Prefetch all bounds before the first one is looked up, so that their cache misses overlap.
        for child in &self.children[base..] {
            if child.left > expander.known_radius() {
                self.stage.prefetch(&child.position);
            }
        }
        self.levels.push(base..self.children.len());
        meter.node()
    }
}
