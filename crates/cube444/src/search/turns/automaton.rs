//! The automaton that enumerates every sequence of axis moves once.

use super::super::freedom::Freedom;
use super::generators::Generators;
use crate::cube::turn::{PATTERNS, Pattern, join, undo};
use crate::cube::{Axis, Metric};

/// A generator that may be applied next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Its index among the generators of the stage.
    pub(crate) generator: u8,
    /// Its cost.
    pub(crate) cost: u8,
    /// The state of the automaton after it.
    pub(crate) state: u8,
    /// Whether a stage may end after it.
    pub(crate) ends: bool,
}

impl Step {
    /// Whether the step can come next if exactly the cost `left` must be spent: it leaves some cost, or ends the
    /// stage.
    #[inline]
    pub(crate) fn fits(&self, left: u8) -> bool {
        self.cost < left || (self.cost == left && self.ends)
    }
}

/// A finite automaton that reads the generators of a stage.
///
/// A sequence is a list of axis moves, adjacent ones about different axes. Each axis move has one
/// decomposition into generators: a fixed rule removes the last generator from a pattern until nothing is
/// left. So the decompositions of the patterns of an axis form a tree. A state is a node of such a tree: the
/// part of the current axis move that has been read. It is followed by a child, or by a move about another
/// axis.
///
/// A stage may end after pattern P unless a part E of P is a pattern of the next stage, and P costs at least
/// as much as its rest and E together. In that case there is an ending without E at the same total cost, and
/// the next stage finds E as its first move. In particular, P itself must not be a pattern of the next stage.
pub(crate) struct Automaton {
    steps: Vec<Vec<Step>>,
    /// For each state, the index of the step of each generator; [`NO_STEP`] if there is none.
    indices: Vec<[u8; MOST_GENERATORS]>,
}

/// The greatest number of generators of a stage. A mask has a bit for each.
pub(crate) const MOST_GENERATORS: usize = u128::BITS as usize;

/// In place of the index of a step.
const NO_STEP: u8 = u8::MAX;

impl Automaton {
    /// The state before any move.
    pub(crate) const START: u8 = 0;

    /// Derives the automaton of a stage from its generators, its turns, those of the next stage, and the
    /// metric.
    pub(crate) fn new(
        generators: &Generators,
        freedom: &Freedom,
        next: &Freedom,
        metric: Metric,
    ) -> Automaton {
        // A state is a pattern of an axis. Pattern 0 of each axis is the start.
        let state_of = |axis: Axis, pattern: Pattern| match pattern {
            0 => Automaton::START,
            _ => (axis as usize * PATTERNS) as u8 + pattern,
        };
        let mut steps = vec![Vec::new(); Axis::ALL.len() * PATTERNS];
        for axis in Axis::ALL {
            let costs = freedom.costs(axis, metric);
            let next_costs = next.costs(axis, metric);
            for pattern in 1..PATTERNS as Pattern {
                let without = |part: Pattern| join(pattern, undo(part));
                let is_split_by = |part: Pattern, part_cost: Option<u8>| {
                    let rest = costs[without(part) as usize];
                    let split = rest.zip(part_cost).map(|(rest, part)| rest + part);
                    split.is_some() && split <= costs[pattern as usize]
                };
                let ends = !(1..PATTERNS as Pattern)
                    .any(|part| is_split_by(part, next_costs[part as usize]));
                // The last generator is the cheapest one that splits the pattern.
                let last_generator = generators
                    .patterns
                    .iter()
                    .filter(|&&(own, part, _)| {
                        own == axis && is_split_by(part, costs[part as usize])
                    })
                    .min_by_key(|&&(_, part, _)| (costs[part as usize], std::cmp::Reverse(part)));
                if let Some(&(_, part, generator)) = last_generator
                    && let Some(cost) = costs[part as usize]
                {
                    steps[state_of(axis, without(part)) as usize].push(Step {
                        generator,
                        cost,
                        state: state_of(axis, pattern),
                        ends,
                    });
                }
            }
        }
        let opening: Vec<Step> = steps[Automaton::START as usize].clone();
        for (state, steps) in steps.iter_mut().enumerate().skip(1) {
            let changes_axis = |step: &&Step| step.state as usize / PATTERNS != state / PATTERNS;
            steps.extend(opening.iter().filter(changes_axis));
        }
        let indices = steps.iter().map(|steps| {
            let mut indices = [NO_STEP; MOST_GENERATORS];
            for (index, step) in steps.iter().enumerate() {
                indices[step.generator as usize] = index as u8;
            }
            indices
        });
        Automaton {
            indices: indices.collect(),
            steps,
        }
    }

    /// The index of the step of a generator among the steps from a state.
    #[inline]
    pub(crate) fn index(&self, state: u8, generator: u8) -> Option<usize> {
        match self.indices[state as usize][generator as usize] {
            NO_STEP => None,
            index => Some(index as usize),
        }
    }

    /// The steps from a state.
    #[inline]
    pub(crate) fn steps(&self, state: u8) -> &[Step] {
        &self.steps[state as usize]
    }
}
