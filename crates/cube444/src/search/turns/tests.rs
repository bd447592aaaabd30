//! Tests of the turns that may follow each other.

use std::collections::HashSet;

use super::*;
use crate::coord::combinatorics::elements;
use crate::cube::Symmetry;
use crate::search::{AxisTurns, LayerTurns, last_run};

/// The turns of the stages of `reduction` and of the phases of its last stage.
const AXIS_CENTERS: MoveSet = MoveSet([AxisTurns::ANY; 3]);
const ALL_AXES: MoveSet = MoveSet([AxisTurns::OUTER, AxisTurns::OUTER, AxisTurns::ANY]);
const PAIR_EDGES: MoveSet = MoveSet([AxisTurns::OUTER, AxisTurns::OUTER, AxisTurns::HALF]);
const THREE_BY_THREE: MoveSet = MoveSet([AxisTurns::FACES; 3]);
const SUBGROUP: MoveSet = MoveSet([
    AxisTurns::HALF_FACES,
    AxisTurns::FACES,
    AxisTurns::HALF_FACES,
]);

#[test]
fn stages_have_the_derived_numbers_of_turns() {
    for (move_set, next, count) in [
        (ALL_AXES, PAIR_EDGES, 23),
        (PAIR_EDGES, THREE_BY_THREE, 17),
        (THREE_BY_THREE, SUBGROUP, 18),
        (SUBGROUP, MoveSet::NONE, 10),
    ] {
        assert_eq!(Turns::new(move_set, next).moves().len(), count);
    }
}

#[test]
fn axes_have_at_most_18_generators() {
    let turns = [LayerTurns::Quarter, LayerTurns::Half, LayerTurns::None];
    let axes = turns
        .into_iter()
        .flat_map(|outer| turns.map(|inner| AxisTurns { outer, inner }));
    let counts = axes.flat_map(|axis| {
        let move_set = MoveSet([axis; 3]);
        Metric::ALL.map(|metric| Generators::new(&move_set, metric, &[]).unwrap().patterns)
    });
    assert_eq!(counts.max(), Some(3 * 18));
}

/// All turns, of which any may come last.
fn all_turns() -> Turns {
    let turns = Turns::new(AXIS_CENTERS, MoveSet::NONE);
    assert_eq!(turns.moves().len(), 27);
    turns
}

/// All sequences of `left` turns, as lists of runs.
fn sequences(turns: &Turns, state: TurnState, left: usize) -> Vec<Vec<(Axis, Pattern)>> {
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
    let is = |axis, boundary| move |mv: AxisMove| mv.axis() == axis && boundaries(mv) == boundary;
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

/// What a run of single turns has changed: its axis, the boundaries that must not change any more in it, and
/// whether the next stage could make one of its turns.
#[derive(Clone, Copy)]
struct Run(Axis, u8, bool);

/// A run changes its boundaries in ascending order, none that the run of the stage before has changed, and is not the
/// last one if the next stage could make one of its turns.
#[test]
fn runs_change_boundaries_in_ascending_order() {
    fn compare(turns: &Turns, is_next: TurnSet, state: TurnState, run: Run, left: usize) {
        let Run(axis, closed, _) = run;
        let (mut following, mut ending) = (0, 0);
        for (turn, &mv) in turns.moves().iter().enumerate() {
            let boundary = boundaries(mv);
            let Run(_, closed, has_next) = match mv.axis() == axis {
                true if closed & boundary != 0 => continue,
                true => run,
                false => Run(mv.axis(), 0, false),
            };
            let has_next = has_next || is_next >> turn & 1 == 1;
            following |= 1 << turn;
            ending |= TurnSet::from(!has_next) << turn;
            if left > 0 {
                let after = Run(mv.axis(), closed | boundary | (boundary - 1), has_next);
                compare(turns, is_next, turns.after(state, turn), after, left - 1);
            }
        }
        assert_eq!(
            (turns.following(state), turns.ending(state)),
            (following, ending)
        );
    }
    for (move_set, next) in [
        (AXIS_CENTERS, ALL_AXES),
        (ALL_AXES, PAIR_EDGES),
        (PAIR_EDGES, THREE_BY_THREE),
        (THREE_BY_THREE, SUBGROUP),
        (SUBGROUP, MoveSet::NONE),
    ] {
        let turns = Turns::new(move_set, next);
        let is_next = turns
            .which(|mv| next.costs(mv.axis(), Metric::Obtm)[usize::from(mv.pattern())].is_some());
        for axis in Axis::ALL {
            for amounts in (0..8).map(|layers| [3, 2, 1, 0].map(|layer| layers >> layer & 1)) {
                let last_run = AxisMove::new(axis, amounts);
                let state = turns.start(last_run);
                let run = Run(axis, boundaries(last_run), false);
                compare(&turns, is_next, state, run, 3);
            }
        }
    }
}
