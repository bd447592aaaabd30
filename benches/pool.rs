//! What the queue costs: letting a request in while others wait, and handing jobs to workers.
//!
//! `cargo bench --bench pool`

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use divan::counter::ItemsCount;
use scramble444::cube::{Cube, Sequence};
use scramble444::pool::{Client, JobOptions, Pool, PoolConfig};
use scramble444::scramble::{CheckedSolution, Generate, Scramble, ScrambleError};
use scramble444::search::{EffortLevel, Limits, SearchError, Statistics};

fn main() {
    divan::main();
}

/// Makes nothing: at once, or when the other end of a channel is gone.
struct Stub(Option<Mutex<Receiver<()>>>);

impl Generate for Stub {
    fn scramble_to(
        &self,
        state: &Cube,
        _: EffortLevel,
        _: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        if let Some(gate) = &self.0 {
            // An error says that the other end is gone.
            let _ = gate.lock().unwrap_or_else(PoisonError::into_inner).recv();
        }
        Ok(Scramble {
            sequence: Sequence::default(),
            state: *state,
            stage_costs: Vec::new(),
            premove_cost: 0,
            statistics: Statistics::default(),
            stage_statistics: Vec::new(),
            hurried: false,
        })
    }

    fn scramble_exactly_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.scramble_to(state, effort, limits)
    }

    fn solve(
        &self,
        _: &Cube,
        _: EffortLevel,
        _: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        Err(SearchError::Cancelled.into())
    }

    fn tables(&self) -> &'static str {
        "none"
    }

    fn method(&self) -> &'static str {
        "stub"
    }
}

fn pool(stub: Stub, workers: usize) -> Pool {
    let config = PoolConfig {
        workers,
        queue: 1_000_000,
        queue_per_client: 1_000_000,
        buffer: 0,
        idle_effort: EffortLevel::DEFAULT,
        busy_effort: EffortLevel::DEFAULT,
    };
    Pool::start(Arc::new(stub), Arc::new(()), config).expect("there are threads")
}

/// A new request of one of 100 clients.
fn order(number: usize) -> JobOptions {
    JobOptions::from(EffortLevel::DEFAULT).for_client(Client::identified_by(&(number % 100)))
}

fn limits() -> Limits {
    Limits::within(Duration::from_secs(3600))
}

/// Asks whether there is room for one more request, while 64 workers are busy and `waiting` requests wait for
/// `EACH` scrambles each.
#[divan::bench(args = [0, 100, 10_000], consts = [1, 8])]
fn admission<const EACH: u32>(bencher: divan::Bencher<'_, '_>, waiting: usize) {
    let (gate, held): (Sender<()>, Receiver<()>) = channel();
    let pool = pool(Stub(Some(Mutex::new(held))), 64);
    let replies: Vec<_> = (0..64 + waiting)
        .map(|number| pool.scrambles(EACH, order(number), &limits()))
        .collect();
    let (order, limits) = (order(0), limits());
    bencher.bench(|| pool.check_room(EACH as usize, &order, &limits));
    drop((replies, gate));
}

/// Jobs that `workers` threads take and finish in a second.
#[divan::bench(args = [1, 2, 8, 64], sample_count = 20)]
fn throughput(bencher: divan::Bencher<'_, '_>, workers: usize) {
    const JOBS: usize = 2_000;
    let pool = pool(Stub(None), workers);
    bencher.counter(ItemsCount::new(JOBS)).bench(|| {
        let limits = limits();
        let replies: Vec<_> = (0..JOBS)
            .flat_map(|number| pool.scrambles(1, order(number), &limits).expect("room"))
            .collect();
        for reply in replies {
            reply
                .blocking_recv()
                .expect("a worker")
                .expect("a scramble");
        }
    });
}
