//! Which generator may follow which, so that every sequence of axis moves is enumerated once.

use crate::cube::turn::{PATTERNS, Pattern, join, undo};
use crate::cube::{Axis, Metric};
use crate::search::Freedom;

use super::generators::Generators;

/// A generator that may be applied next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Its place among the stage's generators.
    pub(crate) generator: u8,
    /// Its cost.
    pub(crate) cost: u8,
    /// The automaton's state after it.
    pub(crate) state: u8,
    /// Whether a stage may end after it.
    pub(crate) ends: bool,
}

/// The finite automaton that reads a stage's generators.
///
/// A sequence is a list of axis moves on changing axes. Each axis move is composed of generators in
/// one fixed way: from a pattern the last generator is taken off by a fixed rule until nothing is
/// left, so the ways to all patterns of an axis form a tree. A state says how far the current axis
/// move is; from there, either the tree goes on or a move about another axis begins.
///
/// A stage may end after pattern P if P is cheaper than every way of leaving a part E of it, that
/// the next stage could make as well, to the next stage. Otherwise the ending without E comes to
/// the same total, and E is found when the next stage opens on that axis. In particular P itself
/// must not belong to the next stage.
pub(crate) struct Automaton {
    steps: Vec<Vec<Step>>,
}

impl Automaton {
    /// The state before any move.
    pub(crate) const START: u8 = 0;

    /// Derives the automaton of a stage from its generators, what it and the next stage may turn,
    /// and the metric.
    pub(crate) fn new(
        generators: &Generators,
        freedom: &Freedom,
        next: &Freedom,
        metric: Metric,
    ) -> Automaton {
        // A state for the start and for every pattern of every axis.
        let mut states: Vec<(Axis, Pattern)> = Vec::new();
        // For each of the latter, the state before its last generator, and that generator.
        let mut last: Vec<(u8, Step)> = Vec::new();
        for axis in Axis::ALL {
            let costs = freedom.costs(axis, metric);
            let next_costs = next.costs(axis, metric);
            let first = states.len() as u8 + 1;
            let allowed: Vec<Pattern> = (1..PATTERNS as Pattern)
                .filter(|&p| costs[p as usize].is_some())
                .collect();
            let state_of = |pattern: Pattern| match pattern {
                0 => Some(Automaton::START),
                _ => allowed
                    .iter()
                    .position(|&p| p == pattern)
                    .map(|at| first + at as u8),
            };
            for &pattern in &allowed {
                let without = |part: Pattern| join(pattern, undo(part));
                let is_split_by = |part: Pattern, part_cost: Option<u8>| {
                    let rest = costs[without(part) as usize];
                    rest.zip(part_cost)
                        .is_some_and(|(rest, part)| Some(rest + part) <= costs[pattern as usize])
                };
                let ends = !(1..PATTERNS as Pattern)
                    .any(|part| is_split_by(part, next_costs[part as usize]));
                // The last generator is the cheapest that fits: joint ones come before single ones.
                let last_generator = generators
                    .patterns()
                    .iter()
                    .filter(|&&(own, part, _)| {
                        own == axis && is_split_by(part, costs[part as usize])
                    })
                    .min_by_key(|&&(_, part, _)| (costs[part as usize], std::cmp::Reverse(part)));
                if let Some(&(_, part, generator)) = last_generator
                    && let (Some(from), Some(state)) = (state_of(without(part)), state_of(pattern))
                    && let Some(cost) = costs[part as usize]
                {
                    last.push((
                        from,
                        Step {
                            generator,
                            cost,
                            state,
                            ends,
                        },
                    ));
                }
            }
            states.extend(allowed.iter().map(|&pattern| (axis, pattern)));
        }
        let mut steps = vec![Vec::new(); states.len() + 1];
        for &(from, step) in &last {
            steps[from as usize].push(step);
        }
        let opening: Vec<Step> = steps[Automaton::START as usize].clone();
        for (at, &(axis, _)) in states.iter().enumerate() {
            let changes_axis = |step: &&Step| states[step.state as usize - 1].0 != axis;
            steps[at + 1].extend(opening.iter().filter(changes_axis));
        }
        Automaton { steps }
    }

    /// The steps that may follow in a state.
    #[inline]
    pub(crate) fn steps(&self, state: u8) -> &[Step] {
        &self.steps[state as usize]
    }
}
