//! What only tests ask of a stage.

use crate::cube::Cube;
use crate::search::Freedom;
use crate::stage::automaton::Automaton;
use crate::stage::spec::Projection;

use super::{Position, Space};

impl Space {
    /// What may be turned after the stage.
    pub(crate) fn next(&self) -> &Freedom {
        &self.next
    }

    /// The automaton that enumerates sequences of generators.
    pub(crate) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// A position's place in a projection's pruning table.
    pub(crate) fn index(&self, projection: Projection, position: &Position) -> usize {
        self.strides(projection).index(position)
    }

    /// The number of positions, unreduced, in which the stage is done.
    pub(crate) fn goal_count(&self) -> usize {
        let orbit = |goal: &Position| {
            let stabiliser = self.classes().stabiliser(goal.class());
            self.group().len() / (stabiliser.len() + 1)
        };
        self.goals().iter().map(orbit).sum()
    }

    /// The position of a cube, which must be one on which the stage is defined.
    pub(crate) fn position(&self, cube: &Cube) -> Position {
        self.moves.position(cube)
    }

    /// The position after a generator.
    pub(crate) fn child(&self, position: &Position, generator: u8) -> Position {
        self.moves.child(position, generator)
    }

    /// A position and those that are the same up to the symmetries that keep its class'
    /// representative. Positions are the same up to symmetry if and only if these are the same.
    pub(crate) fn images(&self, position: &Position) -> Vec<Position> {
        let images = self.moves.images(position).into_iter();
        images.map(|(image, _)| image).collect()
    }

    /// Whether two positions are the same up to symmetry.
    pub(crate) fn are_symmetric(&self, a: &Position, b: &Position) -> bool {
        let least = |position| self.images(position).into_iter().min();
        least(a) == least(b)
    }
}
