//! Laws of every method's coordinates, move tables and symmetries, against whole cubes.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use rand::RngExt;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha20Rng;

use crate::coord::Coordinate;
use crate::cube::{AxisMove, Cube, Metric};
use crate::search::MoveSet;
use crate::stage::premoves::premoves;
use crate::stage::{Space, StageSpec};

use super::{five_stage, reduction};

/// The stages of a method, each with the turns of the next one.
fn in_order<const N: usize>(stages: [StageSpec; N]) -> Vec<(StageSpec, MoveSet)> {
    let move_sets = stages.iter().map(|stage| stage.move_set).skip(1);
    let next: Vec<MoveSet> = move_sets.chain([MoveSet::NONE]).collect();
    stages.into_iter().zip(next).collect()
}

/// The declared stages of all methods, the five stages first.
fn all_stages() -> Vec<(StageSpec, MoveSet)> {
    let mut stages = in_order(five_stage::stages());
    stages.extend(reduction::tests::declared_stages());
    stages
}

/// All stages, constructed once for all tests.
fn spaces(metric: Metric) -> &'static [Arc<Space>] {
    static SPACES: [OnceLock<Vec<Arc<Space>>>; 3] = [const { OnceLock::new() }; 3];
    SPACES[metric as usize].get_or_init(|| {
        let stages = all_stages().into_iter();
        stages
            .map(|(spec, next)| Arc::new(Space::new(spec, next, metric).unwrap()))
            .collect()
    })
}

/// The five stages, which are the first of them.
fn five_stages(metric: Metric) -> &'static [Arc<Space>] {
    &spaces(metric)[..5]
}

/// A cube that a stage may meet: the solved one after turns that the stage allows.
fn random_cube(space: &Space, rng: &mut ChaCha20Rng) -> Cube {
    let moves = &space.generators.moves;
    (0..40).fold(Cube::solved(), |cube, _| {
        cube.moved(moves[rng.random_range(0..moves.len())])
    })
}

/// A cube at random values of a stage's coordinates.
fn random_values(spec: &StageSpec, rng: &mut ChaCha20Rng) -> (Cube, Vec<usize>) {
    let coordinates: Vec<&dyn Coordinate> = spec.coordinates().collect();
    let draw = |coordinate: &&dyn Coordinate| rng.random_range(0..coordinate.size());
    let values: Vec<usize> = coordinates.iter().map(draw).collect();
    let mut cube = Cube::solved();
    for (coordinate, &value) in coordinates.iter().zip(&values) {
        coordinate.write(value, &mut cube);
    }
    (cube, values)
}

#[test]
fn rank_undoes_write_over_the_whole_range() {
    let check = |coordinate: &dyn Coordinate| {
        for index in 0..coordinate.size() {
            assert_eq!(
                coordinate.rank(&coordinate.unrank(index)),
                index,
                "{coordinate:?}"
            );
        }
    };
    for (spec, _) in all_stages() {
        spec.coordinates().for_each(check);
    }
}

#[test]
fn coordinates_written_together_do_not_disturb_each_other() {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    for (spec, _) in all_stages() {
        for _ in 0..10_000 {
            let (cube, written) = random_values(&spec, &mut rng);
            let found = spec.coordinates().map(|coordinate| coordinate.rank(&cube));
            assert_eq!(found.collect::<Vec<_>>(), written, "{}", spec.name);
        }
    }
}

#[test]
fn class_counts_are_the_published_ones() {
    // The number, and whether a pairing of the marked centers counts as part of what marks them, so
    // that orbits of pairings are counted.
    let published = [
        (15_582, false),
        (1_612_515, true),
        (56_980, true),
        (5_968, false),
        (7_444, false),
    ];
    for (space, (published, has_pairings)) in five_stages(Metric::Obtm).iter().zip(published) {
        let classes = &space.classes;
        let coordinates: Vec<&dyn Coordinate> = space.spec.coordinates().collect();
        let orbits = |class: usize| {
            let cube = coordinates[0].unrank(classes.representative(class));
            let pairings = (0..space.first_size).map(|pairing| {
                let mut cube = cube;
                coordinates[1].write(pairing, &mut cube);
                let position = space.position(&cube);
                let images = space.images(&position);
                images.map(|image| image.first).min()
            });
            pairings.collect::<HashSet<_>>().len()
        };
        let found: usize = if has_pairings {
            (0..classes.count()).map(orbits).sum()
        } else {
            classes.count()
        };
        assert_eq!(found, published, "{}", space.spec.name);
    }
}

#[test]
fn goals_hold_all_that_the_next_stage_turns() {
    for space in spaces(Metric::Obtm) {
        let name = space.spec.name;
        assert_eq!(space.goal_count(), space.spec.expected.goals, "{name}");
        assert!(space.is_goal(&space.position(&Cube::solved())));
        for mv in space.next.moves() {
            let turned = Cube::solved().moved(mv);
            assert!(space.is_goal(&space.position(&turned)), "{name}: {mv:?}");
        }
    }
}

#[test]
fn generator_counts_are_those_of_the_metrics() {
    for (metric, counts) in [
        (Metric::Obtm, [27, 39, 25, 13, 9]),
        (Metric::Stm, [36, 28, 20, 16, 12]),
        (Metric::Btm, [54, 42, 28, 22, 18]),
    ] {
        let stages = five_stages(metric).iter();
        let found = stages.map(|space| space.generators.patterns);
        assert_eq!(found.collect::<Vec<_>>(), counts);
    }
}

/// The generator that undoes each.
fn inverses(space: &Space) -> Vec<u8> {
    let moves = &space.generators.moves;
    let undoing = |mv: &AxisMove| moves.iter().position(|other| *other == mv.inverse());
    moves
        .iter()
        .map(|mv| undoing(mv).expect("generators are closed") as u8)
        .collect()
}

#[test]
fn every_move_is_undone_by_its_inverse() {
    let mut rng = ChaCha20Rng::seed_from_u64(12);
    for space in spaces(Metric::Obtm) {
        let inverses = inverses(space);
        for _ in 0..2_000 {
            let position = space.position(&random_cube(space, &mut rng));
            for (generator, &inverse) in inverses.iter().enumerate() {
                let child = space.child(&position, generator as u8);
                let back = space.child(&child, inverse);
                assert!(
                    space.are_symmetric(&position, &back),
                    "{}: {position:?}",
                    space.spec.name
                );
                if space.images(&position).count() == 1 {
                    assert_eq!(position, back, "{}", space.spec.name);
                }
            }
        }
    }
}

/// On values that occur, and on values drawn at random.
#[test]
fn move_tables_agree_with_moves_of_whole_cubes() {
    let mut rng = ChaCha20Rng::seed_from_u64(13);
    for metric in Metric::ALL {
        for space in spaces(metric) {
            for round in 0..2_000 {
                let mut cube = if round % 2 == 0 {
                    random_values(&space.spec, &mut rng).0
                } else {
                    random_cube(space, &mut rng)
                };
                let mut position = space.position(&cube);
                for _ in 0..8 {
                    let generator = rng.random_range(0..space.generators.moves.len());
                    cube = cube.moved(space.generators.moves[generator]);
                    position = space.child(&position, generator as u8);
                    let direct = space.position(&cube);
                    assert!(
                        space.are_symmetric(&position, &direct),
                        "{}",
                        space.spec.name
                    );
                }
            }
        }
    }
}

#[test]
fn symmetric_cubes_have_symmetric_positions() {
    let mut rng = ChaCha20Rng::seed_from_u64(14);
    for space in spaces(Metric::Obtm) {
        for _ in 0..200 {
            let cube = random_cube(space, &mut rng);
            let position = space.position(&cube);
            for action in space.group.actions() {
                let image = space.position(&cube.transformed(action));
                assert!(
                    space.are_symmetric(&position, &image),
                    "{}",
                    space.spec.name
                );
            }
        }
    }
}

#[test]
fn symmetry_action_is_a_homomorphism() {
    let mut rng = ChaCha20Rng::seed_from_u64(15);
    for space in spaces(Metric::Obtm) {
        let group = &space.group;
        let actions: Vec<usize> = (0..group.len()).collect();
        for a in 0..group.len() {
            assert_eq!(group.then(a, group.inverse(a)), 0);
            for _ in 0..50 {
                let &b = actions.choose(&mut rng).unwrap();
                let cube = random_cube(space, &mut rng);
                let both = cube.transformed(group.action(group.then(a, b)));
                let one_by_one = cube
                    .transformed(group.action(a))
                    .transformed(group.action(b));
                assert_eq!(both, one_by_one);
            }
        }
    }
}

#[test]
fn symmetries_are_as_many_as_published() {
    let published = include_str!("../../tests/data/gallet_stm.json");
    let published: serde_json::Value = serde_json::from_str(published).unwrap();
    let stages = five_stages(Metric::Stm);
    assert_eq!(stages.len(), 5);
    for (number, space) in stages.iter().enumerate() {
        let published = &published["stages"][number];
        assert_eq!(published["symmetries"], space.group.len());
    }
}

#[test]
fn premoves_are_outer_turns_to_different_positions() {
    let stages = five_stages(Metric::Obtm);
    let counts = stages.iter().map(|space| premoves(space).len());
    // Stage 1: four single turns (F for F', as F2 belongs to the stages after), and two of them,
    // opposite or one after the other, the first in both ways. Stage 4: U, and D.
    assert_eq!(counts.collect::<Vec<_>>(), [55, 1, 1, 3, 1]);
    // The maximum costs that the stages declare.
    for (space, most) in stages.iter().zip([2, 0, 0, 1, 0]) {
        let mut reached = Vec::new();
        for premove in premoves(space) {
            for mv in premove.turns() {
                assert_eq!(mv.amounts()[1..3], [0, 0]);
            }
            assert!(premove.cost <= most);
            let cube = premove.before(&Cube::solved());
            assert_eq!(cube, Cube::solved().moved_by(premove.turns()));
            assert!(!reached.contains(&cube));
            reached.push(cube);
        }
    }
}
