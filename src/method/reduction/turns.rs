//! The turns of a stage as bit masks.
//!
//! In outer block turns a stage's generators are single turns, at most 32 of them: about each axis
//! there are three boundaries between neighbouring layers, and a turn is what happens at one of them.
//! A *run* is a sequence of turns about one axis. Which turns may follow each other, so that every
//! sequence is enumerated once, and which may come last is the stage's [`Automaton`]'s to say. Here it
//! is combined with the run with which the stage before has ended: what could have been joined with
//! that run must not be turned at once.

use rustc_hash::FxHashMap;

use crate::coord::ActionGroup;
use crate::cube::{Action, Axis, AxisMove, Metric};
use crate::search::Freedom;
use crate::stage::{Automaton, Generators};

/// A set of turns of one list, as a mask.
pub(super) type TurnSet = u32;

/// Where a sequence of turns stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State(u8);

/// The boundaries between layers at which something was turned, as a mask; see [`boundaries`].
type Boundaries = u8;

/// The most turns of a list.
const MOST_TURNS: usize = TurnSet::BITS as usize;

/// The turns of a stage, numbered.
pub(super) struct Turns {
    moves: Vec<AxisMove>,
    /// For each state, the turns that may follow, and those of them that may come last.
    following: Vec<TurnSet>,
    ending: Vec<TurnSet>,
    /// For each state, the state after each turn.
    next: Vec<[State; MOST_TURNS]>,
    /// For each axis and set of boundaries, the state after such a run of the stage before.
    starts: [[State; 8]; 3],
}

/// The boundaries at which a move turns: the first one is next to the layer at the negative end of the
/// axis.
pub(super) fn boundaries(mv: AxisMove) -> Boundaries {
    let pattern = mv.pattern();
    let is_turned = |boundary: u8| u8::from(pattern >> (2 * boundary) & 3 != 0);
    (0..3).map(|boundary| is_turned(boundary) << boundary).sum()
}

/// Whether a turn is one of a wide block: at the boundary in the middle.
pub(super) fn is_wide(turn: AxisMove) -> bool {
    boundaries(turn) == 0b010
}

/// Whether a turn is one quarter turn, in either direction.
pub(super) fn is_quarter(turn: AxisMove) -> bool {
    turn.amounts().iter().any(|amount| amount % 2 == 1)
}

/// A state before states that behave alike are found: that of the automaton, and what must not be
/// turned as long as the run of the stage before may go on.
type Combined = (u8, Option<(Axis, Boundaries)>);

/// What a turn leads to, if it may follow, and whether it may come last.
type Transition = Option<(usize, bool)>;

impl Turns {
    /// The turns of a stage, given what it and the next stage may turn.
    pub(super) fn new(freedom: Freedom, next: Freedom) -> Turns {
        let group = ActionGroup::new(vec![Action::IDENTITY]);
        let group = group.expect("the identity is a group");
        let generators = Generators::new(&freedom, Metric::Obtm, &group);
        let generators = generators.expect("the identity makes no other moves of any");
        let automaton = Automaton::new(&generators, &freedom, &next, Metric::Obtm);
        let moves = generators.moves().to_vec();
        let runs = Axis::ALL
            .into_iter()
            .flat_map(|axis| (1..8).map(move |run| (axis, run)));
        let starts = std::iter::once(None).chain(runs.map(Some));
        let starts = starts.map(|run| (Automaton::START, run)).collect();
        let transitions = transitions(&moves, &automaton, starts);
        let states = alike(&transitions);
        let count = states
            .iter()
            .map(|state| state.index() + 1)
            .max()
            .unwrap_or(0);
        let mut turns = Turns {
            moves,
            following: vec![0; count],
            ending: vec![0; count],
            next: vec![[states[0]; MOST_TURNS]; count],
            starts: [[states[0]; 8]; 3],
        };
        for (row, state) in transitions.iter().zip(&states) {
            let state = state.index();
            for (turn, transition) in row.iter().enumerate() {
                if let Some((to, ends)) = *transition {
                    turns.following[state] |= 1 << turn;
                    turns.ending[state] |= TurnSet::from(ends) << turn;
                    turns.next[state][turn] = states[to];
                }
            }
        }
        for axis in Axis::ALL {
            for run in 1..8 {
                turns.starts[axis as usize][run] = states[1 + 7 * axis as usize + run - 1];
            }
        }
        turns
    }

    /// The moves of the turns.
    pub(super) fn moves(&self) -> &[AxisMove] {
        &self.moves
    }

    /// The state in which a sequence begins, given the run with which the stage before has ended.
    pub(super) fn start(&self, last_run: AxisMove) -> State {
        self.starts[last_run.axis() as usize][usize::from(boundaries(last_run))]
    }

    /// The states, given by their numbers.
    pub(super) fn states(&self) -> impl Iterator<Item = State> {
        (0..self.following.len() as u8).map(State)
    }

    /// The turns that may follow in a state.
    #[inline(always)]
    pub(super) fn following(&self, state: State) -> TurnSet {
        self.following[state.index()]
    }

    /// The turns that may follow in a state as the last ones of the stage.
    #[inline(always)]
    pub(super) fn ending(&self, state: State) -> TurnSet {
        self.ending[state.index()]
    }

    /// The state after a turn that may follow.
    #[inline(always)]
    pub(super) fn after(&self, state: State, turn: usize) -> State {
        self.next[state.index()][turn]
    }

    /// The turns of which something holds.
    pub(super) fn which(&self, holds: impl Fn(AxisMove) -> bool) -> TurnSet {
        let moves = self.moves.iter().enumerate();
        moves
            .filter(|&(_, &mv)| holds(mv))
            .map(|(turn, _)| 1 << turn)
            .sum()
    }
}

impl State {
    /// The number of the state.
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        self.0.into()
    }
}

/// For each combined state, what each turn leads to. The states to begin with come first.
fn transitions(
    moves: &[AxisMove],
    automaton: &Automaton,
    mut states: Vec<Combined>,
) -> Vec<[Transition; MOST_TURNS]> {
    let mut numbers: FxHashMap<Combined, usize> = FxHashMap::default();
    numbers.extend(
        states
            .iter()
            .zip(0..)
            .map(|(&state, number)| (state, number)),
    );
    let mut transitions = Vec::new();
    while let Some(&(state, run)) = states.get(transitions.len()) {
        let mut row = [None; MOST_TURNS];
        for step in automaton.steps(state) {
            let mv = moves[usize::from(step.generator)];
            let run = run.filter(|&(axis, _)| axis == mv.axis());
            if run.is_some_and(|(_, turned)| turned & boundaries(mv) != 0) {
                continue;
            }
            let to = (step.state, run);
            let number = *numbers.entry(to).or_insert_with(|| {
                states.push(to);
                states.len() - 1
            });
            row[usize::from(step.generator)] = Some((number, step.ends));
        }
        transitions.push(row);
    }
    transitions
}

/// For each combined state, the one state for all that allow the same sequences.
fn alike(transitions: &[[Transition; MOST_TURNS]]) -> Vec<State> {
    // States are told apart by ever longer sequences, until that makes no difference.
    let mut classes = vec![State(0); transitions.len()];
    let mut count = 1;
    loop {
        let mut numbers = FxHashMap::default();
        let told = transitions.iter().map(|row| {
            let row = row.map(|to| to.map(|(to, ends)| (classes[to].0, ends)));
            let next = numbers.len();
            let number = *numbers.entry(row).or_insert(next);
            State(u8::try_from(number).expect("an axis has few sets of boundaries"))
        });
        classes = told.collect();
        if numbers.len() == count {
            return classes;
        }
        count = numbers.len();
    }
}

/// The elements of a set of turns in increasing order.
#[inline(always)]
pub(super) fn elements(mut set: TurnSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            lowest
        })
    })
}
