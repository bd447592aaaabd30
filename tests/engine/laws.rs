//! Laws of every method's coordinates, move tables and symmetries, against whole cubes.

use std::collections::{HashMap, HashSet};

use rand::RngExt;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha20Rng;
use scramble444::coord::Coordinate;
use scramble444::cube::{AxisMove, Cube, Metric};
use scramble444::method::Method;
use scramble444::stage::{ChainSpec, ComponentSpec, Freedom, Position, Raw, Space, StageSpec};

/// The stages of a method, each with what may be turned after it.
fn stages(method: Method) -> Vec<(StageSpec, Freedom)> {
    let Some(ChainSpec { stages, .. }) = method.declaration() else {
        // Custom stages have no coordinates of this kind.
        return Vec::new();
    };
    let mut next: Vec<Freedom> = stages[1..].iter().map(|stage| stage.freedom).collect();
    next.push(Freedom::NONE);
    stages.into_iter().zip(next).collect()
}

/// All different stages of all methods.
fn all_stages() -> Vec<(StageSpec, Freedom)> {
    let mut seen = HashSet::new();
    let all = Method::ALL.into_iter().flat_map(stages);
    all.filter(|(stage, _)| seen.insert((stage.method, stage.name)))
        .collect()
}

fn spaces(metric: Metric) -> Vec<Space> {
    all_stages()
        .into_iter()
        .map(|(spec, next)| Space::new(spec, next, metric).unwrap())
        .collect()
}

/// A cube that a stage may meet: the solved one after turns that the stage allows.
fn random_cube(space: &Space, rng: &mut ChaCha20Rng) -> Cube {
    let moves = space.generators().moves();
    (0..40).fold(Cube::solved(), |cube, _| {
        cube.moved(moves[rng.random_range(0..moves.len())])
    })
}

/// A cube at random values of a component's coordinates.
fn random_values(component: &ComponentSpec, rng: &mut ChaCha20Rng) -> (Cube, Vec<usize>) {
    let coordinates: Vec<&dyn Coordinate> = component.coordinates().collect();
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
                "{}",
                coordinate.name()
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
        for component in &spec.components {
            for _ in 0..10_000 {
                let (cube, written) = random_values(component, &mut rng);
                let found = component
                    .coordinates()
                    .map(|coordinate| coordinate.rank(&cube));
                assert_eq!(found.collect::<Vec<_>>(), written, "{}", spec.name);
            }
        }
    }
}

#[test]
fn class_counts_are_the_published_ones() {
    let published = [15_582, 1_612_515, 56_980, 5_968, 7_444];
    let chain = Method::FIVE_STAGE.chain(Metric::Obtm).unwrap();
    for (space, published) in chain.stages().iter().zip(published) {
        let classes = space.classes(0);
        let spec = space.component_specs().next().unwrap();
        // A pairing of the marked centers counts as part of what marks them: orbits of pairings.
        let found: usize = match spec.first {
            Raw::Dependent(_) => (0..classes.count())
                .map(|class| {
                    let cube = spec.symmetry.unrank(classes.representative(class));
                    let pairings = (0..space.raw_sizes(0).0).map(|pairing| {
                        let mut cube = cube;
                        spec.first.coordinate().unwrap().write(pairing, &mut cube);
                        let images = space.images(&space.position(&cube)).into_iter();
                        images.map(|image| image[0].first()).min()
                    });
                    pairings.collect::<HashSet<_>>().len()
                })
                .sum(),
            _ => classes.count(),
        };
        assert_eq!(found, published, "{}", space.name());
    }
}

#[test]
fn goals_hold_all_that_the_next_stage_turns() {
    for space in spaces(Metric::Obtm) {
        let name = space.name();
        assert_eq!(space.goal_count(), space.spec().expected.goals, "{name}");
        assert!(space.is_goal(&space.position(&Cube::solved())));
        for mv in space.next().moves() {
            let turned = Cube::solved().moved(mv);
            assert!(space.is_goal(&space.position(&turned)), "{name}: {mv:?}");
        }
    }
}

/// Stages of one name must have the same tables, whichever methods they are in: that is how methods
/// share tables in one directory.
#[test]
fn stages_of_one_name_have_one_fingerprint() {
    let mut known = HashMap::new();
    let mut shared = 0;
    for (spec, next) in Method::ALL.into_iter().flat_map(stages) {
        let space = Space::new(spec, next, Metric::Obtm).unwrap();
        let key = (space.spec().method, space.name());
        let prints: Vec<u128> = (0..space.component_specs().len())
            .map(|component| space.fingerprint(component))
            .collect();
        match known.get(&key) {
            Some(other) => {
                assert_eq!(*other, prints, "{key:?}");
                shared += 1;
            }
            None => {
                let others: Vec<&Vec<u128>> = known.values().collect();
                assert!(!others.contains(&&prints), "{key:?}");
                known.insert(key, prints);
            }
        }
    }
    assert!(shared >= 4);
}

#[test]
fn generator_counts_are_those_of_the_metrics() {
    for (metric, counts) in [
        (Metric::Obtm, [27, 39, 25, 13, 9]),
        (Metric::Stm, [36, 28, 20, 16, 12]),
        (Metric::Btm, [54, 42, 28, 22, 18]),
    ] {
        let chain = Method::FIVE_STAGE.chain(metric).unwrap();
        let found: Vec<usize> = chain
            .stages()
            .iter()
            .map(|space| space.generators().patterns().len())
            .collect();
        assert_eq!(found, counts);
    }
}

/// Whether two positions are the same up to symmetry.
fn are_symmetric(space: &Space, a: &Position, b: &Position) -> bool {
    let images = |position| space.images(position).into_iter().min();
    images(a) == images(b)
}

/// The generator that undoes each.
fn inverses(space: &Space) -> Vec<u8> {
    let moves = space.generators().moves();
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
        let inverses = inverses(&space);
        for _ in 0..2_000 {
            let position = space.position(&random_cube(&space, &mut rng));
            for (generator, &inverse) in inverses.iter().enumerate() {
                let child = space.child(&position, generator as u8);
                let back = space.child(&child, inverse);
                assert!(
                    are_symmetric(&space, &position, &back),
                    "{}: {position:?}",
                    space.name()
                );
                if space.images(&position).len() == 1 {
                    assert_eq!(position, back, "{}", space.name());
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
                let mut cube = match space.component_specs().next() {
                    Some(only) if round % 2 == 0 && space.component_specs().len() == 1 => {
                        random_values(only, &mut rng).0
                    }
                    _ => random_cube(&space, &mut rng),
                };
                let mut position = space.position(&cube);
                for _ in 0..8 {
                    let generator = rng.random_range(0..space.generators().len());
                    cube = cube.moved(space.generators().moves()[generator]);
                    position = space.child(&position, generator as u8);
                    let direct = space.position(&cube);
                    assert!(
                        are_symmetric(&space, &position, &direct),
                        "{}",
                        space.name()
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
            let cube = random_cube(&space, &mut rng);
            let position = space.position(&cube);
            for action in space.group().actions() {
                let image = space.position(&cube.transformed(action));
                assert!(are_symmetric(&space, &position, &image), "{}", space.name());
            }
        }
    }
}

#[test]
fn symmetry_action_is_a_homomorphism() {
    let mut rng = ChaCha20Rng::seed_from_u64(15);
    for space in spaces(Metric::Obtm) {
        let group = space.group();
        let actions: Vec<usize> = (0..group.len()).collect();
        for a in 0..group.len() {
            assert_eq!(group.then(a, group.inverse(a)), 0);
            for _ in 0..50 {
                let &b = actions.choose(&mut rng).unwrap();
                let cube = random_cube(&space, &mut rng);
                let both = cube.transformed(group.action(group.then(a, b)));
                let one_by_one = cube
                    .transformed(group.action(a))
                    .transformed(group.action(b));
                assert_eq!(both, one_by_one);
            }
        }
    }
}
