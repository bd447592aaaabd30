//! How long it takes to work the stages out, and to build tables of two of them.
//!
//! `cargo bench --bench tables`

use scramble444::cube::Metric;
use scramble444::stage::{Chain, Cover, Space, StageGraph, five_stages};
use scramble444::table::build;

fn main() {
    divan::main();
}

/// Generators, symmetry classes and move tables of all five stages.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn chain() -> Chain {
    Chain::five_stages(Metric::Obtm).expect("the declarations are sound")
}

/// The exact table of a stage in outer block turns, without writing it.
#[divan::bench(args = [1, 4], sample_count = 5, sample_size = 1)]
fn exact_table(bencher: divan::Bencher<'_, '_>, stage: usize) {
    let spec = five_stages().swap_remove(stage - 1);
    let space = Space::new(spec, Metric::Obtm).expect("the declarations are sound");
    bencher
        .counter(divan::counter::ItemsCount::new(space.entries(Cover::Both)))
        .bench(|| build(&StageGraph::new(&space, Cover::Both), &|_| ()).expect("all is reachable"));
}
