//! Where generators lead from a position.

use crate::stage::automaton::Step;

use super::component::Rows;
use super::node::Node;
use super::{Position, Space};

impl Space {
    /// The position after a generator.
    #[must_use]
    pub fn child(&self, position: &Position, generator: u8) -> Position {
        self.moves.child(position, generator)
    }

    /// Up to this distance, [`Space::expand`] knows where the goal is.
    #[must_use]
    #[inline]
    pub fn known_radius(&self) -> u8 {
        self.near_goal.radius()
    }

    /// Appends the positions that can follow `nodes`, in a state of the automaton, where exactly
    /// `left` may still be spent: those after which something is left, and those that end the stage.
    /// Left out are those that are farther from the goal than what is then left, if that is at most
    /// [`Space::known_radius`].
    ///
    /// `P` must be the number of the stage's components: it is a constant here so that the innermost
    /// loop of every search has no loop over components in it.
    ///
    /// # Panics
    ///
    /// If the stage has fewer than `P` components.
    #[inline]
    pub fn expand<const P: usize>(
        &self,
        nodes: &[Node; P],
        state: u8,
        left: u8,
        into: &mut Vec<([Node; P], Step)>,
    ) {
        let neighbours = self.neighbours(nodes);
        let radius = self.near_goal.radius();
        let keying = self.moves.keying::<P>();
        let steps = self.automaton.steps(state).iter();
        let steps = steps.filter(|step| step.cost < left || (step.cost == left && step.ends));
        if left <= radius && left > 0 {
            let onward = self.near_goal.onward(keying.key(nodes), left);
            let base = neighbours.conjugates[0];
            for step in steps {
                if onward >> base[step.generator as usize] & 1 != 0 {
                    into.push((neighbours.child(step.generator), *step));
                }
            }
        } else {
            for step in steps {
                let child = neighbours.child(step.generator);
                let left = left - step.cost;
                if left > radius || self.near_goal.is_within(keying.key(&child), left) {
                    into.push((child, *step));
                }
            }
        }
    }

    /// The neighbours of a position, prepared for looking several up.
    #[inline]
    fn neighbours<const P: usize>(&self, nodes: &[Node; P]) -> Neighbours<'_, P> {
        let rows = |number: usize| self.moves.components[number].rows(nodes[number]);
        let conjugates = |number: usize| self.moves.conjugates(&nodes[number]);
        Neighbours {
            space: self,
            rows: std::array::from_fn(rows),
            conjugates: std::array::from_fn(conjugates),
        }
    }
}

/// A position's rows of the move tables.
struct Neighbours<'a, const P: usize> {
    space: &'a Space,
    rows: [Rows<'a>; P],
    conjugates: [&'a [u8]; P],
}

impl<const P: usize> Neighbours<'_, P> {
    // Called in two places, of which each is the innermost loop of a search.
    #[inline(always)]
    fn child(&self, generator: u8) -> [Node; P] {
        std::array::from_fn(|number| {
            let conjugate = self.conjugates[number][generator as usize];
            self.rows[number].child(conjugate as usize, &self.space.moves.group)
        })
    }
}
