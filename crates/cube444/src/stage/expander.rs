//! The positions that can follow a position in a search.

use crate::coord::ClassAction;
use crate::coord::combinatorics::elements;
use crate::cube::AxisMove;
use crate::cube::turn::PATTERNS;
use crate::search::turns::{Automaton, Step};

use super::near_goal::NearGoal;
use super::space::{Position, Space};

/// Lists the positions that can follow a position.
pub(crate) struct Expander {
    /// Enumerates the sequences of generators.
    pub(crate) automaton: Automaton,
    near_goal: NearGoal,
    class_distances: Vec<u8>,
    pattern_costs: [u8; PATTERNS],
}

impl Expander {
    /// The expander of a stage.
    pub(crate) fn new(space: &Space) -> Expander {
        // Turns with which a sequence need not end, because the next stage can make them.
        let next = if space.spec.stops_at_goals {
            space.next.after_all(&space.spec.rotations)
        } else {
            space.next
        };
        let freedom = &space.spec.freedom;
        Expander {
            automaton: Automaton::new(&space.generators, freedom, &next, space.metric),
            near_goal: NearGoal::new(space),
            class_distances: space.class_distances(),
            pattern_costs: space.metric.pattern_costs(),
        }
    }

    /// Whether two moves about one axis cost less if they are joined.
    pub(crate) fn saves(&self, first: AxisMove, second: AxisMove) -> bool {
        let cost = |mv: AxisMove| self.pattern_costs[mv.pattern() as usize];
        first.axis() == second.axis() && cost(first.joined(second)) < cost(first) + cost(second)
    }

    /// The distance up to which [`Expander::expand`] knows exact distances.
    #[inline]
    pub(crate) fn known_radius(&self) -> u8 {
        self.near_goal.radius
    }

    /// A lower bound of the distances of all positions of a class.
    #[inline]
    pub(crate) fn class_distance(&self, class: ClassAction) -> u8 {
        self.class_distances[class.class()]
    }

    /// Appends the positions that can follow a position in a state of the automaton, with exactly the cost
    /// `left`: those that leave some cost, and those that end the stage. Positions are omitted if the distance of
    /// their class shows that the goal cannot be reached at the cost that they leave, and, if this cost is at
    /// most [`Expander::known_radius`], whenever the goal cannot be reached at it.
    #[inline]
    pub(crate) fn expand(
        &self,
        space: &Space,
        position: &Position,
        state: u8,
        left: u8,
        into: &mut Vec<(Position, Step)>,
    ) {
        let (automaton, near_goal) = (&self.automaton, &self.near_goal);
        let distances = self.class_distances.as_slice();
        let neighbours = space.neighbours(position);
        let radius = near_goal.radius;
        let steps = automaton.steps(state);
        if left <= radius && left > 0 {
            let onward = near_goal.onward(space.key(position), left);
            let originals = space.originals(position);
            // Few generators lead on, so this goes over them instead of all steps. The halves of a mask take far
            // fewer instructions than a number of 128 bits.
            let mut leading = [0; 2];
            let halves = [onward as u64, (onward >> 64) as u64];
            for (half, set) in halves.into_iter().enumerate() {
                for conjugate in elements(set) {
                    let generator = originals[64 * half + conjugate];
                    if let Some(index) = automaton.index(state, generator) {
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
                let distance = distances[neighbours.class(step.generator)];
                if distance > left {
                    continue;
                }
                let child = neighbours.child(step.generator);
                let leads_on = if left > radius {
                    // Only positions of the classes of goals are goals.
                    distance > 0 || !near_goal.must_stop(|| space.key(&child))
                } else {
                    near_goal.is_within(space.key(&child), left)
                };
                if leads_on {
                    into.push((child, *step));
                }
            }
        }
    }
}
