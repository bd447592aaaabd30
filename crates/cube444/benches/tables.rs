//! The time to prepare the stages, and to build the tables of two stages.
//!
//! `cargo bench --bench tables`

use cube444::Method;
use cube444::cube::Metric;
use cube444::method::Monitor;
use cube444::search::{Chain, Profile};

fn main() {
    divan::main();
}

/// Generators, symmetry classes and move tables of all five stages.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn chain() -> Chain {
    let chain = Method::FIVE_STAGE.chain(Metric::Obtm);
    chain.expect("the declarations are valid")
}

/// The exact table of a stage in outer block turns, in memory.
#[divan::bench(args = [1, 4], sample_count = 5, sample_size = 1)]
fn exact_table(bencher: divan::Bencher<'_, '_>, stage: usize) {
    let chain = chain();
    let tables = chain.stages()[stage - 1].tables(Profile::Compact);
    let [table] = tables.as_slice() else {
        panic!("stage {stage} has several tables");
    };
    bencher
        .counter(divan::counter::ItemsCount::new(table.entries()))
        .bench(|| {
            table
                .build(&Monitor::default())
                .expect("all entries are reachable")
        });
}
