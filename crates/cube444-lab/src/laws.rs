//! Laws of the stages of these methods. `cube444` tests those of all stages on its own.

use std::collections::HashMap;

use cube444::cube::{Cube, Metric};
use cube444::method::{
    Coordinate, Monitor, MoveSet, Projection, ProjectionGraph, Raw, Space, StageSpec, build,
};
use cube444::search::Profile;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::{METHODS, eight_step, norskog};

/// The stages of a method, each with the turns of the next one.
fn in_order<const N: usize>(stages: [StageSpec; N]) -> Vec<(StageSpec, MoveSet)> {
    let move_sets = stages.iter().map(|stage| stage.move_set).skip(1);
    let next: Vec<MoveSet> = move_sets.chain([MoveSet::NONE]).collect();
    stages.into_iter().zip(next).collect()
}

/// The stages of all methods but those of `five-stage`.
fn stages() -> Vec<(StageSpec, MoveSet)> {
    let mut stages = in_order(eight_step::stages());
    stages.extend(in_order(norskog::stages()).into_iter().skip(1).take(1));
    stages
}

/// The coordinates of a stage in order.
fn coordinates(spec: &StageSpec) -> Vec<&dyn Coordinate> {
    let mut all = vec![&*spec.symmetry];
    match &spec.first {
        Raw::None => {}
        Raw::Independent(first) => all.push(&**first),
        Raw::Dependent(first) => all.push(&**first),
    }
    all.extend(spec.second.as_deref());
    all
}

#[test]
fn rank_undoes_write_over_the_whole_range() {
    for (spec, _) in stages() {
        for coordinate in coordinates(&spec) {
            for index in 0..coordinate.size() {
                let found = coordinate.rank(&coordinate.unrank(index));
                assert_eq!(found, index, "{coordinate:?}");
            }
        }
    }
}

#[test]
fn coordinates_written_together_do_not_disturb_each_other() {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    for (spec, _) in stages() {
        let coordinates = coordinates(&spec);
        for _ in 0..10_000 {
            let draw = |coordinate: &&dyn Coordinate| rng.random_range(0..coordinate.size());
            let written: Vec<usize> = coordinates.iter().map(draw).collect();
            let mut cube = Cube::solved();
            for (coordinate, &value) in coordinates.iter().zip(&written) {
                coordinate.write(value, &mut cube);
            }
            let found = coordinates.iter().map(|coordinate| coordinate.rank(&cube));
            assert_eq!(found.collect::<Vec<_>>(), written, "{}", spec.name);
        }
    }
}

/// Constructing a stage compares the images of its coordinates with whole cubes, and counts its goals. Tables of
/// lower bounds are not compared with the declared number of positions when they are opened.
#[test]
fn stages_are_as_declared_in_every_metric() {
    let mut compared = Vec::new();
    for metric in Metric::ALL {
        for (spec, next) in stages() {
            let (name, expected, condition) = (spec.name, spec.expected, spec.condition);
            let space = Space::new(spec, next, metric).unwrap();
            if condition.is_some() && metric != Metric::Btm {
                let graph = ProjectionGraph::new(&space, Projection::Whole);
                let (_, distribution) = build(&graph, &Monitor::default()).unwrap();
                assert_eq!(distribution.total(), expected.positions, "{name}");
                compared.push(name);
            }
        }
    }
    assert_eq!(compared, ["all-centers", "columns"].repeat(2));
}

/// Tables of one name are in one file, whichever methods share it.
#[test]
fn tables_of_one_name_are_the_same() {
    let mut known = HashMap::new();
    let mut shared = 0;
    for method in METHODS {
        let chain = method.chain(Metric::Obtm).unwrap();
        for stage in chain.stages() {
            for table in stage.tables(Profile::Compact) {
                let identity = table.identity(Metric::Obtm.name()).to_string();
                if let Some(other) = known.insert(table.label(), identity.clone()) {
                    assert_eq!(identity, other);
                    shared += 1;
                }
            }
        }
    }
    assert!(shared >= 8, "{shared}");
}
