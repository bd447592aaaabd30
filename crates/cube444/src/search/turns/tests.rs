//! Tests of the turns that may follow each other.

use super::*;
use crate::search::{AxisTurns, LayerTurns};

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
        (AXIS_CENTERS, ALL_AXES, 27),
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

/// What a run of single turns has changed: its axis, the boundaries that must not change any more in it, and
/// whether the next stage could make one of its turns.
#[derive(Clone, Copy)]
struct Run(Axis, u8, bool);

/// A run changes its boundaries in ascending order, so that it is written once, and none that the run of the stage before
/// has changed. It is not the last one if the next stage could make one of its turns.
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
