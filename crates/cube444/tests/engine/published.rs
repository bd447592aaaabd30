//! Distance distributions, compared with the published ones in slice turns and with recorded ones in the
//! other metrics.

use cube444::Method;
use cube444::cube::Metric;
use cube444::table::Distribution;
use serde_json::{Value, json};

use test_support::tables::distances;

/// Published in slice turns. A search on complete cubes confirmed the distances up to 4 of those in outer block turns.
const OF_METRICS: [(Metric, &str); 3] = [
    (Metric::Stm, include_str!("../data/gallet_stm.json")),
    (Metric::Obtm, include_str!("../data/obtm.json")),
    (Metric::Btm, include_str!("../data/btm.json")),
];

/// The distribution of stage `number` of a method, counted from 1.
fn exact(method: Method, number: usize, metric: Metric) -> Distribution {
    let distances = distances(method, number, metric);
    assert!(distances.is_exact);
    distances.distribution
}

/// Compares all rows of the distributions of a stage: positions, and positions up to symmetry.
fn assert_known(number: usize, of_metrics: &[(Metric, &str)]) {
    for &(metric, known) in of_metrics {
        let known: Value = serde_json::from_str(known).unwrap();
        let known = &known["stages"][number - 1];
        let distribution = exact(Method::FIVE_STAGE, number, metric);
        assert_eq!(known["positions"], json!(distribution.positions));
        assert_eq!(known["unique"], json!(distribution.unique));
    }
}

#[test]
fn stage_1_matches_the_known_distributions() {
    assert_known(1, &OF_METRICS);
}

#[test]
fn stage_4_matches_the_known_distributions() {
    assert_known(4, &OF_METRICS[..2]);
}

/// `cargo test --test engine published -- --ignored`
#[test]
#[ignore = "takes minutes and 1.6 GB of memory"]
fn stages_2_to_5_match_the_known_distributions() {
    for stage in 2..=5 {
        assert_known(stage, &OF_METRICS);
    }
}

/// Norskog distinguishes the two colors of the centers of stage 2, so each of our positions is two of his.
#[test]
#[ignore = "takes a minute and 0.7 GB of memory"]
fn norskog_stage_2_has_half_of_the_published_positions() {
    let published: Value = serde_json::from_str(include_str!("../data/norskog_stm.json")).unwrap();
    let published = published["stages"][1]["positions"].as_array().unwrap();
    let halved: Vec<u64> = published.iter().map(|n| n.as_u64().unwrap() / 2).collect();
    let distribution = exact(cube444_lab::NORSKOG, 2, Metric::Stm);
    assert_eq!(distribution.positions, halved);
}

/// The factors are those of Weed's figure 3, except that he gives the first as 1,024. The largest distances
/// in outer turns, 7, 10, 13 and 15, are well known.
#[test]
fn thistlethwaite_phases_have_the_known_distances() {
    let known = [(2_048, 7), (1_082_565, 10), (29_400, 13), (663_552, 15)];
    for (number, known) in (1..).zip(known) {
        let distribution = exact(cube444_lab::THISTLETHWAITE, number, Metric::Obtm);
        assert_eq!((distribution.total(), distribution.greatest()), known);
    }
}
