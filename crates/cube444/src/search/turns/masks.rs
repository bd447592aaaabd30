//! Single turns as bit masks.
//!
//! In OBTM the generators of a stage are single turns, at most 32 of them. An axis has three boundaries
//! between adjacent layers, and a turn changes one of them. A *run* is a sequence of turns about one axis. So that
//! every sequence is enumerated once, a run changes its boundaries in ascending order. A sequence does not begin
//! with a turn that could be joined with the last run of the stage before, and its last run has no turn that the
//! next stage could make.

use crate::coord::ActionGroup;
use crate::cube::{Action, Axis, AxisMove, Metric};

use super::super::freedom::Freedom;
use super::generators::Generators;

/// A set of turns, as a bit mask.
pub(crate) type TurnSet = u32;

/// A set of boundaries between layers, as a bit mask; see [`boundaries`].
type Boundaries = u8;

/// The greatest number of turns.
const MOST_TURNS: usize = TurnSet::BITS as usize;

/// What matters of a sequence of turns for those that follow: the axis of its last run, the boundaries that must
/// not change any more in this run, and whether the next stage could make a turn of the run. The index of a state
/// is `16 · axis + 2 · boundaries + this`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State(u8);

/// The number of states.
const STATES: usize = 3 * 16;

impl State {
    fn new(axis: Axis, closed: Boundaries, has_next: bool) -> State {
        State((axis as u8) << 4 | closed << 1 | u8::from(has_next))
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.0.into()
    }
}

/// The turns of a stage, numbered.
pub(crate) struct Turns {
    moves: Vec<AxisMove>,
    /// For each state, the turns that may follow, and those that may follow as the last one.
    following: [TurnSet; STATES],
    ending: [TurnSet; STATES],
    /// For each state, the state after each turn.
    next: [[State; MOST_TURNS]; STATES],
}

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

impl Turns {
    /// The turns of a stage, given its freedom and that of the next stage, all of whose turns keep the goal.
    pub(crate) fn new(freedom: Freedom, next: Freedom) -> Turns {
        let group = ActionGroup::new(vec![Action::IDENTITY]);
        let group = group.expect("the identity is a group");
        let generators = Generators::new(&freedom, Metric::Obtm, &group);
        let generators = generators.expect("the identity maps every move to itself");
        let next_costs = Axis::ALL.map(|axis| next.costs(axis, Metric::Obtm));
        let mut turns = Turns {
            moves: generators.moves.to_vec(),
            following: [0; STATES],
            ending: [0; STATES],
            next: [[State::default(); MOST_TURNS]; STATES],
        };
        for state in 0..STATES {
            let axis = Axis::ALL[state >> 4];
            for (turn, mv) in turns.moves.iter().enumerate() {
                let (closed, has_next) = match mv.axis() == axis {
                    true => ((state >> 1 & 0b111) as Boundaries, state & 1 == 1),
                    false => (0, false),
                };
                let boundary = boundaries(*mv);
                if closed & boundary != 0 {
                    continue;
                }
                let is_next = next_costs[mv.axis() as usize][mv.pattern() as usize].is_some();
                let has_next = has_next || is_next;
                turns.following[state] |= 1 << turn;
                turns.ending[state] |= TurnSet::from(!has_next) << turn;
                let closed = closed | boundary | (boundary - 1);
                turns.next[state][turn] = State::new(mv.axis(), closed, has_next);
            }
        }
        turns
    }

    /// The moves of the turns.
    pub(crate) fn moves(&self) -> &[AxisMove] {
        &self.moves
    }

    /// The first state of a sequence, given the last run of the stage before.
    pub(crate) fn start(&self, last_run: AxisMove) -> State {
        State::new(last_run.axis(), boundaries(last_run), false)
    }

    /// The turns that may follow a state.
    #[inline(always)]
    pub(crate) fn following(&self, state: State) -> TurnSet {
        self.following[state.index()]
    }

    /// The turns that may follow a state as the last turn of the stage.
    #[inline(always)]
    pub(crate) fn ending(&self, state: State) -> TurnSet {
        self.ending[state.index()]
    }

    /// The state after a turn, which must be one that may follow.
    #[inline(always)]
    pub(crate) fn after(&self, state: State, turn: usize) -> State {
        self.next[state.index()][turn]
    }

    /// The turns that satisfy a predicate.
    pub(crate) fn which(&self, holds: impl Fn(AxisMove) -> bool) -> TurnSet {
        let bit = |(turn, &mv): (u32, &AxisMove)| TurnSet::from(holds(mv)) << turn;
        (0..).zip(&self.moves).map(bit).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::automaton::Automaton;
    use super::*;
    use crate::coord::combinatorics::elements;
    use crate::cube::Symmetry;
    use crate::cube::turn::{PATTERNS, Pattern, join};
    use crate::search::{AxisFreedom, last_run};

    /// The turns of the stages of `reduction` and of the phases of its last stage.
    const AXIS_CENTERS: Freedom = Freedom([AxisFreedom::ANY; 3]);
    const ALL_AXES: Freedom = Freedom([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::ANY]);
    const PAIR_EDGES: Freedom =
        Freedom([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::HALF]);
    const THREE_BY_THREE: Freedom = Freedom([AxisFreedom::FACES; 3]);
    const SUBGROUP: Freedom = Freedom([
        AxisFreedom::HALF_FACES,
        AxisFreedom::FACES,
        AxisFreedom::HALF_FACES,
    ]);

    #[test]
    fn stages_have_the_derived_numbers_of_turns() {
        for (freedom, next, count) in [
            (ALL_AXES, PAIR_EDGES, 23),
            (PAIR_EDGES, THREE_BY_THREE, 17),
            (THREE_BY_THREE, SUBGROUP, 18),
            (SUBGROUP, Freedom::NONE, 10),
        ] {
            assert_eq!(Turns::new(freedom, next).moves().len(), count);
        }
    }

    /// All turns, of which any may come last.
    fn all_turns() -> Turns {
        let turns = Turns::new(AXIS_CENTERS, Freedom::NONE);
        assert_eq!(turns.moves().len(), 27);
        turns
    }

    /// All sequences of `left` turns, as lists of runs.
    fn sequences(turns: &Turns, state: State, left: usize) -> Vec<Vec<(Axis, Pattern)>> {
        if left == 0 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for turn in elements(turns.following(state)) {
            let mv = turns.moves()[turn];
            for mut rest in sequences(turns, turns.after(state, turn), left - 1) {
                match rest.first_mut().filter(|(axis, _)| *axis == mv.axis()) {
                    Some((_, pattern)) => *pattern = join(*pattern, mv.pattern()),
                    None => rest.insert(0, (mv.axis(), mv.pattern())),
                }
                all.push(rest);
            }
        }
        all
    }

    #[test]
    fn every_sequence_of_runs_is_written_once() {
        let turns = all_turns();
        let three = sequences(&turns, turns.start(AxisMove::STILL), 3);
        let distinct: HashSet<_> = three.iter().cloned().collect();
        assert_eq!(distinct.len(), three.len());
        assert!(three.iter().flatten().all(|&(_, pattern)| pattern != 0));
        // Runs of an axis by cost: 9, 27, 27, which are all patterns but the one that turns nothing.
        assert_eq!(PATTERNS - 1, 9 + 27 + 27);
        let [one, two, three_in_one] = [27, 3 * 27, 3 * 27];
        let expected = one * 18 * 18 + 2 * two * 18 + three_in_one;
        assert_eq!(three.len(), expected);
    }

    /// What may not follow at once after a run of the stage before are turns at the same boundaries,
    /// wherever a rotation between the stages takes these.
    #[test]
    fn a_sequence_begins_with_nothing_that_could_be_joined_with_the_run_before() {
        let turns = all_turns();
        let [up, left, right, wide] = [
            AxisMove::new(Axis::Y, [0, 0, 0, 1]),
            AxisMove::new(Axis::X, [1, 0, 0, 0]),
            AxisMove::new(Axis::X, [0, 0, 0, 3]),
            AxisMove::new(Axis::X, [0, 0, 2, 2]),
        ];
        let moves = [up, left, right, wide];
        let places = |mv: AxisMove| {
            let boundaries = boundaries(mv);
            (mv.axis(), boundaries)
        };
        for symmetry in Symmetry::rotations() {
            for path in [vec![0, 1], vec![0, 3, 2], vec![1, 0, 3]] {
                let run = last_run(path.iter().map(|&turn| moves[turn])).conjugate(symmetry);
                let state = turns.start(run);
                let (axis, turned) = places(run);
                for (turn, &mv) in turns.moves().iter().enumerate() {
                    let (own, boundary) = places(mv);
                    let joins = own == axis && turned & boundary != 0;
                    let follows = turns.following(state) >> turn & 1 == 1;
                    assert_eq!(follows, !joins, "{symmetry:?} {path:?} {mv:?}");
                }
            }
        }
    }

    #[test]
    fn the_run_before_matters_in_the_first_run_alone() {
        let turns = all_turns();
        let is =
            |axis, boundary| move |mv: AxisMove| mv.axis() == axis && boundaries(mv) == boundary;
        let state = turns.start(AxisMove::new(Axis::Z, [1, 0, 0, 0]));
        let same = turns.which(is(Axis::Z, 0b001));
        assert_eq!(turns.following(state), !same & turns.which(|_| true));
        // Still in the run, and the boundary is still left out.
        let wide = turns.which(is(Axis::Z, 0b010)).trailing_zeros() as usize;
        assert_eq!(turns.following(turns.after(state, wide)) & same, 0);
        let sideways = turns.which(is(Axis::X, 0b100)).trailing_zeros() as usize;
        let after = turns.after(state, sideways);
        assert_eq!(turns.following(after) & same, same);
    }

    #[test]
    fn stages_end_with_turns_that_the_next_stage_cannot_make() {
        let turns = Turns::new(PAIR_EDGES, THREE_BY_THREE);
        let wide = turns.which(is_wide);
        let start = turns.start(AxisMove::STILL);
        assert_eq!(turns.ending(start), wide);
        // A wide turn that shares its run with an outer one is not the last.
        let outer = turns.which(|mv| mv.axis() == Axis::X && !is_wide(mv));
        let about_x = turns.which(|mv| mv.axis() == Axis::X);
        for turn in elements(outer) {
            let after = turns.after(start, turn);
            assert_eq!(turns.ending(after), wide & !about_x);
        }
    }

    /// The automaton of declared stages knows no single turns and boundaries.
    #[test]
    fn sequences_are_those_of_the_automaton() {
        fn compare(turns: &Turns, state: State, automaton: &Automaton, other: u8, left: usize) {
            let steps = automaton.steps(other);
            let following = steps.iter().map(|step| 1 << step.generator);
            assert_eq!(turns.following(state), following.sum::<TurnSet>());
            let ending = steps.iter().filter(|step| step.ends);
            let ending = ending.map(|step| 1 << step.generator);
            assert_eq!(turns.ending(state), ending.sum::<TurnSet>());
            for step in steps.iter().filter(|_| left > 0) {
                let after = turns.after(state, step.generator.into());
                compare(turns, after, automaton, step.state, left - 1);
            }
        }
        for (freedom, next) in [
            (AXIS_CENTERS, ALL_AXES),
            (ALL_AXES, PAIR_EDGES),
            (PAIR_EDGES, THREE_BY_THREE),
            (THREE_BY_THREE, SUBGROUP),
            (SUBGROUP, Freedom::NONE),
        ] {
            let turns = Turns::new(freedom, next);
            let group = ActionGroup::new(vec![Action::IDENTITY]).unwrap();
            let generators = Generators::new(&freedom, Metric::Obtm, &group).unwrap();
            let automaton = Automaton::new(&generators, &freedom, &next, Metric::Obtm);
            let start = turns.start(AxisMove::STILL);
            compare(&turns, start, &automaton, Automaton::START, 4);
        }
    }
}
