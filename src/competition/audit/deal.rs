//! From a seed to a state.

use super::seed::Seed;
use super::words::Words;
use crate::cube::Cube;
use crate::cube::layout::{CENTERS, CORNERS, WINGS, center_face};
use crate::scramble::{Event, Orientation};

/// The state of an event that a candidate seed stands for, each equally likely.
///
/// For the sighted event the cube is held so that the corner of place 0 (DBL) is at home; how a cube is
/// held means nothing there. For the blindfolded one it is then turned by an orientation, which is drawn
/// last.
#[must_use]
pub fn deal(seed: &Seed, event: Event) -> Cube {
    let mut words = Words::new(seed);
    let homes: [usize; CORNERS] = words.shuffled();
    let mut twists: [usize; CORNERS] = [0; CORNERS];
    let (last, others) = twists.split_last_mut().expect("there are eight corners");
    others.fill_with(|| words.below(3));
    *last = 2 * others.iter().sum::<usize>() % 3;
    let mut cube = Cube::solved();
    cube.set_corners(std::array::from_fn(|slot| (homes[slot], twists[slot])))
        .expect("corners are permuted, and the last twist makes up for the others");
    cube.set_wings(words.shuffled::<WINGS>())
        .expect("wings are permuted");
    cube.set_centers(words.shuffled::<CENTERS>().map(center_face))
        .expect("centers are permuted");
    let held = cube.normalized();
    match event {
        Event::Sighted => held,
        Event::Blindfolded => {
            let orientation = Orientation::all().nth(words.below(24));
            let orientation = orientation.expect("there are 24 orientations");
            held.moved_by(orientation.rotations().map(|rotation| rotation.axis_move()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::sampling::uniformity::{assert_places_uniform, assert_uniform};
    use zeroize::Zeroizing;

    fn seed(number: u32) -> Seed {
        let mut random = Zeroizing::new([0; Seed::LENGTH]);
        random[28..].copy_from_slice(&number.to_be_bytes());
        Seed::root(random)
    }

    #[test]
    fn every_place_holds_every_piece_equally_often() {
        assert_places_uniform((0..30_000).map(|number| deal(&seed(number), Event::Blindfolded)));
    }

    #[test]
    fn sighted_states_are_held_alike_and_blindfolded_ones_in_all_24_ways() {
        let mut ways = std::collections::HashMap::new();
        for number in 0..4_800 {
            let held = deal(&seed(number), Event::Sighted);
            assert_eq!(held.corner(0), (0, 0));
            let turned = deal(&seed(number), Event::Blindfolded);
            assert!(turned.is_same_up_to_rotation(&held));
            let home = (0..CORNERS).map(|slot| (slot, turned.corner(slot)));
            let home = home.filter(|&(_, (home, _))| home == 0);
            *ways.entry(home.collect::<Vec<_>>()).or_insert(0) += 1;
        }
        let counts: Vec<u32> = ways.into_values().collect();
        assert_eq!(counts.len(), 24);
        assert_uniform("orientation", &counts);
    }

    #[test]
    fn sighted_states_are_evenly_spread_beside_the_corner_that_is_held() {
        let mut homes = [0; CORNERS];
        let mut colours = [0; 6];
        let mut wings = [0; WINGS];
        for number in 0..30_000 {
            let cube = deal(&seed(number), Event::Sighted);
            homes[cube.corner(7).0] += 1;
            wings[cube.wing(5)] += 1;
            colours[cube.center(11) as usize] += 1;
        }
        assert_eq!(homes[0], 0);
        assert_uniform("corner", &homes[1..]);
        assert_uniform("wing", &wings);
        assert_uniform("center", &colours);
    }
}
