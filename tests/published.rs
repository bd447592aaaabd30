//! Distance distributions in slice turns against the published ones.

use scramble444::cube::Metric;
use scramble444::stage::{Cover, Space, StageGraph, five_stages};
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

#[test]
fn stage_1_is_as_published() {
    assert_published(1);
}

#[test]
fn stage_4_is_as_published() {
    assert_published(4);
}
