//! Tests of uniformity by the chi-square statistic.

use cube444::cube::Cube;
use cube444::cube::layout::{CENTERS, CORNERS, WINGS};

/// Asserts that counts are consistent with uniform draws. The limit is six standard deviations above the
/// mean of the chi-square statistic, plus a margin for few degrees of freedom; the chance to exceed it is
/// less than one in a million.
pub fn assert_uniform(what: &str, counts: &[u32]) {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    let statistic: f64 = counts
        .iter()
        .map(|&count| (f64::from(count) - expected).powi(2) / expected)
        .sum();
    let freedom = (counts.len() - 1) as f64;
    let limit = freedom + 6.0 * (2.0 * freedom).sqrt() + 10.0;
    assert!(
        statistic < limit,
        "{what}: chi-square {statistic} above {limit}: {counts:?}"
    );
}

/// Asserts that pieces and twists are uniform over places.
pub fn assert_places_uniform(cubes: impl Iterator<Item = Cube>) {
    let mut corners = [[0; CORNERS]; CORNERS];
    let mut twists = [[0; 3]; CORNERS];
    let mut wings = [[0; WINGS]; WINGS];
    let mut centers = [[0; 6]; CENTERS];
    for cube in cubes {
        let mut twist_sum = 0;
        for slot in 0..CORNERS {
            let (home, twist) = cube.corners()[slot];
            corners[slot][home] += 1;
            twists[slot][twist] += 1;
            twist_sum += twist;
        }
        assert_eq!(twist_sum % 3, 0);
        for slot in 0..WINGS {
            wings[slot][cube.wings()[slot]] += 1;
            centers[slot][cube.centers()[slot] as usize] += 1;
        }
    }
    for slot in 0..CORNERS {
        assert_uniform("corner", &corners[slot]);
        assert_uniform("twist", &twists[slot]);
    }
    for slot in 0..WINGS {
        assert_uniform("wing", &wings[slot]);
        assert_uniform("center", &centers[slot]);
    }
}
