//! The time and the allocations for fixed states with compact tables, by method and level.
//!
//! `cargo bench --bench search`; the first run builds the tables. Each sample solves the same ten states.

use std::path::Path;

use cube444::cube::{Cube, Metric};
use cube444::search::{Limits, Profile, Solver};
use cube444::{Effort, Method, Scrambler};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

#[global_allocator]
static ALLOCATOR: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

const STATES: usize = 10;

fn solve(bencher: divan::Bencher<'_, '_>, method: Method, level: u8) {
    let chain = method.chain(Metric::Obtm);
    let chain = chain.expect("the declarations are valid");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables");
    let builder = Scrambler::builder().tables_dir(directory);
    let tables = builder.profile(Profile::Compact).open_tables(&chain);
    let tables = tables.expect("tables can be written to the target directory");
    let solver = Solver::new(tables).expect("the method has levels");
    let beams = solver.beams(Effort::new(level).expect("the level is valid"));
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let states: Vec<Cube> = (0..STATES).map(|_| Cube::random(&mut rng)).collect();
    bencher
        .counter(divan::counter::ItemsCount::new(STATES))
        .bench_local(|| {
            let solve = |state| solver.solve(state, beams, &Limits::default());
            states.iter().filter_map(|state| solve(state).ok()).count()
        });
}

#[divan::bench(args = [1, 4, 8], sample_count = 7, sample_size = 1)]
fn five_stage(bencher: divan::Bencher<'_, '_>, level: u8) {
    solve(bencher, Method::FIVE_STAGE, level);
}

#[divan::bench(args = [1, 4, 8], sample_count = 7, sample_size = 1)]
fn reduction(bencher: divan::Bencher<'_, '_>, level: u8) {
    solve(bencher, Method::REDUCTION, level);
}
