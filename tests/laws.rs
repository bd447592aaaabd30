//! Laws of the five stages' coordinates, move tables and symmetries, against whole cubes.

use rand::RngExt;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha20Rng;
use scramble444::coord::Coordinate;
use scramble444::cube::{AxisMove, Cube, Metric};
use scramble444::stage::{FirstRest, Freedom, Node, Space, five_stages};

fn spaces(metric: Metric) -> Vec<Space> {
    five_stages()
        .into_iter()
        .map(|spec| Space::new(spec, metric).unwrap())
        .collect()
}

/// A cube at random values of a stage's coordinates.
fn random_cube(space: &Space, rng: &mut ChaCha20Rng) -> Cube {
    let spec = space.spec();
    let mut cube = spec.lead.unrank(rng.random_range(0..spec.lead.size()));
    if let Some(first) = spec.first.coordinate() {
        first.write(rng.random_range(0..first.size()), &mut cube);
    }
    spec.second
        .write(rng.random_range(0..spec.second.size()), &mut cube);
    cube
}

/// Whether two nodes stand for symmetric positions: equal, or images of each other under a
/// symmetry that keeps the class' representative.
fn are_symmetric(space: &Space, a: &Node, b: &Node) -> bool {
    let rest = |node: &Node| (node.first, node.second);
    a.class == b.class
        && (rest(a) == rest(b)
            || space
                .classes()
                .stabiliser(a.class as usize)
                .iter()
                .any(|&sym| {
                    let (first, second) = space.stabiliser_images(a.class as usize, sym);
                    (first[a.first as usize], second[a.second as usize]) == rest(b)
                }))
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
    for spec in five_stages() {
        check(&*spec.lead);
        check(&*spec.second);
        if let Some(first) = spec.first.coordinate() {
            check(first);
        }
    }
}

#[test]
fn coordinates_written_together_do_not_disturb_each_other() {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    for spec in five_stages() {
        for _ in 0..10_000 {
            let lead = rng.random_range(0..spec.lead.size());
            let second = rng.random_range(0..spec.second.size());
            let mut cube = spec.lead.unrank(lead);
            let mut expected_first = 0;
            if let Some(first) = spec.first.coordinate() {
                expected_first = rng.random_range(0..first.size());
                first.write(expected_first, &mut cube);
            }
            spec.second.write(second, &mut cube);
            let first = spec.first.coordinate().map_or(0, |first| first.rank(&cube));
            let found = (spec.lead.rank(&cube), first, spec.second.rank(&cube));
            assert_eq!(found, (lead, expected_first, second), "{}", spec.name);
        }
    }
}

#[test]
fn class_counts_are_the_published_ones() {
    let published = [15_582, 1_612_515, 56_980, 5_968, 7_444];
    for (space, published) in spaces(Metric::Obtm).iter().zip(published) {
        let spec = space.spec();
        let (first_size, _) = space.rest_sizes();
        // A pairing of the lead's centers counts as part of the lead: orbits of pairings.
        let found: usize = match spec.first {
            FirstRest::PairingOfLead(_) => (0..space.classes().count())
                .map(|class| {
                    let stabiliser = space.classes().stabiliser(class);
                    let smallest = |&first: &usize| {
                        let image = |&sym| space.stabiliser_images(class, sym).0[first] as usize;
                        stabiliser.iter().map(image).all(|image| image >= first)
                    };
                    (0..first_size).filter(smallest).count()
                })
                .sum(),
            _ => space.classes().count(),
        };
        assert_eq!(
            (found, spec.expected.classes),
            (published, published),
            "{}",
            spec.name
        );
    }
}

#[test]
fn goals_are_closed_and_of_the_derived_size() {
    for space in spaces(Metric::Obtm) {
        let spec = space.spec();
        assert_eq!(space.goal_positions(), spec.expected.goals, "{}", spec.name);
        let first = spec.first.coordinate().map_or(1, |first| first.size());
        let positions = spec.lead.size() as u64 * first as u64 * spec.second.size() as u64;
        assert_eq!(positions, spec.expected.positions, "{}", spec.name);
        assert!(space.is_goal(&space.position(&Cube::solved())));
        for mv in spec.goal_freedom.moves() {
            assert!(
                space.is_goal(&space.position(&Cube::solved().moved(mv))),
                "{mv:?}"
            );
        }
    }
}

#[test]
fn each_stage_is_entered_where_the_last_one_ends() {
    let specs = five_stages();
    for pair in specs.windows(2) {
        assert_eq!(pair[0].goal_freedom, pair[1].freedom, "{}", pair[0].name);
    }
    assert_eq!(specs[4].goal_freedom, Freedom::NONE);
}

#[test]
fn generator_counts_are_those_of_the_metrics() {
    for (metric, counts) in [
        (Metric::Obtm, [27, 39, 25, 13, 9]),
        (Metric::Stm, [36, 28, 20, 16, 12]),
        (Metric::Btm, [54, 42, 28, 22, 18]),
    ] {
        let found: Vec<usize> = spaces(metric)
            .iter()
            .map(|space| space.generators().patterns().len())
            .collect();
        assert_eq!(found, counts);
    }
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
        let (first_size, second_size) = space.rest_sizes();
        for class in 0..space.classes().count() {
            let node = Node {
                class: class as u32,
                first: rng.random_range(0..first_size) as u8,
                sym: rng.random_range(0..space.group().len()) as u8,
                second: rng.random_range(0..second_size) as u16,
            };
            for (generator, &inverse) in inverses.iter().enumerate() {
                let child = space.child(&node, generator as u8);
                let back = space.child(&child, inverse);
                assert!(
                    are_symmetric(&space, &node, &back),
                    "{}: {node:?}",
                    space.spec().name
                );
                if space.classes().stabiliser(class).is_empty() {
                    assert_eq!(node, back, "{}", space.spec().name);
                }
            }
        }
    }
}

#[test]
fn move_tables_agree_with_moves_of_whole_cubes() {
    let mut rng = ChaCha20Rng::seed_from_u64(13);
    for metric in Metric::ALL {
        for space in spaces(metric) {
            for _ in 0..2_000 {
                let mut cube = random_cube(&space, &mut rng);
                let mut node = space.position(&cube);
                for _ in 0..8 {
                    let generator = rng.random_range(0..space.generators().len());
                    cube = cube.moved(space.generators().moves()[generator]);
                    node = space.child(&node, generator as u8);
                    let direct = space.position(&cube);
                    assert!(
                        are_symmetric(&space, &node, &direct),
                        "{}",
                        space.spec().name
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
            let node = space.position(&cube);
            for action in space.group().actions() {
                let image = space.position(&cube.transformed(action));
                assert!(
                    are_symmetric(&space, &node, &image),
                    "{}",
                    space.spec().name
                );
            }
        }
    }
}

#[test]
fn symmetry_action_is_a_homomorphism() {
    let mut rng = ChaCha20Rng::seed_from_u64(15);
    for space in spaces(Metric::Obtm) {
        let (spec, group) = (space.spec(), space.group());
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
                // On coordinates: the image depends on the value alone, not on the cube around it.
                let bare = spec.lead.unrank(spec.lead.rank(&cube));
                assert_eq!(
                    spec.lead.rank(&bare.transformed(group.action(a))),
                    spec.lead.rank(&cube.transformed(group.action(a))),
                    "{}",
                    spec.name
                );
                let bare = spec.second.unrank(spec.second.rank(&cube));
                assert_eq!(
                    spec.second.rank(&bare.transformed(group.action(a))),
                    spec.second.rank(&cube.transformed(group.action(a))),
                    "{}",
                    spec.name
                );
            }
        }
    }
}
