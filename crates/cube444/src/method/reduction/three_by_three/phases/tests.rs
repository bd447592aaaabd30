use std::collections::BTreeMap;

use super::super::ThreeByThree;
use super::super::tests::one_with_filter;
use super::*;
use crate::stage::Projection;
use crate::table::{Monitor, TableSpec, near_distances};

#[test]
fn most_positions_without_ways_are_told_by_the_filter() {
    let [space, _] = ThreeByThree::new().unwrap().0;
    let ways = Ways::new(&space);
    let held = near_distances(&*space, RADIUS, usize::MAX);
    assert!(held.len() > 50_000);
    assert!(held.iter().all(|&(key, _)| ways.may_have(key)));
    let others = (0..space.entries(Projection::Whole) as u64).step_by(1_009);
    let others: Vec<u64> = others.filter(|&at| ways.number(at).is_none()).collect();
    let passed = others.iter().filter(|&&at| ways.may_have(at)).count();
    assert!(10 * passed < others.len(), "{passed} of {}", others.len());
}

#[test]
fn as_many_positions_are_near_as_is_known() {
    let [space, _] = ThreeByThree::new().unwrap().0;
    let built = subgroup_filter(&space).build(&Monitor::default()).unwrap();
    // Kociemba's numbers for the first phase.
    let known = [1, 4, 50, 592, 7_156, 87_236, 1_043_817];
    assert_eq!(built.distribution.positions, known);
}

/// Positions next to those at the radius that are no nearer are one turn farther.
#[test]
fn bounds_by_the_filter_are_the_distances_up_to_one_turn_beyond_its_radius() {
    let phase = one_with_filter();
    let space = &*phase.space;
    let distances = near_distances(space, FILTER_RADIUS, usize::MAX);
    let distances: BTreeMap<u64, u8> = distances.into_iter().collect();
    for (&key, &distance) in distances.iter().filter(|(key, _)| *key % 101 == 0) {
        assert_eq!(phase.bound(&space.position_at(key)), distance);
    }
    let (mut exact, mut all) = (0, 0);
    let last = distances.iter().filter(|it| *it.1 == FILTER_RADIUS);
    for (&key, _) in last.step_by(997) {
        for turn in 0..space.generators.moves.len() {
            let child = space.child(&space.position_at(key), turn as u8);
            if !distances.contains_key(&space.key(&child)) {
                // A false positive of the filter is taken for nearer.
                let bound = phase.bound(&child);
                assert!(
                    (FILTER_RADIUS..=FILTER_RADIUS + 1).contains(&bound),
                    "{bound}"
                );
                exact += u32::from(bound > FILTER_RADIUS);
                all += 1;
            }
        }
    }
    assert!(all > 1_000 && 10 * exact > 9 * all, "{exact} of {all}");
    // The filter knows nothing about greater distances.
    let radius = phase.table.radius;
    assert_eq!(radius, RADIUS + 1);
    for key in (0..space.entries(Projection::Whole) as u64).step_by(100_003) {
        assert!((radius + 1..=12).all(|limit| !phase.table.exceeds(key, limit)));
    }
}
