//! The neighbours of a position.

use crate::coord::combinatorics::elements;
use crate::stage::automaton::Step;

use super::move_tables::Rows;
use super::{Position, Space};

/// The neighbours of a position, one for each generator.
pub(crate) struct Neighbours<'a> {
    rows: Rows<'a>,
    /// The generators in the frame of the position's representative.
    conjugates: &'a [u8],
}

impl Neighbours<'_> {
    /// The position after a generator.
    // Inlined, because every caller is the innermost loop of a search.
    #[inline(always)]
    pub(crate) fn child(&self, generator: u8) -> Position {
        self.rows
            .child(self.conjugates[generator as usize] as usize)
    }

    /// Its class.
    #[inline(always)]
    fn class(&self, generator: u8) -> usize {
        self.rows
            .class(self.conjugates[generator as usize] as usize)
    }
}

impl Space {
    /// The neighbours of a position.
    #[inline(always)]
    pub(crate) fn neighbours(&self, position: &Position) -> Neighbours<'_> {
        Neighbours {
            rows: self.moves.rows(*position),
            conjugates: self.moves.conjugates(position),
        }
    }

    /// The generators with given conjugates in the frame of the representative of a position.
    #[inline(always)]
    pub(crate) fn originals(&self, position: &Position) -> &[u8] {
        self.moves.originals(position)
    }

    /// Prefetches what [`Space::neighbours`] reads from the largest table.
    #[inline(always)]
    pub(crate) fn prefetch(&self, position: &Position) {
        self.moves.prefetch(position);
    }

    /// The position after a generator.
    #[inline]
    pub(crate) fn child(&self, position: &Position, generator: u8) -> Position {
        self.moves.child(position, generator)
    }

    /// The distance up to which [`Space::expand`] knows exact distances.
    #[inline]
    pub(crate) fn known_radius(&self) -> u8 {
        self.near_goal.radius()
    }

    /// Appends the positions that can follow a position in a state of the automaton, with exactly the cost
    /// `left`: those that leave some cost, and those that end the stage. Positions are omitted if the distance of
    /// their class shows that the goal cannot be reached at the cost that they leave, and, if this cost is at
    /// most [`Space::known_radius`], whenever the goal cannot be reached at it.
    #[inline]
    pub(crate) fn expand(
        &self,
        position: &Position,
        state: u8,
        left: u8,
        into: &mut Vec<(Position, Step)>,
    ) {
        let neighbours = self.neighbours(position);
        let radius = self.near_goal.radius();
        let steps = self.automaton.steps(state);
        if left <= radius && left > 0 {
            let onward = self.near_goal.onward(self.moves.key(position), left);
            let originals = self.moves.originals(position);
            // Few generators lead on, so this goes over them instead of all steps. The halves of a mask take far
            // fewer instructions than a number of 128 bits.
            let mut leading = [0; 2];
            for (half, set) in [onward as u64, (onward >> 64) as u64]
                .into_iter()
                .enumerate()
            {
                for conjugate in elements(set) {
                    let generator = originals[64 * half + conjugate];
                    if let Some(index) = self.automaton.index(state, generator) {
                        leading[index / 64] |= 1u64 << (index % 64);
                    }
                }
            }
            // In the order of the steps.
            for (half, set) in leading.into_iter().enumerate() {
                for index in elements(set) {
                    let step = steps[64 * half + index];
                    if step.fits(left) {
                        into.push((neighbours.child(step.generator), step));
                    }
                }
            }
        } else {
            for step in steps.iter().filter(|step| step.fits(left)) {
                let left = left - step.cost;
                // This rules out most children, and takes fewer lookups than their positions.
                let distance = self.class_distances[neighbours.class(step.generator)];
                if distance > left {
                    continue;
                }
                let child = neighbours.child(step.generator);
                let leads_on = if left > radius {
                    // Only positions of the classes of goals are goals.
                    distance > 0 || !self.near_goal.must_stop(|| self.moves.key(&child))
                } else {
                    self.near_goal.is_within(self.moves.key(&child), left)
                };
                if leads_on {
                    into.push((child, *step));
                }
            }
        }
    }
}
