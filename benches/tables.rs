//! How long it takes to work the stages out, and to build tables of two of them.
//!
//! `cargo bench --bench tables`

use scramble444::cube::Metric;
use scramble444::method::Method;
use scramble444::stage::{Chain, Projection, ProjectionGraph};
use scramble444::table::build;

fn main() {
    divan::main();
}

/// Generators, symmetry classes and move tables of all five stages.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn chain() -> Chain {
    let chain = Method::FIVE_STAGE.chain(Metric::Obtm);
    chain.expect("the declarations are sound")
}

/// The exact table of a stage in outer block turns, without writing it.
#[divan::bench(args = [1, 4], sample_count = 5, sample_size = 1)]
fn exact_table(bencher: divan::Bencher<'_, '_>, stage: usize) {
    let chain = chain();
    let space = &chain.stages()[stage - 1];
    let entries = space.entries(0, Projection::Whole);
    let graph = ProjectionGraph::new(space, 0, Projection::Whole);
    bencher
        .counter(divan::counter::ItemsCount::new(entries))
        .bench(|| build(&graph, &|_| ()).expect("all is reachable"));
}
