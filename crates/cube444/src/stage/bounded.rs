//! A declared stage with what its search looks up, and the nodes that follow a node.

use std::sync::Arc;

use crate::coord::combinatorics::elements;
use crate::cube::AxisMove;
use crate::cube::turn::PATTERNS;
use crate::search::turns::{TurnState, Turns};
use crate::search::{Premove, Profile};
use crate::table::{NibbleTable, Table};

use super::near_goal::NearGoal;
use super::premoves::premoves;
use super::space::{Position, Space, Strides};

/// A node of the search.
#[derive(Clone, Copy)]
pub(crate) struct SpaceNode {
    pub(crate) position: Position,
    /// The generator that leads to it; any for a root.
    pub(crate) generator: u8,
    /// The state after the generator.
    pub(crate) state: TurnState,
    /// The cost left after the generator.
    pub(crate) left: u8,
}

impl SpaceNode {
    /// A node before any turn.
    pub(crate) fn root<S: Copy, const N: usize>(
        turns: &Turns<S, N>,
        position: Position,
        left: u8,
    ) -> SpaceNode {
        SpaceNode {
            position,
            generator: 0,
            state: turns.start(AxisMove::STILL),
            left,
        }
    }
}

/// A stage with its pruning tables. The greatest of their entries for a position is a lower bound of its
/// distance.
pub(crate) struct BoundedSpace {
    pub(super) space: Arc<Space>,
    /// The generators as turns.
    pub(crate) turns: Turns<u64, 64>,
    pub(crate) near_goal: NearGoal,
    /// See [`Space::class_distances`].
    pub(super) class_distances: Vec<u8>,
    pattern_costs: [u8; PATTERNS],
    /// The premoves, the first one without turns.
    pub(super) premoves: Vec<Premove>,
    tables: Vec<(Strides, NibbleTable)>,
    /// Whether the entries of the only table are exact distances, except the greatest.
    pub(super) is_exact: bool,
}

impl BoundedSpace {
    /// A stage with its tables of a profile.
    pub(crate) fn new(
        space: Arc<Space>,
        profile: Profile,
        tables: Vec<Arc<Table>>,
    ) -> BoundedSpace {
        let projections = space.spec.projections(profile);
        let tables = projections.iter().zip(tables).map(|(&projection, table)| {
            let table = NibbleTable::new(table);
            let table = table.expect("all tables of a declared stage have four bits per entry");
            (space.strides(projection), table)
        });
        // Turns with which a sequence need not end, because the next stage can make them.
        let next = match space.spec.stops_at_goals {
            true => space.next.after_all(&space.spec.rotations),
            false => space.next,
        };
        BoundedSpace {
            turns: Turns::derive(&space.generators, &next, space.metric, 0..1),
            near_goal: NearGoal::new(&space),
            class_distances: space.class_distances(),
            pattern_costs: space.metric.pattern_costs(),
            premoves: premoves(&space),
            tables: tables.collect(),
            is_exact: matches!(*projections, [projection] if space.spec.is_exact(projection)),
            space,
        }
    }

    /// Prefetches what the other lookups read for a position.
    #[inline]
    pub(super) fn prefetch(&self, position: &Position) {
        for (strides, table) in &self.tables {
            table.prefetch(strides.index(position));
        }
    }

    /// A lower bound of the distance of a position.
    #[inline]
    pub(super) fn bound(&self, position: &Position) -> u8 {
        let tables = self.tables.iter();
        let bounds = tables.map(|(strides, table)| table.get(strides.index(position)));
        bounds.max().unwrap_or(0)
    }

    /// Whether the distance of a position is known to be greater than `limit`.
    #[inline]
    pub(super) fn exceeds(&self, position: &Position, limit: u8) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|(strides, table)| table.get(strides.index(position)) > limit)
    }

    /// Whether two moves about one axis cost less if they are joined.
    pub(super) fn saves(&self, first: AxisMove, second: AxisMove) -> bool {
        let cost = |mv: AxisMove| self.pattern_costs[mv.pattern() as usize];
        first.axis() == second.axis() && cost(first.joined(second)) < cost(first) + cost(second)
    }

    /// Appends the nodes that can follow a node: those that leave some cost, and those that end the stage. Positions are
    /// omitted if their class is farther from the goal than the cost that they leave. Up to a cost of
    /// [`NearGoal::radius`], all positions that are farther are omitted. Turns that continue the last run come first.
    #[inline]
    pub(crate) fn expand(&self, node: &SpaceNode, into: &mut Vec<SpaceNode>) {
        let (space, turns, near_goal) = (&*self.space, &self.turns, &self.near_goal);
        let costs = space.generators.costs.as_slice();
        let distances = self.class_distances.as_slice();
        let neighbors = space.neighbors(&node.position);
        let radius = near_goal.radius;
        let is_known = node.left <= radius;
        let mut following = turns.within(node.state, node.left);
        if is_known {
            let onward = near_goal.onward(space.key(&node.position), node.left);
            let originals = space.originals(&node.position);
            // Few generators lead on, so this goes over them instead of all that may follow. The halves of a mask take
            // far fewer instructions than a number of 128 bits.
            let mut leading = 0;
            for (half, set) in (0..).zip([onward as u64, (onward >> 64) as u64]) {
                for conjugate in elements(set) {
                    // Generators from 64 on are images that never follow.
                    let generator = originals[64 * half + conjugate];
                    leading |= 1u64.checked_shl(generator.into()).unwrap_or(0);
                }
            }
            following &= leading;
        }
        let continuing = turns.continuing(node.state);
        for set in [following & continuing, following & !continuing] {
            for generator in elements(set) {
                let left = node.left - costs[generator];
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
                    into.push(SpaceNode {
                        position,
                        generator: generator as u8,
                        state: turns.after(node.state, generator),
                        left,
                    });
                }
            }
        }
    }
}
