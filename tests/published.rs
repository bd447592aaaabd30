//! Distance distributions: in slice turns against the published ones, in the other metrics against
//! those computed before.

use scramble444::cube::Metric;
use scramble444::stage::{Cover, Space, StageGraph, five_stages, norskog_stages};
use scramble444::table::build;
use serde_json::{Value, json};

/// Compares every row of a stage's distribution, positions and unique.
fn assert_published(stage: usize) {
    let published: Value = serde_json::from_str(include_str!("data/gallet_stm.json")).unwrap();
    let published = &published["stages"][stage - 1];
    assert_eq!(published["stage"], stage);
    let spec = five_stages().swap_remove(stage - 1);
    let space = Space::new(spec, Metric::Stm).unwrap();
    assert_eq!(published["symmetries"], space.group().len());
    let (_, distribution) = build(&StageGraph::new(&space, Cover::Both), &|_| ()).unwrap();
    assert_eq!(published["positions"], json!(distribution.positions));
    assert_eq!(published["unique"], json!(distribution.unique));
}

/// Compares a stage's distributions in outer block turns and block turns with those computed before,
/// whose shallow ends `tests/shallow.rs` confirms.
fn assert_computed(stage: usize) {
    for (metric, computed) in [
        (Metric::Obtm, include_str!("data/obtm.json")),
        (Metric::Btm, include_str!("data/btm.json")),
    ] {
        let computed: Value = serde_json::from_str(computed).unwrap();
        let computed = &computed["stages"][stage - 1];
        let space = Space::new(five_stages().swap_remove(stage - 1), metric).unwrap();
        let (_, distribution) = build(&StageGraph::new(&space, Cover::Both), &|_| ()).unwrap();
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
/// `cargo test --release --test published -- --ignored`
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
    let published: Value = serde_json::from_str(include_str!("data/norskog_stm.json")).unwrap();
    let published = published["stages"][1]["positions"].as_array().unwrap();
    let halved: Vec<u64> = published.iter().map(|n| n.as_u64().unwrap() / 2).collect();
    let space = Space::new(norskog_stages().swap_remove(1), Metric::Stm).unwrap();
    let (_, distribution) = build(&StageGraph::new(&space, Cover::Both), &|_| ()).unwrap();
    assert_eq!(distribution.positions, halved);
}
