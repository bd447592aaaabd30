//! The endings that the search lists for small stages, compared with those of a plain search on whole cubes,
//! which uses neither tables nor the automaton.

use std::sync::Arc;

use crate::coord::Coordinate;
use crate::coord::centers::{CenterPairing, CenterPlaces};
use crate::coord::corners::CornerCoset;
use crate::cube::{Action, Axis, Cube, Metric, Sequence, Symmetry};
use crate::search::{AxisTurns, LayerTurns, MoveSet, Profile, Stage, StageSearch};
use crate::stage::{Expected, Raw, Space, StageSpec};
use crate::table::{Monitor, table_of};

use super::endings::{PlainStage, assert_lists_endings};
use super::plain;

const HALF: AxisTurns = AxisTurns::HALF;
const OUTER: AxisTurns = AxisTurns::OUTER;
const INNER: AxisTurns = AxisTurns {
    outer: LayerTurns::Half,
    inner: LayerTurns::Quarter,
};

/// A stage, and the turns of the next stage.
type Small = (StageSpec, MoveSet);

fn stage(
    move_set: MoveSet,
    keeps: fn(&Symmetry) -> bool,
    symmetry: impl Coordinate + 'static,
) -> StageSpec {
    let counts = Expected::new(6, (symmetry.size() * 35) as u64);
    let symmetries = Symmetry::all().filter(keeps).map(Action::conjugation);
    StageSpec {
        symmetries: symmetries.collect(),
        ..StageSpec::new("test", "test", "a small goal", move_set, symmetry, counts)
    }
}

/// Corners and U and D centers up to half turns, by the turns of the fourth of the five stages:
/// 420·35 positions.
fn corner_stage() -> Small {
    let move_set = MoveSet([HALF, OUTER, HALF]);
    let keeps_ud = |s: &Symmetry| s.axis(Axis::Y).0 == Axis::Y;
    let spec = StageSpec {
        first: Raw::Independent(Box::new(CenterPairing::DU)),
        ..stage(move_set, keeps_ud, CornerCoset)
    };
    (spec, MoveSet::HALF)
}

/// L and R centers, by the turns of the third of the five stages: 12,870·35 positions.
fn center_stage() -> Small {
    let move_set = MoveSet([HALF, OUTER, INNER]);
    let keeps_axes = |s: &Symmetry| Axis::ALL.into_iter().all(|axis| s.axis(axis).0 == axis);
    let spec = stage(move_set, keeps_axes, CenterPlaces::LR_OFF_FB);
    let spec = StageSpec {
        first: Raw::Dependent(Box::new(CenterPairing::LR)),
        ..spec
    };
    (spec, MoveSet([HALF, OUTER, HALF]))
}

/// L and R centers on any axis, by all turns: 735,471 positions. A sequence ends where it first
/// reaches the goal.
fn axis_stage() -> Small {
    let counts = Expected::new(3, 735_471);
    let move_set = MoveSet([AxisTurns::ANY; 3]);
    let spec = StageSpec {
        expected: counts,
        symmetries: Symmetry::rotations().map(Action::turning).collect(),
        rotations: Symmetry::thirds().to_vec(),
        stops_at_goals: true,
        ..stage(move_set, |_| false, CenterPlaces::LR_ANYWHERE)
    };
    (spec, MoveSet([AxisTurns::ANY, OUTER, OUTER]))
}

/// The search of a stage with its tables.
fn search((spec, next): Small, metric: Metric) -> Box<dyn StageSearch> {
    let space = Arc::new(Space::new(spec, next, metric).unwrap());
    let tables = space.tables(Profile::Full).into_iter();
    let tables = tables.map(|table| {
        let built = table.build(&Monitor::default()).unwrap();
        table_of(built.payload, table.encoding())
    });
    let tables = tables.collect();
    space.open(Profile::Full, tables)
}

/// Asserts that both searches list the same endings up to the cost `max_cost`, and at least `min_count`.
fn assert_endings_agree(
    stage: fn() -> Small,
    metric: Metric,
    scramble: &str,
    max_cost: u8,
    min_count: usize,
) {
    let sequence: Sequence = scramble.parse().unwrap();
    let cube = Cube::solved().moved_by(sequence.axis_moves());
    let (spec, next) = stage();
    let coordinates: Vec<&dyn Coordinate> = spec.coordinates().collect();
    let goals = plain::goals(&coordinates, &next);
    let is_at_goal = |cube: &Cube| goals.contains_key(&plain::values(&coordinates, cube));
    let plain = PlainStage {
        move_set: spec.move_set,
        next: next.after_all(&spec.rotations),
        metric,
        is_goal: &|cube| {
            let mut turns = spec.rotations.iter().map(|&turn| Action::turning(turn));
            turns.any(|turn| is_at_goal(&cube.transformed(turn)))
        },
        passes_goals: !spec.stops_at_goals,
    };
    let total = assert_lists_endings(&*search(stage(), metric), &plain, &cube, max_cost);
    assert!(total >= min_count, "only {total} sequences were compared");
}

#[test]
fn enumeration_lists_every_sequence_once() {
    assert_endings_agree(corner_stage, Metric::Obtm, "U F2 D R2", 5, 100);
    assert_endings_agree(corner_stage, Metric::Stm, "U F2 D' R2", 5, 100);
    assert_endings_agree(center_stage, Metric::Obtm, "f U b", 6, 30);
    assert_endings_agree(center_stage, Metric::Stm, "f U2 b", 5, 30);
}

#[test]
fn enumeration_that_stops_at_goals_lists_every_sequence_once() {
    assert_endings_agree(axis_stage, Metric::Obtm, "", 3, 3);
    assert_endings_agree(axis_stage, Metric::Obtm, "r", 3, 3);
    assert_endings_agree(axis_stage, Metric::Obtm, "U Rw", 3, 3);
    assert_endings_agree(axis_stage, Metric::Stm, "U f", 3, 3);
}
