//! The cost of the queue: admitting requests while others wait, and dispatching jobs to workers.
//!
//! `cargo bench --bench pool`

use std::sync::Arc;
use std::time::Duration;

use cube444::Effort;
use cube444::search::Limits;
use divan::counter::ItemsCount;
use scramble444::pool::{Client, JobOptions, Pool, PoolConfig};
use test_support::stub::{Behaviour, Stub, stub};

fn main() {
    divan::main();
}

fn pool(workers: usize) -> Pool {
    let config = PoolConfig {
        workers,
        queue: 1_000_000,
        queue_per_client: 1_000_000,
        buffer: 0,
        idle_effort: Effort::DEFAULT,
        busy_effort: Effort::DEFAULT,
    };
    Pool::start(Arc::new(()), config).expect("the threads start")
}

/// The options of a request of one of 100 clients.
fn options(engine: &Arc<Stub>, number: usize) -> JobOptions {
    let client = Client::identified_by(&(number % 100));
    let mut options = JobOptions::new(Arc::clone(engine) as _, Effort::DEFAULT, client);
    options.limits = Limits::within(Duration::from_secs(3600));
    options
}

/// The check of the queue for one more request, while 64 workers are busy and `waiting` requests wait for
/// `EACH` scrambles each.
#[divan::bench(args = [0, 100, 10_000], consts = [1, 8])]
fn admission<const EACH: u32>(bencher: divan::Bencher<'_, '_>, waiting: usize) {
    let (engine, pool) = (stub(Behaviour::Permitted), pool(64));
    let replies: Vec<_> = (0..64 + waiting)
        .map(|number| pool.scrambles(EACH, &options(&engine, number)))
        .collect();
    let mut options = options(&engine, 0);
    bencher.bench_local(|| pool.admit_stream(EACH as usize, &mut options));
    engine.permit(usize::MAX);
    drop(replies);
}

/// The number of jobs per second with `workers` threads.
#[divan::bench(args = [1, 2, 8, 64], sample_count = 20)]
fn throughput(bencher: divan::Bencher<'_, '_>, workers: usize) {
    const JOBS: usize = 2_000;
    let (engine, pool) = (stub(Behaviour::Nothing), pool(workers));
    bencher.counter(ItemsCount::new(JOBS)).bench(|| {
        let replies: Vec<_> = (0..JOBS)
            .flat_map(|number| {
                let replies = pool.scrambles(1, &options(&engine, number));
                replies.expect("the queue has room")
            })
            .collect();
        for reply in replies {
            reply
                .blocking_recv()
                .expect("a worker replies")
                .expect("the stub does not fail");
        }
    });
}
