//! Random small stages: the distances of every projection, the exact table and the positions near the goal,
//! compared with plain search on whole cubes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::coord::centers::{CenterPairing, CenterPlaces};
use crate::coord::combinatorics::{elements, permutation_unrank, try_permutation_rank};
use crate::coord::corners::{CornerArrangement, CornerCoset, CornerTwist};
use crate::coord::edges::{EdgePermutation, FlipSlice, edge_of, put_wing, reference};
use crate::coord::wings::WingCoset;
use crate::coord::{Coordinate, UNDEFINED};
use crate::cube::{Action, Axis, AxisMove, Cube, Metric, Pieces, Symmetry};
use crate::method::symmetries::{keeping_axis, keeping_every_axis};
use crate::search::{AxisTurns, LayerTurns, MoveSet, Profile};
use crate::stage::bounded::{BoundedSpace, SpaceNode};
use crate::stage::spec::Raw;
use crate::stage::{Expected, Projection, ProjectionGraph, Space, StageSpec};
use crate::table::{Monitor, RowGraph, build};

use super::plain::{self, Values};

const PROJECTIONS: [Projection; 3] = [Projection::Whole, Projection::First, Projection::Second];
/// The maximum number of positions for plain search.
const MAX_POSITIONS: usize = 12_000;

/// A random stage that can be declared several times, since constructing a stage consumes its declaration.
#[derive(Clone, Copy, Debug)]
struct Draw {
    seed: u64,
}

/// A part of what edges tell: of [`FlipSlice`], which is too large for plain search, or the permutation of the four
/// edges along y.
#[derive(Debug)]
enum EdgePart {
    Flips,
    Places,
    Slice,
}

const FLIPS: usize = 2_048;

impl Coordinate for EdgePart {
    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        match self {
            EdgePart::Flips => FLIPS,
            EdgePart::Places => FlipSlice.size() / FLIPS,
            EdgePart::Slice => 24,
        }
    }

    fn rank(&self, cube: &Cube) -> usize {
        match self {
            EdgePart::Flips => FlipSlice.rank(cube) % FLIPS,
            EdgePart::Places => FlipSlice.rank(cube) / FLIPS,
            EdgePart::Slice => {
                let home = |place| edge_of(cube.wing(reference(Axis::Z, place))) as u8;
                let homes = [0, 1, 2, 3, home(4), home(5), home(6), home(7)];
                try_permutation_rank(&homes).unwrap_or(UNDEFINED)
            }
        }
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        match self {
            EdgePart::Flips => FlipSlice.write(index, cube),
            EdgePart::Places => FlipSlice.write(index * FLIPS, cube),
            EdgePart::Slice => {
                let of = |edge| reference(Axis::Z, edge);
                for (place, &home) in permutation_unrank(index).iter().enumerate().skip(4) {
                    put_wing(cube, of(place), of(home.into()));
                }
            }
        }
    }
}

/// The coordinates of random stages, by index. Whether one is defined on the cubes of a stage depends on its
/// turns; constructing the stage fails otherwise.
fn coordinate(number: usize) -> Box<dyn Coordinate> {
    match number {
        0 => Box::new(CornerTwist),
        1 => Box::new(CornerCoset),
        2 => Box::new(CornerArrangement),
        3 => Box::new(EdgePart::Flips),
        4 => Box::new(EdgePart::Places),
        5 => Box::new(EdgePart::Slice),
        6 => Box::new(WingCoset),
        7 => Box::new(EdgePermutation),
        8 => Box::new(CenterPairing::DU),
        9 => Box::new(CenterPairing::LR),
        10 => Box::new(CenterPairing::FB),
        _ => Box::new(CenterPlaces::LR_OFF_FB),
    }
}

impl Draw {
    /// A stage and the turns of the next stage, drawn from the seed.
    fn stage(self) -> (StageSpec, MoveSet) {
        let rng = &mut ChaCha20Rng::seed_from_u64(self.seed);
        let mut move_set = MoveSet::NONE;
        let mut next = MoveSet::NONE;
        for axis in 0..3 {
            let turns = |outer, inner| {
                let turns = [LayerTurns::Quarter, LayerTurns::Half, LayerTurns::None];
                let (outer, inner) = (turns[outer], turns[inner]);
                AxisTurns { outer, inner }
            };
            let outer = rng.random_range(0..2);
            let inner = *[0, 1, 2, 2].choose(rng).unwrap();
            move_set.0[axis] = turns(outer, inner);
            next.0[axis] = turns(rng.random_range(outer..3), rng.random_range(inner..3));
        }
        let symmetry = coordinate(rng.random_range(0..12));
        let first = match rng.random_range(0..3) {
            0 => Raw::None,
            1 => Raw::Independent(coordinate(rng.random_range(0..11))),
            _ => Raw::Dependent(Box::new(CenterPairing::LR)),
        };
        let second = rng
            .random_bool(0.5)
            .then(|| coordinate(rng.random_range(0..11)));
        let keeping: Vec<Symmetry> = match rng.random_range(0..3) {
            0 => vec![Symmetry::IDENTITY],
            1 => keeping_every_axis().collect(),
            _ => keeping_axis(Axis::Y).collect(),
        };
        let counts = Expected::new(0, 0);
        let spec = StageSpec {
            symmetries: keeping.into_iter().map(Action::conjugation).collect(),
            rotations: allowed_rotations(&move_set),
            ..StageSpec::new("random", "random", "drawn", move_set, CornerTwist, counts)
        };
        // `Box<dyn Coordinate>` does not implement `Coordinate`.
        let spec = spec.with(|spec| {
            (spec.symmetry, spec.first, spec.second) = (symmetry, first, second);
        });
        (spec, next)
    }
}

/// The rotations of the whole cube that a move set allows, with all their products.
fn allowed_rotations(move_set: &MoveSet) -> Vec<Symmetry> {
    let allowed: Vec<Symmetry> = move_set.rotations().collect();
    let mut all = vec![Symmetry::IDENTITY];
    let mut next = 0;
    while next < all.len() {
        for &rotation in &allowed {
            let product = all[next].then(rotation);
            if !all.contains(&product) {
                all.push(product);
            }
        }
        next += 1;
    }
    all
}

/// Whether rotations of the whole cube, which are free in plain search, allow no further turns.
fn is_kept_by_rotations(move_set: &MoveSet) -> bool {
    let own = |axis: Axis| move_set.0[axis as usize];
    move_set.rotations().all(|rotation| {
        let mut axes = Axis::ALL.into_iter();
        axes.all(|axis| own(axis) == own(rotation.axis(axis).0))
    })
}

/// Counts of comparisons.
#[derive(Default, Debug)]
struct Compared {
    stages: usize,
    sparse: usize,
    dependent: usize,
    symmetric: usize,
    refused: usize,
    projections: usize,
}

/// Compares a random stage with plain search. Skips stages on which a coordinate is not defined, and those
/// that are too large.
fn compare(draw: Draw, metric: Metric, compared: &mut Compared) {
    let (plain_spec, next) = draw.stage();
    let all: Vec<&dyn Coordinate> = plain_spec.coordinates().collect();
    if plain_spec.size() > 200_000 || !is_kept_by_rotations(&plain_spec.move_set) {
        return;
    }
    // The declared counts are those that plain search finds.
    let declared = |expected: Expected| {
        let (spec, next) = draw.stage();
        Space::new(StageSpec { expected, ..spec }, next, metric)
    };
    let unknown = Expected {
        goals: usize::MAX,
        positions: 0,
    };
    let error = declared(unknown).unwrap_err().to_string();
    let refusals = [
        "is not closed",
        "was written",
        "which is allowed",
        "none of its rotations",
    ];
    if refusals.iter().any(|refusal| error.contains(refusal)) {
        compared.refused += 1;
        return;
    }
    let count = error
        .split_once("the goal has ")
        .map(|(_, rest)| rest.split(' ').next());
    let goals: usize = count.expect(&error).expect("a word").parse().expect(&error);
    let Some(exact) = plain::distances(&all, &plain_spec.move_set, &next, metric, MAX_POSITIONS)
    else {
        return;
    };
    let done = exact.values().filter(|(_, distance)| *distance == 0);
    assert_eq!(done.count(), goals, "{draw:?}");
    let space = declared(Expected {
        goals,
        positions: exact.len() as u64,
    });
    let space = Arc::new(space.unwrap());

    let mut bounds: HashMap<&Values, u8> = HashMap::new();
    for projection in PROJECTIONS {
        let some = plain::projected(&plain_spec, projection);
        let distances =
            plain::distances(&some, &plain_spec.move_set, &next, metric, usize::MAX).unwrap();
        let graph = ProjectionGraph::new(&space, projection);
        let Ok((table, distribution)) = build(&graph, &Monitor::default()) else {
            panic!("{draw:?}: {projection:?}");
        };
        assert_eq!(distribution.total(), distances.len() as u64, "{draw:?}");
        let mut counts = vec![0u64; distribution.positions.len()];
        for (cube, distance) in distances.values() {
            let entry = space.index(projection, &space.position(cube));
            assert_eq!(table[entry], *distance, "{draw:?}: {projection:?}");
            counts[*distance as usize] += 1;
        }
        assert_eq!(distribution.positions, counts, "{draw:?}: {projection:?}");
        for (values, (cube, _)) in &exact {
            let entry = space.index(projection, &space.position(cube));
            let bound = bounds.entry(values).or_default();
            *bound = (*bound).max(table[entry]);
        }
        compared.projections += 1;
    }
    for (values, (cube, distance)) in &exact {
        // Other projections than the whole stage have lower bounds.
        assert_eq!(bounds[values], *distance, "{draw:?}");
        assert_eq!(space.is_goal(&space.position(cube)), *distance == 0);
    }
    compare_near_goal(draw, &space, &exact, &all);
    compared.stages += 1;
    let graph = ProjectionGraph::new(&space, Projection::Whole);
    compared.sparse += usize::from(graph.is_sparse());
    compared.symmetric += usize::from(space.group.len() > 1);
    compared.dependent += usize::from(matches!(plain_spec.first, Raw::Dependent(_)));
}

/// `BoundedSpace::expand` must omit no position within the cost left, and near the goal all others.
fn compare_near_goal(
    draw: Draw,
    space: &Arc<Space>,
    exact: &HashMap<Values, (Cube, u8)>,
    coordinates: &[&dyn Coordinate],
) {
    let moves = &space.generators.moves;
    let stage = BoundedSpace::new(space.clone(), Profile::Full, Vec::new());
    for (cube, distance) in exact.values().take(300) {
        let left = distance + 1;
        let root = SpaceNode::root(&stage.turns, space.position(cube), left);
        let mut listed = Vec::new();
        stage.expand(&root, &mut listed);
        let child = |generator| space.child(&root.position, generator);
        assert!(listed.iter().all(|it| it.position == child(it.generator)));
        let listed: HashSet<u8> = listed.iter().map(|child| child.generator).collect();
        let following = stage.turns.within(stage.turns.start(AxisMove::STILL), left);
        for generator in elements(following) {
            let left = left - space.generators.costs[generator];
            let child = cube.moved(moves[generator]);
            let (_, distance) = exact[&plain::values(coordinates, &child)];
            let is_listed = listed.contains(&(generator as u8));
            if left < stage.near_goal.radius {
                assert_eq!(is_listed, distance <= left, "{draw:?}");
            } else {
                assert!(is_listed || distance > left, "{draw:?}");
            }
        }
    }
}

#[test]
fn random_stages_agree_with_plain_search() {
    let mut compared = Compared::default();
    for seed in 0..1_000 {
        let metric = Metric::ALL[seed as usize % 3];
        compare(Draw { seed }, metric, &mut compared);
    }
    println!("{compared:?}");
    assert!(compared.stages >= 50, "{compared:?}");
    assert!(compared.projections >= 150, "{compared:?}");
    for some in [compared.sparse, compared.dependent, compared.symmetric] {
        assert!(some >= 10, "{compared:?}");
    }
}
