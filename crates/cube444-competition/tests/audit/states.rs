//! The states that seeds determine.

use cube444::cube::layout::{CORNERS, WINGS};
use cube444::scramble::Event;
use cube444_competition::audit::{Seed, state_from_seed};
use test_support::uniformity::{assert_places_uniform, assert_uniform};
use zeroize::Zeroizing;

fn seed(number: u32) -> Seed {
    let mut random = Zeroizing::new([0; Seed::LENGTH]);
    random[28..].copy_from_slice(&number.to_be_bytes());
    Seed::root(random)
}

#[test]
fn the_example_of_the_specification_has_its_state() {
    const SPECIFICATION: &str = include_str!("../../../../docs/audit.md");
    let (_, example) = SPECIFICATION.split_once("\necho ").unwrap();
    let (seed, rest) = example.split_once(' ').unwrap();
    let state = state_from_seed(&Seed::from_hex(seed).unwrap(), Event::Sighted);
    let mut printed = rest.lines().filter(|line| line.len() == 96);
    assert_eq!(printed.next(), Some(&*state.facelets()));
}

#[test]
fn pieces_are_uniform_over_slots() {
    assert_places_uniform(
        (0..30_000).map(|number| state_from_seed(&seed(number), Event::Blindfolded)),
    );
}

#[test]
fn sighted_states_are_normalized_and_blindfolded_ones_have_uniform_orientations() {
    let mut orientations = std::collections::HashMap::new();
    for number in 0..4_800 {
        let normalized = state_from_seed(&seed(number), Event::Sighted);
        assert_eq!(normalized.corners()[0], (0, 0));
        let rotated = state_from_seed(&seed(number), Event::Blindfolded);
        assert!(rotated.is_same_up_to_rotation(&normalized));
        let corners = (0..CORNERS).map(|slot| (slot, rotated.corners()[slot]));
        let dbl = corners.filter(|&(_, (home, _))| home == 0);
        *orientations.entry(dbl.collect::<Vec<_>>()).or_insert(0) += 1;
    }
    let counts: Vec<u32> = orientations.into_values().collect();
    assert_eq!(counts.len(), 24);
    assert_uniform("orientation", &counts);
}

#[test]
fn sighted_states_are_uniform_except_for_the_fixed_corner() {
    let mut homes = [0; CORNERS];
    let mut colors = [0; 6];
    let mut wings = [0; WINGS];
    for number in 0..30_000 {
        let cube = state_from_seed(&seed(number), Event::Sighted);
        homes[cube.corners()[7].0] += 1;
        wings[cube.wings()[5]] += 1;
        colors[cube.centers()[11] as usize] += 1;
    }
    assert_eq!(homes[0], 0);
    assert_uniform("corner", &homes[1..]);
    assert_uniform("wing", &wings);
    assert_uniform("center", &colors);
}
