//! Distance distributions, compared with the published ones in slice turns and with recorded ones in the
//! other metrics.

use cube444::Method;
use cube444::cube::Metric;
use cube444::table::Distribution;
use serde_json::{Value, json};

use test_support::exact::distances;

/// The distribution of stage `number` of a method, counted from 1.
fn exact(method: Method, number: usize, metric: Metric) -> Distribution {
    let distances = distances(method, number, metric);
    assert!(distances.is_exact);
    distances.distribution
}

/// Compares all rows of the distribution of a stage: positions, and positions up to symmetry.
fn assert_published(number: usize) {
    let published: Value = serde_json::from_str(include_str!("../data/gallet_stm.json")).unwrap();
    let published = &published["stages"][number - 1];
    assert_eq!(published["stage"], number);
    let distribution = exact(Method::FIVE_STAGE, number, Metric::Stm);
    assert_eq!(published["positions"], json!(distribution.positions));
    assert_eq!(published["unique"], json!(distribution.unique));
}

/// Compares the distributions of a stage in outer block turns and block turns with the recorded ones.
/// `tests/engine/shallow.rs` confirms the small distances of those.
fn assert_recorded(number: usize) {
    for (metric, recorded) in [
        (Metric::Obtm, include_str!("../data/obtm.json")),
        (Metric::Btm, include_str!("../data/btm.json")),
    ] {
        let recorded: Value = serde_json::from_str(recorded).unwrap();
        let recorded = &recorded["stages"][number - 1];
        let distribution = exact(Method::FIVE_STAGE, number, metric);
        assert_eq!(recorded["positions"], json!(distribution.positions));
        assert_eq!(recorded["unique"], json!(distribution.unique));
    }
}

#[test]
fn stages_1_and_4_match_the_recorded_distributions() {
    assert_recorded(1);
    assert_recorded(4);
}

#[test]
#[ignore = "takes minutes and 1.6 GB of memory"]
fn stages_2_3_and_5_match_the_recorded_distributions() {
    for stage in [2, 3, 5] {
        assert_recorded(stage);
    }
}

#[test]
fn stage_1_matches_the_published_distribution() {
    assert_published(1);
}

#[test]
fn stage_4_matches_the_published_distribution() {
    assert_published(4);
}

/// `cargo test --test engine published -- --ignored`
#[test]
#[ignore = "takes minutes and 1.6 GB of memory"]
fn stages_2_3_and_5_match_the_published_distributions() {
    for stage in [2, 3, 5] {
        assert_published(stage);
    }
}

/// Norskog distinguishes the two colours of the centers of stage 2, so each of our positions is two of his.
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
