//! The turns of a stage, and which of them may follow each other.
//!
//! [`Generators`] are the moves of which all moves of a stage are composed, in any metric. [`Turns`] numbers them, and
//! enumerates each sequence of them once. In OBTM they are single turns, unless inner layers have turns that outer ones
//! do not have.
//!
//! A *run* is a sequence of turns about one axis; joined, it is one axis move. Each axis move is composed of generators
//! in one way: a fixed rule removes the last generator from a pattern until nothing is left. So the compositions of the
//! patterns of an axis form a tree. A run leads from its root to a node, and a move about another axis follows.
//!
//! A stage may end after a pattern P unless a part E of P is a pattern of the next stage, and P costs at least as much
//! as its rest and E together. In that case there is an ending without E at the same total cost, and the next stage
//! finds E as its first move. In particular, P itself must not be a pattern of the next stage.

mod generators;

use std::cmp::Reverse;
use std::ops::{BitOrAssign, Range, Shl};

use crate::cube::layout::LAYERS;
use crate::cube::turn::{PATTERNS, Pattern, join};
use crate::cube::{Axis, AxisMove, Metric};

use super::move_set::MoveSet;

pub(crate) use generators::Generators;
use generators::{PatternCosts, is_split};

/// A set of single turns, as a bit mask.
pub(crate) type TurnSet = u32;

/// The maximum number of single turns.
const MAX_SINGLE_TURNS: usize = TurnSet::BITS as usize;

/// The maximum number of generators of a declared stage, with their images under its symmetries.
pub(crate) const MAX_GENERATORS: usize = u128::BITS as usize;

/// The maximum number of states.
const STATES: usize = 1 << u8::BITS;

/// More than any generator costs, which turns each layer once at most.
const ANY_COST: usize = LAYERS + 1;

/// What matters of a sequence of turns for those that follow: the axis of its last run, and the node of the run in the
/// tree of this axis. Nodes from which all goes on alike are one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TurnState(u8);

/// A set of boundaries between adjacent layers of an axis, as a bit mask; see [`boundaries`].
type Boundaries = u8;

/// All sets of boundaries.
pub(crate) const ALL_BOUNDARIES: Range<Boundaries> = 0..8;

/// The boundaries that a move changes. The first one is next to the layer at the negative end of the axis.
pub(crate) fn boundaries(mv: AxisMove) -> Boundaries {
    let pattern = mv.pattern();
    let is_turned = |boundary: u8| u8::from(pattern >> (2 * boundary) & 3 != 0);
    (0..3).map(|boundary| is_turned(boundary) << boundary).sum()
}

/// Whether a turn is a wide turn: it changes the middle boundary.
pub(crate) fn is_wide(turn: AxisMove) -> bool {
    boundaries(turn) == 0b010
}

/// Whether a turn is one quarter turn, in either direction.
pub(crate) fn is_quarter(turn: AxisMove) -> bool {
    turn.amounts().iter().any(|amount| amount % 2 == 1)
}

/// The turns of a stage, numbered, and which may follow each other. Sets of them are masks `S` of `N` bits. 64 suffice
/// for generators in all metrics, since their images under symmetries never follow.
pub(crate) struct Turns<S = TurnSet, const N: usize = MAX_SINGLE_TURNS> {
    moves: Vec<AxisMove>,
    rows: Box<[Row<S, N>; STATES]>,
    /// For each axis, the first states after a run of the stage before that has changed some boundaries.
    starts: [[TurnState; ALL_BOUNDARIES.end as usize]; 3],
}

/// What may follow a state.
#[derive(Clone, Copy, PartialEq)]
struct Row<S, const N: usize> {
    /// The axis of the last run.
    axis: Axis,
    /// For each cost left up to [`ANY_COST`], which stands for all greater ones, the turns that may follow.
    following: [S; ANY_COST + 1],
    /// The turns that continue the last run.
    continuing: S,
    /// The state after each turn.
    next: [TurnState; N],
}

impl Turns {
    /// The turns of a stage in OBTM, given its move set and that of the next stage, all of whose turns keep the goal.
    /// The move set must be such that single turns generate all moves.
    pub(crate) fn new(move_set: MoveSet, next: MoveSet) -> Turns {
        let generators = Generators::new(&move_set, Metric::Obtm, &[]);
        let generators = generators.expect("there are no symmetries that a move could violate");
        Turns::derive(&generators, &next, Metric::Obtm, ALL_BOUNDARIES)
    }

    /// The turns that may follow a state.
    #[inline(always)]
    pub(crate) fn following(&self, state: TurnState) -> TurnSet {
        self.rows[usize::from(state.0)].following[ANY_COST]
    }

    /// The turns that may follow a state as the last turn of the stage.
    #[inline(always)]
    pub(crate) fn ending(&self, state: TurnState) -> TurnSet {
        self.rows[usize::from(state.0)].following[1]
    }

    /// The turns that satisfy a predicate.
    pub(crate) fn which(&self, holds: impl Fn(AxisMove) -> bool) -> TurnSet {
        let bit = |(turn, &mv): (u32, &AxisMove)| TurnSet::from(holds(mv)) << turn;
        (0..).zip(&self.moves).map(bit).sum()
    }
}

impl<S: Copy, const N: usize> Turns<S, N> {
    /// The first state of a sequence, given the last run of the stage before. A sequence does not begin with a turn
    /// that could be joined with this run.
    pub(crate) fn start(&self, last_run: AxisMove) -> TurnState {
        self.starts[last_run.axis() as usize][usize::from(boundaries(last_run))]
    }

    /// The moves of the turns.
    pub(crate) fn moves(&self) -> &[AxisMove] {
        &self.moves
    }

    /// The turns that may follow a state if exactly the cost `left` must be spent: those that leave some cost, or end
    /// the stage.
    #[inline(always)]
    pub(crate) fn within(&self, state: TurnState, left: u8) -> S {
        self.rows[usize::from(state.0)].following[usize::from(left).min(ANY_COST)]
    }

    /// The turns that continue the last run of a state.
    #[inline(always)]
    pub(crate) fn continuing(&self, state: TurnState) -> S {
        self.rows[usize::from(state.0)].continuing
    }

    /// The state after a turn, which must be one that may follow.
    #[inline(always)]
    pub(crate) fn after(&self, state: TurnState, turn: usize) -> TurnState {
        self.rows[usize::from(state.0)].next[turn]
    }
}

/// For each pattern of an axis, its last generator and whether a stage may end after it; `None` if it is not allowed.
/// `next_costs` has the cost of each pattern in the next stage.
fn compositions(
    generators: &Generators,
    axis: Axis,
    next_costs: &PatternCosts,
) -> [Option<(usize, bool)>; PATTERNS] {
    let Generators { moves, costs, .. } = generators;
    let pattern_costs = &generators.pattern_costs[axis as usize];
    std::array::from_fn(|pattern| {
        let is_split_by = |part: Pattern, part_cost: Option<u8>| {
            is_split(pattern_costs, pattern as Pattern, part, part_cost)
        };
        // The last generator is the cheapest one that splits the pattern.
        let splitting = (0..generators.patterns).filter(|&last| {
            let mv = moves[last];
            mv.axis() == axis && is_split_by(mv.pattern(), Some(costs[last]))
        });
        let last = splitting.min_by_key(|&last| (costs[last], Reverse(moves[last].pattern())));
        let mut parts = 1..PATTERNS as Pattern;
        let ends = !parts.any(|part| is_split_by(part, next_costs[part as usize]));
        last.map(|last| (last, ends))
    })
}

/// The states of a stage, while they are derived.
struct Automaton<'a, S, const N: usize> {
    generators: &'a Generators,
    /// See [`compositions`].
    compositions: [[Option<(usize, bool)>; PATTERNS]; 3],
    /// The states, as far as their runs go.
    rows: Vec<Row<S, N>>,
}

impl<S, const N: usize> Automaton<'_, S, N>
where
    S: Copy + Default + PartialEq + From<bool> + Shl<usize, Output = S> + BitOrAssign,
{
    /// The state after a pattern of an axis without turns at some boundaries.
    fn state(&mut self, axis: Axis, pattern: Pattern, without: Boundaries) -> TurnState {
        let mut row = Row {
            axis,
            following: [S::default(); ANY_COST + 1],
            continuing: S::default(),
            next: [TurnState::default(); N],
        };
        for longer in 1..PATTERNS {
            let Some((turn, ends)) = self.compositions[axis as usize][longer] else {
                continue;
            };
            let mv = self.generators.moves[turn];
            if usize::from(join(pattern, mv.pattern())) != longer || boundaries(mv) & without != 0 {
                continue;
            }
            let least = usize::from(self.generators.costs[turn]) + usize::from(!ends);
            for set in &mut row.following[least..] {
                *set |= S::from(true) << turn;
            }
            row.next[turn] = self.state(axis, longer as Pattern, without);
        }
        row.continuing = row.following[ANY_COST];
        let known = self.rows.iter().position(|known| *known == row);
        let index = known.unwrap_or_else(|| {
            self.rows.push(row);
            self.rows.len() - 1
        });
        TurnState(index as u8)
    }
}

impl<S, const N: usize> Turns<S, N>
where
    S: Copy + Default + PartialEq + From<bool> + Shl<usize, Output = S> + BitOrAssign,
{
    /// The turns of a stage, given its generators, the move set of the next stage, and the metric. `runs` are the sets of
    /// boundaries that the last run of the stage before may have changed.
    pub(crate) fn derive(
        generators: &Generators,
        next: &MoveSet,
        metric: Metric,
        runs: Range<Boundaries>,
    ) -> Turns<S, N> {
        let mut automaton = Automaton {
            generators,
            compositions: Axis::ALL
                .map(|axis| compositions(generators, axis, &next.costs(axis, metric))),
            rows: Vec::new(),
        };
        let mut starts = [[TurnState::default(); ALL_BOUNDARIES.end as usize]; 3];
        for axis in Axis::ALL {
            for run in runs.clone() {
                starts[axis as usize][usize::from(run)] = automaton.state(axis, 0, run);
            }
        }
        let mut rows: Vec<Row<S, N>> = automaton.rows;
        // After a run, all begins anew about the other axes.
        let openings = starts.map(|starts| rows[usize::from(starts[0].0)]);
        for row in &mut rows {
            for opening in openings.iter().filter(|opening| opening.axis != row.axis) {
                for (set, opening) in row.following.iter_mut().zip(opening.following) {
                    *set |= opening;
                }
            }
            for (turn, mv) in generators.moves[..generators.patterns].iter().enumerate() {
                if mv.axis() != row.axis {
                    row.next[turn] = openings[mv.axis() as usize].next[turn];
                }
            }
        }
        rows.resize(STATES.max(rows.len()), openings[0]);
        let rows = rows.try_into().ok();
        Turns {
            moves: generators.moves.clone(),
            rows: rows.expect("axes have 63 patterns, and single turns few states after a run"),
            starts,
        }
    }
}

#[cfg(test)]
mod tests;
