//! What is drawn is uniform: states, states of subsets, orientations.

use std::collections::HashMap;

use cube444::cube::Cube;
use cube444::cube::layout::{CENTERS, CORNERS, WINGS};
use cube444::scramble::{Orientation, Subset};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use test_support::cubes::{cube, is_odd, is_paired, parities, states};
use test_support::uniformity::{assert_places_uniform, assert_uniform};

/// States of a subset.
fn draws(name: &str) -> Vec<Cube> {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    let subset: Subset = name.parse().unwrap();
    (0..20_000).map(|_| subset.draw(&mut rng)).collect()
}

/// Asserts that `draws` has all values of `allowed` equally often, and no others.
fn assert_uniform_over(what: &str, draws: impl Iterator<Item = usize>, allowed: &[usize]) {
    let mut counts = vec![0; allowed.len()];
    for draw in draws {
        let value = allowed.iter().position(|&value| value == draw);
        counts[value.unwrap_or_else(|| panic!("{what}: {draw}"))] += 1;
    }
    assert_uniform(what, &counts);
}

#[test]
fn pieces_are_uniform_over_places() {
    assert_places_uniform(states(20).take(100_000));
    let parities = states(21).map(|cube| {
        let corners = cube.corners().map(|(home, _)| home);
        2 * usize::from(is_odd(&cube.wings())) + usize::from(is_odd(&corners))
    });
    assert_uniform_over("parities", parities.take(20_000), &[0, 1, 2, 3]);
}

#[test]
fn orientations_are_drawn_uniformly() {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let mut counts = HashMap::new();
    for _ in 0..24_000 {
        let rotations = Orientation::random(&mut rng).rotations();
        let rotations: Vec<String> = rotations.map(|token| token.to_string()).collect();
        *counts.entry(rotations).or_insert(0) += 1;
    }
    let counts: Vec<u32> = counts.into_values().collect();
    assert_eq!(counts.len(), 24);
    assert_uniform("orientations", &counts);
}

/// Places whose pieces are permuted among themselves.
type Orbits = &'static [&'static [usize]];

const CORNER_PLACES: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7];
const UP_CORNERS: &[usize] = &[2, 3, 6, 7];
const UP_WINGS: &[usize] = &[2, 3, 6, 7, 18, 19, 22, 23];
/// Wings of U that keep the U sticker up stay in an orbit of U turns: UBl, URb, UFr and ULf, or the other four.
const ORIENTED_UP_WINGS: Orbits = &[&[2, 19, 7, 22], &[3, 23, 6, 18]];
const WING_PLACES: &[usize] = &[
    8, 9, 10, 11, 12, 13, 14, 15, 2, 3, 6, 7, 18, 19, 22, 23, 0, 1, 4, 5, 16, 17, 20, 21,
];

/// The pieces that subsets allow, stated independently of their definitions: orbits of corners, whether these are
/// twisted, orbits of wings, and whether centers are free.
const SUBSETS: [(&str, Orbits, bool, Orbits, bool); 6] = [
    ("centers", &[], false, &[], true),
    ("wings", &[], false, &[WING_PLACES], false),
    ("reduced", &[CORNER_PLACES], true, &[WING_PLACES], false),
    ("last-layer", &[UP_CORNERS], true, &[UP_WINGS], false),
    ("pll", &[UP_CORNERS], false, ORIENTED_UP_WINGS, false),
    (
        "last-eight-edges",
        &[CORNER_PLACES],
        true,
        &[WING_PLACES.split_at(16).0],
        false,
    ),
];

#[test]
fn free_pieces_are_uniform_and_others_are_solved() {
    assert_eq!(
        SUBSETS.map(|subset| subset.0),
        Subset::ALL.map(Subset::name)
    );
    let allowed = |orbits: Orbits, slot| match orbits.iter().find(|orbit| orbit.contains(&slot)) {
        Some(orbit) => orbit.to_vec(),
        None => vec![slot],
    };
    for (name, corners, are_twisted, wings, are_centers_free) in SUBSETS {
        let cubes = draws(name);
        for slot in 0..CORNERS {
            let (what, allowed) = (format!("{name}, corner {slot}"), allowed(corners, slot));
            let drawn = || cubes.iter().map(|cube| cube.corners()[slot]);
            assert_uniform_over(&what, drawn().map(|(home, _)| home), &allowed);
            let twists = 1 + 2 * usize::from(are_twisted && allowed.len() > 1);
            assert_uniform_over(&what, drawn().map(|(_, twist)| twist), &[0, 1, 2][..twists]);
        }
        for slot in 0..WINGS {
            let (what, allowed) = (format!("{name}, wing {slot}"), allowed(wings, slot));
            assert_uniform_over(&what, cubes.iter().map(|cube| cube.wings()[slot]), &allowed);
        }
        for slot in 0..CENTERS {
            let drawn = cubes.iter().map(|cube| cube.centers()[slot] as usize);
            let home = [Cube::solved().centers()[slot] as usize];
            let allowed = [&home[..], &[0, 1, 2, 3, 4, 5]][usize::from(are_centers_free)];
            assert_uniform_over(&format!("{name}, center {slot}"), drawn, allowed);
        }
    }
}

#[test]
fn edges_stay_paired_where_wings_are_not_free_and_parities_are_uniform() {
    for (name, are_paired, allowed) in [
        ("reduced", true, &[0, 1, 2, 3][..]),
        ("last-layer", true, &[0, 1, 2, 3]),
        ("pll", true, &[0, 1]),
        ("wings", false, &[0, 1]),
        ("last-eight-edges", false, &[0, 1]),
    ] {
        let cubes = draws(name);
        assert!(!are_paired || cubes.iter().all(is_paired), "{name}");
        let drawn = cubes
            .iter()
            .map(|cube| match parities(cube).map(usize::from) {
                [wings, exchange] if are_paired => 2 * wings + exchange,
                [wings, _] => wings,
            });
        assert_uniform_over(name, drawn, allowed);
    }
    // Well-known algorithms that flip one edge, and that exchange two opposite edges.
    for (turns, expected) in [
        ("r2 B2 U2 l U2 r' U2 r U2 F2 r F2 l' B2 r2", [true, false]),
        ("r2 U2 r2 Uw2 r2 u2", [false, true]),
    ] {
        let (cube, solved) = (cube(turns), Cube::solved());
        assert_eq!(parities(&cube), expected);
        assert!(cube.centers() == solved.centers() && cube.corners() == solved.corners());
        assert!(is_paired(&cube));
    }
}

#[test]
fn all_states_of_the_smallest_subset_are_equally_likely() {
    let mut counts = HashMap::new();
    for cube in draws("pll") {
        *counts.entry(cube).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 576);
    assert!(counts.contains_key(&Cube::solved()));
    let counts: Vec<u32> = counts.into_values().collect();
    assert_uniform("pll", &counts);
}

#[test]
fn subsets_are_parsed_by_their_names() {
    let error = "oll".parse::<Subset>().unwrap_err();
    let names = "centers, wings, reduced, last-layer, pll or last-eight-edges";
    assert_eq!(error.to_string(), format!("subset must be {names}"));
}
