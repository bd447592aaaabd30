//! Endings farther from the goal than the positions whose exact distances are known.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::coord::Coordinate;
use crate::coord::centers::{CenterPairing, CenterPlaces};
use crate::cube::{Action, AxisMove, Cube, Metric, Symmetry};
use crate::search::{
    AxisTurns, Beam, Ending, Entrant, LayerTurns, Limits, Meter, MoveSet, Profile, Stage,
    StageSearch, Stopped,
};
use crate::stage::{Expected, Projection, ProjectionGraph, Raw, Space, StageSpec};
use crate::table::{Monitor, build, near_distances, table_of};

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
        assert!(listed.insert(ending.moves.to_vec()));
        Ok(())
    };
    let limits = Limits::default();
    let meter = &mut Meter::new(&limits);
    let _ = search.search(&[entrant], Beam::new(usize::MAX, 1), &mut take, meter);
    listed
}

/// L and R centers, by the turns of the third of the five stages: 12,870·35 positions.
fn center_stage() -> Space {
    let half = AxisTurns::HALF;
    let inner = AxisTurns {
        outer: LayerTurns::Half,
        inner: LayerTurns::Quarter,
    };
    let counts = Expected::new(
        6,
        (CenterPlaces::LR_OFF_FB.size() * CenterPairing::SIZE) as u64,
    );
    let places = CenterPlaces::LR_OFF_FB;
    let move_set = MoveSet([half, AxisTurns::OUTER, inner]);
    let spec = StageSpec::new("test", "far", "L and R centers", move_set, places, counts);
    let spec = StageSpec {
        first: Raw::Dependent(Box::new(CenterPairing::LR)),
        ..spec
    };
    let next = MoveSet([half, AxisTurns::OUTER, half]);
    Space::new(spec, next, Metric::Obtm).unwrap()
}

/// Some turns cost two, so a position may be reached at a lower cost later.
#[test]
fn positions_near_the_goal_are_listed_once_at_their_distances() {
    let space = center_stage();
    let graph = ProjectionGraph::new(&space, Projection::Whole);
    let (distances, _) = build(&graph, &Monitor::default()).unwrap();
    let listed = near_distances(&space, 15, 16_384);
    for &(key, distance) in &listed {
        assert_eq!(distances[key as usize], distance);
        assert_eq!(space.key(&space.position_at(key)), key);
    }
    assert!(listed.is_sorted_by(|(one, _), (other, _)| one < other));
    let radius = listed.iter().map(|&(_, distance)| distance).max().unwrap();
    let near = distances.iter().filter(|&&distance| distance <= radius);
    assert_eq!((near.count(), radius > 3), (listed.len(), true));
}

#[test]
fn great_distances_in_pocket_tables_are_lower_bounds() {
    let mut space = center_stage();
    space.spec.compact = &[Projection::First];
    let built = |profile| {
        let table = &space.tables(profile)[0];
        let payload = table.build(&Monitor::default()).unwrap().payload;
        let distances = payload.iter().flat_map(|byte| [byte & 15, byte >> 4]);
        (table.label(), distances.collect::<Vec<u8>>())
    };
    let (label, exact) = built(Profile::Compact);
    let (near_label, near) = built(Profile::Pocket);
    assert_eq!(
        [label, near_label],
        ["test-far-first", "test-far-near-first"]
    );
    let greatest = *near.iter().max().unwrap();
    let clipped: Vec<u8> = exact.iter().map(|&exact| exact.min(greatest)).collect();
    assert_eq!(near, clipped);
    let beyond = exact.iter().filter(|&&exact| exact > greatest).count();
    assert!((1..exact.len() / 4).contains(&beyond), "{beyond}");
}

#[test]
fn tables_rule_out_no_ending() {
    let space = Arc::new(center_stage());
    let tables = space.tables(Profile::Full).into_iter();
    let tables = tables.map(|table| {
        let built = table.build(&Monitor::default()).unwrap();
        table_of(built.payload, table.encoding())
    });
    let bounded = Arc::clone(&space).open(Profile::Full, tables.collect());
    let unbounded = Arc::clone(&space).open(Profile::Full, Vec::new());
    let mut rng = ChaCha20Rng::seed_from_u64(61);
    let mut far = 0;
    for _ in 0..12 {
        let moves = &space.generators.moves;
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
    let counts = Expected::new(3, 735_471);
    let any = MoveSet([AxisTurns::ANY; 3]);
    let places = CenterPlaces::LR_ANYWHERE;
    let spec = StageSpec {
        symmetries: Symmetry::rotations().map(Action::turning).collect(),
        rotations: Symmetry::thirds().to_vec(),
        stops_at_goals: true,
        ..StageSpec::new(
            "test",
            "axis",
            "L and R centers on an axis",
            any,
            places,
            counts,
        )
    };
    let next = MoveSet([AxisTurns::ANY, AxisTurns::OUTER, AxisTurns::OUTER]);
    let space = Arc::new(Space::new(spec, next, Metric::Obtm).unwrap());
    let search = Arc::clone(&space).open(Profile::Full, Vec::new());
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
