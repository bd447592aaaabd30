//! Distance distributions: in slice turns against the published ones, in the other metrics against
//! those computed before.

use scramble444::cube::Metric;
use scramble444::method::Method;
use scramble444::table::Distribution;
use serde_json::{Value, json};

use crate::common::exact::distances;

/// The distribution of a method's stage, counted from 1.
fn exact(method: Method, number: usize, metric: Metric) -> Distribution {
    let distances = distances(method, number, metric);
    assert!(distances.is_exact);
    distances.distribution
}

/// Compares every row of a stage's distribution, positions and unique.
fn assert_published(number: usize) {
    let published: Value = serde_json::from_str(include_str!("../data/gallet_stm.json")).unwrap();
    let published = &published["stages"][number - 1];
    assert_eq!(published["stage"], number);
    let distribution = exact(Method::FIVE_STAGE, number, Metric::Stm);
    assert_eq!(published["positions"], json!(distribution.positions));
    assert_eq!(published["unique"], json!(distribution.unique));
}

/// Compares a stage's distributions in outer block turns and block turns with those computed before,
/// whose shallow ends `tests/engine/shallow.rs` confirms.
fn assert_computed(number: usize) {
    for (metric, computed) in [
        (Metric::Obtm, include_str!("../data/obtm.json")),
        (Metric::Btm, include_str!("../data/btm.json")),
    ] {
        let computed: Value = serde_json::from_str(computed).unwrap();
        let computed = &computed["stages"][number - 1];
        let distribution = exact(Method::FIVE_STAGE, number, metric);
        assert_eq!(computed["positions"], json!(distribution.positions));
        assert_eq!(computed["unique"], json!(distribution.unique));
    }
}

#[test]
fn stages_1_and_4_are_as_computed() {
    assert_computed(1);
    assert_computed(4);
}

#[test]
#[ignore = "takes minutes and 1.6 GB of memory"]
fn stages_2_3_and_5_are_as_computed() {
    for stage in [2, 3, 5] {
        assert_computed(stage);
    }
}

#[test]
fn stage_1_is_as_published() {
    assert_published(1);
}

#[test]
fn stage_4_is_as_published() {
    assert_published(4);
}

/// The other stages: some minutes and 1.6 GB of memory.
///
/// `cargo test --release --test engine published -- --ignored`
#[test]
#[ignore = "takes minutes and 1.6 GB of memory"]
fn stages_2_3_and_5_are_as_published() {
    for stage in [2, 3, 5] {
        assert_published(stage);
    }
}

/// Norskog counted the two colours of stage 2's centers apart, so each of our positions is two of
/// his.
#[test]
#[ignore = "takes a minute and 0.7 GB of memory"]
fn norskog_stage_2_is_half_of_what_he_published() {
    let published: Value = serde_json::from_str(include_str!("../data/norskog_stm.json")).unwrap();
    let published = published["stages"][1]["positions"].as_array().unwrap();
    let halved: Vec<u64> = published.iter().map(|n| n.as_u64().unwrap() / 2).collect();
    let distribution = exact(Method::NORSKOG, 2, Metric::Stm);
    assert_eq!(distribution.positions, halved);
}

/// The factors are those of Weed's figure 3, but for the first, which he gives as 1,024. In outer
/// turns the greatest distances are long known to be 7, 10, 13 and 15.
#[test]
fn thistlethwaite_phases_are_as_known() {
    let known = [(2_048, 7), (1_082_565, 10), (29_400, 13), (663_552, 15)];
    for (number, known) in (1..).zip(known) {
        let distribution = exact(Method::THISTLETHWAITE, number, Metric::Obtm);
        assert_eq!((distribution.total(), distribution.greatest()), known);
    }
}
