//! Where generators lead from a node.

use crate::coord::ClassSym;
use crate::stage::Cover;
use crate::stage::automaton::Step;

use super::{Node, Space};

impl Space {
    /// The node after a generator.
    #[must_use]
    pub fn child(&self, node: &Node, generator: u8) -> Node {
        self.neighbours(node).child(generator)
    }

    /// The neighbours of a node, prepared for looking several up.
    #[inline]
    fn neighbours(&self, node: &Node) -> Neighbours<'_> {
        let count = self.generators.len();
        let row = |index: usize| index * count..(index + 1) * count;
        Neighbours {
            space: self,
            node: *node,
            conjugates: &self.conjugates[row(node.sym as usize)],
            lead: &self.lead_moves[row(node.class as usize)],
            reorderings: (!self.reorderings.is_empty())
                .then(|| &self.reorderings[row(node.class as usize)]),
            second: &self.second_moves[row(node.second as usize)],
        }
    }

    /// Up to this distance, [`Space::expand`] knows where the goal is.
    #[must_use]
    #[inline]
    pub fn known_radius(&self) -> u8 {
        self.endgame.radius()
    }

    /// Appends the nodes that can follow `node`, in a state of the automaton, where exactly `left`
    /// may still be spent: those after which something is left, and those that end the stage. Left
    /// out are those that are farther from the goal than what is then left, if that is at most
    /// [`Space::known_radius`].
    #[inline]
    pub fn expand(&self, node: &Node, state: u8, left: u8, into: &mut Vec<(Node, Step)>) {
        let neighbours = self.neighbours(node);
        let radius = self.endgame.radius();
        let layout = self.strides(Cover::Both);
        let steps = self.automaton.steps(state).iter();
        let steps = steps.filter(|step| step.cost < left || (step.cost == left && step.ends));
        if left <= radius && left > 0 {
            let ways = self.endgame.ways(layout.index(node) as u64, left);
            for step in steps {
                if ways >> neighbours.conjugates[step.generator as usize] & 1 != 0 {
                    into.push((neighbours.child(step.generator), *step));
                }
            }
        } else {
            for step in steps {
                let child = neighbours.child(step.generator);
                let left = left - step.cost;
                if left > radius || self.endgame.is_within(layout.index(&child) as u64, left) {
                    into.push((child, *step));
                }
            }
        }
    }
}

/// A node's rows of the move tables.
struct Neighbours<'a> {
    space: &'a Space,
    node: Node,
    conjugates: &'a [u8],
    lead: &'a [ClassSym],
    reorderings: Option<&'a [u16]>,
    second: &'a [u16],
}

impl Neighbours<'_> {
    #[inline]
    fn child(&self, generator: u8) -> Node {
        let Neighbours { space, node, .. } = self;
        let conjugate = self.conjugates[generator as usize] as usize;
        let lead = self.lead[conjugate];
        let key = match self.reorderings {
            Some(reorderings) => reorderings[conjugate] as usize,
            None => conjugate * space.group.len() + lead.sym(),
        };
        let moved = self.second[conjugate] as usize;
        Node {
            class: lead.class() as u32,
            first: space.first_images[key * space.first_size + node.first as usize],
            sym: space.group.then(node.sym as usize, lead.sym()) as u8,
            second: space.second_syms[lead.sym() * space.second_size + moved],
        }
    }
}
