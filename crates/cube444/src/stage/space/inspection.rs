//! Methods for tests.

use super::{Position, Space};
use crate::stage::spec::Projection;

impl Space {
    /// The index of a position in the pruning table of a projection.
    pub(crate) fn index(&self, projection: Projection, position: &Position) -> usize {
        self.strides(projection).index(position)
    }

    /// The position after a generator.
    pub(crate) fn child(&self, position: &Position, generator: u8) -> Position {
        self.neighbors(position).child(generator)
    }

    /// The number of goals, not reduced by symmetry.
    pub(crate) fn goal_count(&self) -> usize {
        let orbit = |goal: &Position| {
            let stabilizer = self.classes.stabilizer(goal.symmetry.class());
            self.group.len() / (stabilizer.len() + 1)
        };
        self.goals().map(|goal| orbit(&goal)).sum()
    }

    /// Whether a position is a goal.
    pub(crate) fn is_goal(&self, position: &Position) -> bool {
        self.goal_rotation(position).is_some()
    }

    /// Whether two positions are equal up to symmetry.
    pub(crate) fn are_symmetric(&self, a: &Position, b: &Position) -> bool {
        let least = |position| self.images(position).min();
        least(a) == least(b)
    }
}
