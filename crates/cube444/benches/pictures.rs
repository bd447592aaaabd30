//! Pictures drawn per second on one core.
//!
//! `cargo bench --bench pictures`

use cube444::cube::Cube;
use cube444::picture::{self, Scale, Scheme};
use divan::counter::ItemsCount;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

fn main() {
    divan::main();
}

/// Calls `draw` with a random state in each iteration.
fn draw<T>(bencher: divan::Bencher<'_, '_>, draw: impl Fn(&Cube) -> T + Sync) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| Cube::random(&mut rng))
        .bench_local_refs(|cube| draw(cube));
}

#[divan::bench]
fn svg(bencher: divan::Bencher<'_, '_>) {
    draw(bencher, |cube| picture::svg(cube, &Scheme::default()));
}

#[divan::bench(args = [1, 2, 4, 8])]
fn png(bencher: divan::Bencher<'_, '_>, scale: u8) {
    let scale = Scale::try_from(scale).expect("the scale is valid");
    draw(bencher, |cube| {
        picture::png(cube, &Scheme::default(), scale)
    });
}
