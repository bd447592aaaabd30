//! What is drawn is uniform.

use std::collections::HashMap;

use cube444::cube::Cube;
use cube444::cube::layout::{CORNERS, WINGS};
use cube444::scramble::Orientation;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use test_support::parity::is_odd;
use test_support::uniformity::{assert_places_uniform, assert_uniform};

#[test]
fn pieces_are_uniform_over_places() {
    let mut rng = ChaCha20Rng::seed_from_u64(20);
    assert_places_uniform((0..100_000).map(|_| Cube::random(&mut rng)));
}

#[test]
fn parities_of_wings_and_corners_are_uniform() {
    let mut rng = ChaCha20Rng::seed_from_u64(21);
    let mut counts = [0; 4];
    for _ in 0..20_000 {
        let cube = Cube::random(&mut rng);
        let wings: Vec<usize> = (0..WINGS).map(|slot| cube.wings()[slot]).collect();
        let corners: Vec<usize> = (0..CORNERS).map(|slot| cube.corners()[slot].0).collect();
        counts[2 * usize::from(is_odd(&wings)) + usize::from(is_odd(&corners))] += 1;
    }
    assert_uniform("parities", &counts);
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
