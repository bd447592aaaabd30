//! Subsets of all states: which pieces are free, and that they are uniform.

use std::collections::HashSet;

use cube444::cube::layout::{CENTERS, CORNERS, WINGS};
use cube444::cube::{Axis, Cube, Sequence};
use cube444::method::edges::{is_in_orbit, partner};
use cube444::scramble::Subset;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use test_support::parity::is_odd;
use test_support::uniformity::assert_uniform;

fn subset(name: &str) -> Subset {
    name.parse().unwrap()
}

fn draws(name: &str) -> impl Iterator<Item = Cube> {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    let subset = subset(name);
    std::iter::repeat_with(move || subset.draw(&mut rng)).take(20_000)
}

/// Two parities: whether the permutation of the wings is odd, and, if edges are paired, whether the joint
/// permutation of edges and corners is odd. Flipping an edge changes the first, exchanging two edges the
/// second.
fn parities(cube: &Cube) -> [bool; 2] {
    let wings: Vec<usize> = (0..WINGS).map(|slot| cube.wings()[slot]).collect();
    let firsts = (0..WINGS).filter(|&slot| is_in_orbit(Axis::Z, slot));
    let edge = |wing: usize| {
        if is_in_orbit(Axis::Z, wing) {
            wing
        } else {
            partner(wing)
        }
    };
    let edges: Vec<usize> = firsts.map(|slot| edge(cube.wings()[slot])).collect();
    let corners: Vec<usize> = (0..CORNERS).map(|slot| cube.corners()[slot].0).collect();
    [is_odd(&wings), is_odd(&edges) != is_odd(&corners)]
}

/// Asserts that `draws` has all values of `allowed` equally often, and no others.
fn assert_uniform_over(what: &str, draws: &[usize], allowed: &[usize]) {
    let counts: Vec<u32> = allowed
        .iter()
        .map(|value| draws.iter().filter(|&draw| draw == value).count() as u32)
        .collect();
    assert_eq!(counts.iter().sum::<u32>() as usize, draws.len(), "{what}");
    assert_uniform(what, &counts);
}

/// The pieces that a subset allows, stated independently of its definition.
struct Expected {
    /// The corners that may be in a slot.
    corners: fn(usize) -> Vec<usize>,
    /// The number of twists in a corner slot.
    twists: fn(usize) -> usize,
    /// The wings that may be in a slot.
    wings: fn(usize) -> Vec<usize>,
    /// Whether centers are free.
    centers: bool,
}

fn only(slot: usize) -> Vec<usize> {
    vec![slot]
}

fn all<const N: usize>(_: usize) -> Vec<usize> {
    (0..N).collect()
}

fn up_corners(slot: usize) -> Vec<usize> {
    let up = vec![2, 3, 6, 7];
    if up.contains(&slot) { up } else { only(slot) }
}

fn up_wings(slot: usize) -> Vec<usize> {
    let up = vec![2, 3, 6, 7, 18, 19, 22, 23];
    if up.contains(&slot) { up } else { only(slot) }
}

/// Wings of U that keep the U sticker up stay in an orbit of U turns: UBl, URb, UFr and ULf, or the other
/// four.
fn oriented_up_wings(slot: usize) -> Vec<usize> {
    let orbits = [vec![2, 19, 7, 22], vec![3, 23, 6, 18]];
    orbits
        .into_iter()
        .find(|orbit| orbit.contains(&slot))
        .unwrap_or(only(slot))
}

fn wings_above_down(slot: usize) -> Vec<usize> {
    let down = [0, 1, 4, 5, 16, 17, 20, 21];
    if down.contains(&slot) {
        only(slot)
    } else {
        (0..WINGS).filter(|slot| !down.contains(slot)).collect()
    }
}

fn expected(name: &str) -> Expected {
    let corners = |corners, twists| Expected {
        corners,
        twists,
        wings: only,
        centers: false,
    };
    let twists_up = |slot| if up_corners(slot).len() > 1 { 3 } else { 1 };
    match name {
        "centers" => Expected {
            centers: true,
            ..corners(only, |_| 1)
        },
        "wings" => Expected {
            wings: all::<WINGS>,
            ..corners(only, |_| 1)
        },
        "reduced" => Expected {
            wings: all::<WINGS>,
            ..corners(all::<CORNERS>, |_| 3)
        },
        "last-layer" => Expected {
            wings: up_wings,
            ..corners(up_corners, twists_up)
        },
        "pll" => Expected {
            wings: oriented_up_wings,
            ..corners(up_corners, |_| 1)
        },
        _ => Expected {
            wings: wings_above_down,
            ..corners(all::<CORNERS>, |_| 3)
        },
    }
}

#[test]
fn free_pieces_are_uniform_and_others_are_solved() {
    for name in Subset::ALL.map(Subset::name) {
        let expected = expected(name);
        let cubes: Vec<Cube> = draws(name).collect();
        for slot in 0..CORNERS {
            let corners = cubes.iter().map(|cube| cube.corners()[slot]);
            let (homes, twists): (Vec<usize>, Vec<usize>) = corners.unzip();
            assert_uniform_over(
                &format!("{name}, corner {slot}"),
                &homes,
                &(expected.corners)(slot),
            );
            let free: Vec<usize> = (0..(expected.twists)(slot)).collect();
            assert_uniform_over(&format!("{name}, twist {slot}"), &twists, &free);
        }
        for slot in 0..WINGS {
            let wings: Vec<usize> = cubes.iter().map(|cube| cube.wings()[slot]).collect();
            assert_uniform_over(
                &format!("{name}, wing {slot}"),
                &wings,
                &(expected.wings)(slot),
            );
        }
        for slot in 0..CENTERS {
            let centers: Vec<usize> = cubes
                .iter()
                .map(|cube| cube.centers()[slot] as usize)
                .collect();
            let home = Cube::solved().centers()[slot] as usize;
            let free = if expected.centers {
                (0..6).collect()
            } else {
                only(home)
            };
            assert_uniform_over(&format!("{name}, center {slot}"), &centers, &free);
        }
    }
}

#[test]
fn edges_stay_paired_where_wings_are_not_free() {
    for name in ["reduced", "last-layer", "pll"] {
        for cube in draws(name).take(2_000) {
            for slot in 0..WINGS {
                let paired = cube.wings()[partner(slot)];
                assert_eq!(paired, partner(cube.wings()[slot]), "{name}");
            }
        }
    }
}

#[test]
fn parities_are_uniform() {
    for (name, flips) in [("reduced", true), ("last-layer", true), ("pll", false)] {
        let mut counts = [0; 4];
        for cube in draws(name) {
            let [wings, exchange] = parities(&cube);
            counts[2 * usize::from(wings) + usize::from(exchange)] += 1;
        }
        let free = if flips { &counts[..] } else { &counts[..2] };
        assert_uniform(name, free);
        assert_eq!(free.iter().sum::<u32>(), 20_000, "{name}");
    }
    for name in ["wings", "last-eight-edges"] {
        let mut counts = [0; 2];
        for cube in draws(name) {
            counts[usize::from(parities(&cube)[0])] += 1;
        }
        assert_uniform(name, &counts);
    }
}

#[test]
fn all_states_of_the_smallest_subset_are_equally_likely() {
    let mut counts = std::collections::HashMap::new();
    for cube in draws("pll") {
        *counts.entry(cube).or_insert(0u32) += 1;
    }
    assert_eq!(counts.len(), 576);
    assert_uniform("pll", &counts.values().copied().collect::<Vec<_>>());
    assert!(counts.contains_key(&Cube::solved()));
}

#[test]
fn turns_can_change_each_parity_alone() {
    // Well-known algorithms that flip one edge, and that exchange two opposite edges.
    for (turns, expected) in [
        ("r2 B2 U2 l U2 r' U2 r U2 F2 r F2 l' B2 r2", [true, false]),
        ("r2 U2 r2 Uw2 r2 u2", [false, true]),
    ] {
        let turns: Sequence = turns.parse().unwrap();
        let cube = Cube::solved().moved_by(turns.axis_moves());
        assert_eq!(parities(&cube), expected);
        let is_solved = |slot: usize| cube.centers()[slot] == Cube::solved().centers()[slot];
        assert!((0..CENTERS).all(is_solved));
        assert!((0..WINGS).all(|slot| cube.wings()[partner(slot)] == partner(cube.wings()[slot])));
        assert!((0..CORNERS).all(|slot| cube.corners()[slot] == (slot, 0)));
    }
}

#[test]
fn names_can_be_parsed() {
    let names: HashSet<&str> = Subset::ALL.map(Subset::name).into_iter().collect();
    assert_eq!(names.len(), 6);
    for name in names {
        assert_eq!(subset(name).name(), name);
    }
    let error = "oll".parse::<Subset>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "subset must be centers, wings, reduced, last-layer, pll or last-eight-edges"
    );
}
