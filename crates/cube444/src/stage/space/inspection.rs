//! Methods for tests.

use crate::cube::Cube;
use crate::search::Freedom;
use crate::stage::automaton::Automaton;

use super::{Position, Space};

impl Space {
    /// The turns of the next stage.
    pub(crate) fn next(&self) -> &Freedom {
        &self.next
    }

    /// The automaton that enumerates sequences of generators.
    pub(crate) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The number of goals, not reduced by symmetry.
    pub(crate) fn goal_count(&self) -> usize {
        let orbit = |goal: &Position| {
            let stabiliser = self.classes().stabiliser(goal.class());
            self.group().len() / (stabiliser.len() + 1)
        };
        self.goals().iter().map(orbit).sum()
    }

    /// The position of a cube, which must meet the goals of the stages before.
    pub(crate) fn position(&self, cube: &Cube) -> Position {
        self.moves.position(cube)
    }

    /// Whether two positions are equal up to symmetry.
    pub(crate) fn are_symmetric(&self, a: &Position, b: &Position) -> bool {
        let least = |position| self.images(position).into_iter().min();
        least(a) == least(b)
    }
}
