//! The endings that the search lists for small stages: near the goal compared with those of a plain search on whole
//! cubes, which uses neither tables nor the automaton, and farther away with those of a search without tables.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::coord::Coordinate;
use crate::coord::centers::{CenterPairing, CenterPlaces};
use crate::coord::corners::CornerCoset;
use crate::cube::turn::{PATTERNS, Pattern, join, undo};
use crate::cube::{Action, Axis, AxisMove, Cube, Metric, Sequence, Symmetry};
use crate::method::symmetries::{keeping_axis, keeping_every_axis};
use crate::search::{
    AxisTurns, Beam, Ending, Entrant, LayerTurns, Limits, Meter, MoveSet, Profile, Stage,
    StageSearch, Stopped, joined,
};
use crate::stage::{Expected, Projection, Raw, Space, StageSpec};
use crate::table::{Monitor, table_of};

use super::plain::{self, Values};

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
    symmetries: impl Iterator<Item = Symmetry>,
    coordinate: impl Coordinate + 'static,
) -> StageSpec {
    let counts = Expected::new(6, (coordinate.size() * 35) as u64);
    StageSpec::new("test", "test", "small", move_set, coordinate, counts)
        .with(|spec| spec.symmetries = symmetries.map(Action::conjugation).collect())
}

/// Corners and U and D centers up to half turns, by the turns of the fourth of the five stages:
/// 420·35 positions.
fn corner_stage() -> Small {
    let move_set = MoveSet([HALF, OUTER, HALF]);
    let spec = stage(move_set, keeping_axis(Axis::Y), CornerCoset);
    let pairing = Raw::Independent(Box::new(CenterPairing::DU));
    (spec.with(|spec| spec.first = pairing), MoveSet::HALF)
}

/// L and R centers, by the turns of the third of the five stages: 12,870·35 positions.
fn center_stage() -> Small {
    let move_set = MoveSet([HALF, OUTER, INNER]);
    let spec = stage(move_set, keeping_every_axis(), CenterPlaces::LR_OFF_FB);
    let pairing = Raw::Dependent(Box::new(CenterPairing::LR));
    let next = MoveSet([HALF, OUTER, HALF]);
    (spec.with(|spec| spec.first = pairing), next)
}

/// L and R centers on any axis, by all turns: 735,471 positions. A sequence ends where it first
/// reaches the goal.
fn axis_stage() -> Small {
    let move_set = MoveSet([AxisTurns::ANY; 3]);
    let spec = stage(move_set, std::iter::empty(), CenterPlaces::LR_ANYWHERE).with(|spec| {
        spec.expected = Expected::new(3, 735_471);
        spec.symmetries = Symmetry::rotations().map(Action::turning).collect();
        spec.rotations = Symmetry::thirds().to_vec();
        spec.stops_at_goals = true;
    });
    (spec, MoveSet([AxisTurns::ANY, OUTER, OUTER]))
}

fn space((spec, next): Small, metric: Metric) -> Arc<Space> {
    Arc::new(Space::new(spec, next, metric).unwrap())
}

/// The distances that a table of a stage is built from, packed.
fn payload(space: &Space, profile: Profile) -> Vec<u8> {
    let table = &space.tables(profile)[0];
    table.build(&Monitor::default()).unwrap().payload
}

/// The search of a stage with its tables.
fn with_tables(space: &Arc<Space>) -> Box<dyn StageSearch> {
    let tables = space.tables(Profile::Full).into_iter();
    let tables = tables.map(|table| {
        let built = table.build(&Monitor::default()).unwrap();
        table_of(built.payload, table.encoding())
    });
    space.clone().open(Profile::Full, tables.collect())
}

/// The first endings of exactly `cost`, at most `most`.
fn endings(
    search: &dyn StageSearch,
    cube: Cube,
    cost: usize,
    most: usize,
) -> BTreeSet<Vec<AxisMove>> {
    let entrant = Entrant {
        key: cost,
        ..Entrant::new(cube)
    };
    let mut listed = BTreeSet::new();
    let mut take = |_, total, ending: &Ending<'_>, _: &mut Meter| {
        if total > cost || listed.len() == most {
            return Err(Stopped);
        }
        let moves = ending.moves;
        assert_eq!(ending.cube, cube.moved_by(moves.iter().copied()));
        assert!(listed.insert(moves.to_vec()), "{moves:?} are listed twice");
        Ok(())
    };
    // More nodes than up to this cost. There may be no ending at a greater one for long.
    let beam = Beam::new(usize::MAX, 1).within(1_000_000, 0);
    let limits = Limits::default();
    let _ = search.search(&[entrant], beam, &mut take, &mut Meter::new(&limits));
    listed
}

/// Axis moves without rotations of the whole cube, so that sequences that differ only in these are equal.
type Turns = Vec<(Axis, Pattern)>;

/// Removes rotations of the whole cube from axis moves.
fn turns(moves: &[AxisMove]) -> Turns {
    // The rotation of the whole cube so far.
    let mut frame = Symmetry::IDENTITY;
    let as_if_unturned = moves.iter().map(|mv| {
        let mv = mv.conjugate(frame.inverse());
        // The canonical amounts of a pattern leave the first layer fixed.
        frame = Symmetry::rotation(mv.axis(), mv.amounts()[0]).then(frame);
        (mv.axis(), mv.pattern())
    });
    as_if_unturned.collect()
}

/// A stage without tables and automaton.
struct PlainStage<'a> {
    spec: &'a StageSpec,
    coordinates: Vec<&'a dyn Coordinate>,
    goals: HashMap<Values, Cube>,
    /// The axis moves with their costs, and whether the last one may be such a move.
    moves: Vec<(AxisMove, u8, bool)>,
}

impl PlainStage<'_> {
    fn new<'a>(spec: &'a StageSpec, next: &MoveSet, metric: Metric) -> PlainStage<'a> {
        let coordinates: Vec<&dyn Coordinate> = spec.coordinates().collect();
        // The turns of the next stage that are allowed after each of the rotations.
        let rotated = next.after_all(&spec.rotations);
        let moves = Axis::ALL.into_iter().flat_map(|axis| {
            let costs = spec.move_set.costs(axis, metric);
            let next_costs = rotated.costs(axis, metric);
            let moves = spec.move_set.realizations(axis, metric).into_iter().skip(1);
            moves.flatten().map(move |(mv, cost)| {
                // No part of the last axis move can be left to the next stage at the same total cost.
                let may_end = (1..PATTERNS as Pattern).all(|part| {
                    let rest = join(mv.pattern(), undo(part)) as usize;
                    match (costs[rest], next_costs[part as usize]) {
                        (Some(rest), Some(part)) => rest + part > cost,
                        _ => true,
                    }
                });
                (mv, cost, may_end)
            })
        });
        PlainStage {
            spec,
            moves: moves.collect(),
            goals: plain::goals(&coordinates, next),
            coordinates,
        }
    }

    fn is_goal(&self, cube: &Cube) -> bool {
        let mut rotations = self
            .spec
            .rotations
            .iter()
            .map(|&turn| Action::turning(turn));
        rotations.any(|turn| {
            let values = plain::values(&self.coordinates, &cube.transformed(turn));
            self.goals.contains_key(&values)
        })
    }

    /// Adds all sequences of axis moves of exactly the cost `left` that lead to the goal and may end there.
    fn collect(
        &self,
        cube: &Cube,
        path: &mut Vec<AxisMove>,
        left: u8,
        found: &mut BTreeSet<Turns>,
    ) {
        if left == 0 {
            if self.is_goal(cube) {
                assert!(found.insert(turns(path)));
            }
            return;
        }
        if self.spec.stops_at_goals && !path.is_empty() && self.is_goal(cube) {
            return;
        }
        for &(mv, cost, may_end) in &self.moves {
            let is_first = path.last().is_none_or(|last| last.axis() != mv.axis());
            if is_first && (cost < left || cost == left && may_end) {
                path.push(mv);
                self.collect(&cube.moved(mv), path, left - cost, found);
                path.pop();
            }
        }
    }
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
    let search = with_tables(&space(stage(), metric));
    let (spec, next) = &stage();
    let plain = PlainStage::new(spec, next, metric);
    let bound = search.bounds(&[(cube, Action::IDENTITY)], u8::MAX)[0];
    let mut total = 0;
    for cost in 0..=max_cost {
        let mut found = BTreeSet::new();
        plain.collect(&cube, &mut Vec::new(), cost, &mut found);
        assert!(
            bound <= cost || found.is_empty(),
            "{bound} is no lower bound of {cost}"
        );
        let listed = endings(&*search, cube, cost.into(), usize::MAX);
        total += listed.len();
        let as_turns = listed.iter().map(|moves| turns(&joined(moves)));
        let distinct: BTreeSet<Turns> = as_turns.collect();
        assert_eq!(distinct.len(), listed.len());
        let differing = distinct.symmetric_difference(&found).count();
        assert_eq!(
            differing,
            0,
            "cost {cost}: {} listed, {} found",
            listed.len(),
            found.len()
        );
    }
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

#[test]
fn great_distances_in_pocket_tables_are_lower_bounds() {
    let (mut spec, next) = center_stage();
    spec.compact = &[Projection::First];
    let space = space((spec, next), Metric::Obtm);
    let built = |profile| {
        let distances = payload(&space, profile).into_iter();
        let distances = distances.flat_map(|byte| [byte & 15, byte >> 4]);
        (
            space.tables(profile)[0].label(),
            distances.collect::<Vec<u8>>(),
        )
    };
    let (label, exact) = built(Profile::Compact);
    let (near_label, near) = built(Profile::Pocket);
    assert_eq!(
        [label, near_label],
        ["test-test-first", "test-test-near-first"]
    );
    let greatest = *near.iter().max().unwrap();
    let clipped: Vec<u8> = exact.iter().map(|&exact| exact.min(greatest)).collect();
    assert_eq!(near, clipped);
    let beyond = exact.iter().filter(|&&exact| exact > greatest).count();
    assert!((1..exact.len() / 4).contains(&beyond), "{beyond}");
}

#[test]
fn tables_rule_out_no_ending() {
    let space = space(center_stage(), Metric::Obtm);
    let bounded = with_tables(&space);
    let unbounded = space.clone().open(Profile::Full, Vec::new());
    let moves = &space.generators.moves;
    let mut rng = ChaCha20Rng::seed_from_u64(61);
    let mut far = 0;
    for _ in 0..12 {
        let turns = (0..30).map(|_| moves[rng.random_range(0..moves.len())]);
        let cube = Cube::solved().moved_by(turns.collect::<Vec<_>>());
        let distance = usize::from(bounded.bounds(&[(cube, Action::IDENTITY)], u8::MAX)[0]);
        for cost in distance - 1..=distance + 1 {
            let listed = endings(&*bounded, cube, cost, usize::MAX);
            assert_eq!(listed.is_empty(), cost < distance);
            assert_eq!(listed, endings(&*unbounded, cube, cost, usize::MAX));
        }
        far += u32::from(distance > 6);
    }
    assert!(far > 2, "{far}");
}

#[test]
fn endings_that_stop_at_goals_lead_through_none() {
    let space = space(axis_stage(), Metric::Obtm);
    let search = space.clone().open(Profile::Full, Vec::new());
    let moves = &space.generators.moves;
    // Turns that lead to the goal at once would be the first to be listed.
    for first in [0, moves.len() / 2] {
        let cube = Cube::solved().moved(moves[first].inverse());
        for cost in 7..=9 {
            let listed = endings(&*search, cube, cost, 3_000);
            assert_eq!(listed.len(), 3_000);
            for path in listed {
                let mut cube = cube;
                let (_, before) = path.split_last().unwrap();
                for &mv in before {
                    cube = cube.moved(mv);
                    assert!(!space.is_goal(&space.position(&cube)), "{path:?}");
                }
            }
        }
    }
}
