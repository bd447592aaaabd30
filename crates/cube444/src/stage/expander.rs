//! The positions that can follow a position in a search.

use crate::coord::ClassAction;
use crate::coord::combinatorics::elements;
use crate::cube::AxisMove;
use crate::cube::turn::PATTERNS;
use crate::search::turns::{TurnState, Turns};

use super::near_goal::NearGoal;
use super::space::{Position, Space};

/// A position that can follow another one.
#[derive(Clone, Copy)]
pub(crate) struct Child {
    pub(crate) position: Position,
    /// The generator that leads to it.
    pub(crate) generator: u8,
    /// The state after the generator.
    pub(crate) state: TurnState,
    /// The cost left after the generator.
    pub(crate) left: u8,
}

/// Lists the positions that can follow a position.
pub(crate) struct Expander {
    /// The generators as turns.
    pub(crate) turns: Turns<u64, 64>,
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
        Expander {
            turns: Turns::derive(&space.generators, &next, space.metric, 0..1),
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

    /// Appends the positions that can follow a position in a state of the turns, with exactly the cost `left`: those
    /// that leave some cost, and those that end the stage. Positions are omitted if their class is farther from the
    /// goal than the cost that they leave. Up to a cost of [`Expander::known_radius`], all positions that are farther
    /// are omitted. Turns that continue the last run come first.
    #[inline]
    pub(crate) fn expand(
        &self,
        space: &Space,
        position: &Position,
        state: TurnState,
        left: u8,
        into: &mut Vec<Child>,
    ) {
        let (turns, near_goal) = (&self.turns, &self.near_goal);
        let costs = space.generators.costs.as_slice();
        let distances = self.class_distances.as_slice();
        let neighbors = space.neighbors(position);
        let radius = near_goal.radius;
        let is_known = left <= radius;
        let mut following = turns.within(state, left);
        if is_known {
            let onward = near_goal.onward(space.key(position), left);
            let originals = space.originals(position);
            // Few generators lead on, so this goes over them instead of all that may follow. The halves of a mask take
            // far fewer instructions than a number of 128 bits.
            let mut leading = 0;
            for (half, set) in [onward as u64, (onward >> 64) as u64]
                .into_iter()
                .enumerate()
            {
                for conjugate in elements(set) {
                    // Generators from 64 on are images that never follow.
                    let generator = originals[64 * half + conjugate];
                    leading |= 1u64.checked_shl(generator.into()).unwrap_or(0);
                }
            }
            following &= leading;
        }
        let continuing = turns.continuing(state);
        for set in [following & continuing, following & !continuing] {
            for generator in elements(set) {
                let left = left - costs[generator];
                // This rules out most children, and takes fewer lookups than their positions.
                let distance = || distances[neighbors.class(generator as u8)];
                if !is_known && distance() > left {
                    continue;
                }
                let position = neighbors.child(generator as u8);
                let leads_on = if is_known {
                    true
                } else if left > radius {
                    // Only positions of the classes of goals are goals.
                    distance() > 0 || !near_goal.must_stop(|| space.key(&position))
                } else {
                    near_goal.is_within(space.key(&position), left)
                };
                if leads_on {
                    into.push(Child {
                        position,
                        generator: generator as u8,
                        state: turns.after(state, generator),
                        left,
                    });
                }
            }
        }
    }
}
