//! Tests of centers, parity and keys.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

#[test]
fn arrangements_are_numbered_without_gaps() {
    for index in 0..SIZE / 2 {
        assert_eq!(rank(&unrank(index)), index);
    }
}

#[test]
fn turns_and_symmetries_act_as_on_cubes() {
    let PairEdges {
        turns,
        pairings,
        centers,
    } = PairEdges::new();
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let mut cube = Cube::solved();
    for _ in 0..3_000 {
        let turn = rng.random_range(0..turns.moves().len());
        let moved = cube.moved(turns.moves()[turn]);
        let index = Centers::rank(&cube);
        assert_eq!(centers.images(index)[turn], Centers::rank(&moved));
        for (sym, symmetry) in pairings.symmetries.into_iter().enumerate() {
            let image = cube.transformed(Action::conjugation(symmetry));
            assert_eq!(centers.conjugated(index, sym), Centers::rank(&image));
        }
        for axis in Axis::ALL {
            let half = Action::turning(Symmetry::rotation(axis, 2));
            assert_eq!(Centers::rank(&cube.transformed(half)) % 2, index % 2);
            let renamed = Action::new(Symmetry::IDENTITY, Symmetry::rotation(axis, 2));
            assert_eq!(rank(&cube.transformed(renamed)), usize::from(index / 2));
        }
        cube = moved;
    }
}

#[test]
fn the_distribution_is_the_known_one() {
    let known = [1, 3, 34, 238, 1118, 3719, 6991, 8360, 6600, 2208, 128];
    assert_eq!(PairEdges::new().centers.distribution().positions, known);
}

use crate::table::{Filter, Monitor, TableSpec, near_distances, table_of};

#[test]
fn as_many_positions_are_near_as_is_known() {
    let stage = PairEdges::new();
    let keys = near_distances(&stage, 7, usize::MAX);
    let sums = (0..8).map(|limit| keys.iter().filter(|(_, d)| *d <= limit).count());
    // The known numbers are of keys, of which those of a position that looks alike from several
    // sides are several.
    let known = [1, 4, 23, 152, 1221, 9762, 78587, 673957];
    assert_eq!(sums.collect::<Vec<_>>(), known);
    let distribution = stage.near_goal(Profile::Pocket).distribution();
    // The goal looks the same from all sides; half turns of a wide block solve one of three.
    assert_eq!(distribution.positions[..2], [1, 3]);
    assert_eq!(distribution.unique[..2], [1, 2]);
}

#[test]
fn few_positions_pass_that_are_not_entered() {
    // 9,762 keys up to distance 5 and 78,587 up to 6 in 90 kB, about eight bits each.
    let stage = PairEdges::new();
    let near = NearGoalFilter {
        radius: 6,
        bytes: 90 << 10,
        ..stage.near_goal(Profile::Pocket)
    };
    let table = table_of(
        near.build(&Monitor::default()).unwrap().payload,
        near.encoding(),
    );
    let near = Filter::new(table, 0).unwrap();
    let others = 0..100_000;
    let passed = others
        .filter(|&i| near.has(near.probe(key(31_000_000 - 7 * i, 29_000), 6)))
        .count();
    assert!(passed < 4_000, "{passed} of 100,000 passed");
}
