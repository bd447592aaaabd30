//! The worker pool, with a generator that needs no tables.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use cube444::cube::{Cube, Sequence};
use cube444::scramble::{CheckedSolution, Engine, Scramble, ScrambleError};
use cube444::search::{Effort, Limits, SearchError};
use scramble444::pool::{
    Class, Client, JobError, JobOptions, Load, Observer, Pool, PoolConfig, QueueFull, Reply,
};

use tokio::sync::oneshot::error::TryRecvError;

use crate::common::wait::wait_until;

/// A call of the generator.
struct Call<'a> {
    /// The random state; `None` for solutions.
    state: Option<Cube>,
    effort: Effort,
    limits: &'a Limits,
}

/// A generator that calls a function of the test and then returns a fixed result.
struct Generator<F>(F);

impl<F> Engine for Generator<F>
where
    F: Fn(Call<'_>) -> Result<(), ScrambleError> + Send + Sync + 'static,
{
    fn find_scramble(
        &self,
        state: &Cube,
        _: bool,
        effort: Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        let state = Some(*state);
        self.0(Call {
            state,
            effort,
            limits,
        })?;
        let sequence: Sequence = "R U".parse().unwrap();
        let mut scramble = Scramble::from(sequence);
        scramble.effort = effort;
        Ok(scramble)
    }

    fn find_solution(
        &self,
        _: &Cube,
        effort: Effort,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        let state = None;
        self.0(Call {
            state,
            effort,
            limits,
        })?;
        Ok(CheckedSolution::new("none", Sequence::default()))
    }

    fn tables(&self) -> &'static str {
        "none"
    }

    fn method(&self) -> &'static str {
        "none"
    }
}

/// An observer that counts the events.
#[derive(Default)]
struct Counts {
    made: AtomicUsize,
    panicked: AtomicUsize,
    cancelled: AtomicUsize,
}

impl Observer for Counts {
    fn scramble_made(&self, _: &str, _: Effort, _: &Scramble, _: Duration) {
        self.made.fetch_add(1, Ordering::SeqCst);
    }

    fn job_panicked(&self) {
        self.panicked.fetch_add(1, Ordering::SeqCst);
    }

    fn job_cancelled(&self) {
        self.cancelled.fetch_add(1, Ordering::SeqCst);
    }
}

impl Counts {
    /// `[made, panicked, cancelled]`
    fn all(&self) -> [usize; 3] {
        [&self.made, &self.panicked, &self.cancelled].map(|count| count.load(Ordering::SeqCst))
    }
}

/// Blocks workers: each call waits for a permit and uses it up.
struct Gate(Mutex<Receiver<()>>);

impl Gate {
    fn new() -> (Sender<()>, Gate) {
        let (permits, gate) = channel();
        (permits, Gate(Mutex::new(gate)))
    }

    fn pass(&self) {
        // The gate stays open after the sender has been dropped.
        let _ = self.0.lock().unwrap().recv();
    }
}

/// One worker, a queue of three, and no buffer.
const SMALL: PoolConfig = PoolConfig {
    workers: 1,
    queue: 3,
    queue_per_client: usize::MAX,
    buffer: 0,
    idle_effort: Effort::DEFAULT,
    busy_effort: Effort::DEFAULT,
};

fn other_effort() -> Effort {
    Effort::new(2).unwrap()
}

/// Waiting for a reply at most for [`PATIENCE`](crate::common::wait::PATIENCE), so that a job that nobody runs fails its
/// test.
trait Received<T> {
    fn received(self) -> Result<T, JobError>;
}

impl<T> Received<T> for Reply<T> {
    fn received(mut self) -> Result<T, JobError> {
        let mut result = Err(TryRecvError::Empty);
        wait_until("a reply", || {
            result = self.try_recv();
            !matches!(result, Err(TryRecvError::Empty))
        });
        result.expect("a worker replies to each job")
    }
}

/// A pool, and the engine of its buffer.
struct Service {
    pool: Pool,
    engine: Arc<dyn Engine>,
}

impl Service {
    fn options(&self, effort: Effort) -> JobOptions {
        JobOptions::new(Arc::clone(&self.engine), effort, Client::default())
    }

    fn limited(&self, effort: Effort, limits: &Limits) -> JobOptions {
        let mut options = self.options(effort);
        options.limits = limits.clone();
        options
    }

    fn scrambles(
        &self,
        count: u32,
        effort: Effort,
        limits: &Limits,
    ) -> Result<Vec<Reply<Scramble>>, QueueFull> {
        self.pool.scrambles(count, &self.limited(effort, limits))
    }

    fn solve(
        &self,
        state: Cube,
        effort: Effort,
        limits: &Limits,
    ) -> Result<Reply<(CheckedSolution, Duration)>, QueueFull> {
        self.pool.solve(state, &self.limited(effort, limits))
    }

    fn load(&self) -> Load {
        self.pool.load()
    }

    /// Waits until the workers have ended, at most for [`PATIENCE`](crate::common::wait::PATIENCE).
    fn join(self) {
        let joining = std::thread::spawn(move || self.pool.join());
        wait_until("the workers end", || joining.is_finished());
        joining.join().unwrap();
    }
}

fn start(
    config: PoolConfig,
    work: impl Fn(Call<'_>) -> Result<(), ScrambleError> + Send + Sync + 'static,
) -> (Service, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let observer = Arc::clone(&counts) as Arc<dyn Observer>;
    let pool = Pool::start(observer, config).unwrap();
    let engine = Arc::new(Generator(work)) as Arc<dyn Engine>;
    pool.fill_buffer(Arc::clone(&engine));
    (Service { pool, engine }, counts)
}

#[test]
#[should_panic = "a pool has at least 1 worker"]
fn a_pool_without_workers_panics() {
    let config = PoolConfig {
        workers: 0,
        ..SMALL
    };
    let _ = Pool::start(Arc::new(()), config);
}

#[test]
fn all_workers_of_all_pools_draw_distinct_states() {
    const WORKERS: usize = 3;
    let config = PoolConfig {
        workers: WORKERS,
        ..SMALL
    };
    let drawn = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..2 {
        let drawn = Arc::clone(&drawn);
        // Forces each worker to do one job of a round.
        let barrier = Barrier::new(WORKERS);
        let (pool, _) = start(config, move |call| {
            barrier.wait();
            drawn.lock().unwrap().push(call.state.unwrap());
            Ok(())
        });
        for _ in 0..2 {
            let round = pool.scrambles(WORKERS as u32, SMALL.idle_effort, &Limits::default());
            for reply in round.unwrap() {
                reply.received().unwrap();
            }
        }
        pool.join();
    }
    let drawn = drawn.lock().unwrap();
    let distinct: HashSet<Cube> = drawn.iter().map(Cube::normalized).collect();
    assert_eq!((drawn.len(), distinct.len()), (12, 12));
}

#[test]
fn a_request_that_does_not_fit_queues_nothing_and_jobs_count_until_they_end() {
    let (permits, gate) = Gate::new();
    let (pool, _) = start(SMALL, move |_| {
        gate.pass();
        Ok(())
    });
    let jobs = || pool.load().jobs;
    let limits = Limits::default();
    let two = pool.scrambles(2, SMALL.idle_effort, &limits).unwrap();
    assert_eq!(jobs(), 2);
    assert!(pool.scrambles(2, SMALL.idle_effort, &limits).is_err());
    assert_eq!(jobs(), 2, "none of the two was queued");
    let third = pool
        .solve(Cube::solved(), SMALL.idle_effort, &limits)
        .unwrap();
    assert!(
        pool.solve(Cube::solved(), SMALL.idle_effort, &limits)
            .is_err()
    );
    // Dropping the receivers without cancelling does not free the queue.
    drop((two, third));
    assert_eq!(jobs(), 3);
    for left in [2, 1, 0] {
        permits.send(()).unwrap();
        wait_until("a job ends", || jobs() <= left);
        assert_eq!(jobs(), left);
    }
}

#[test]
fn jobs_take_precedence_over_refills() {
    let (permits, gate) = Gate::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    let started = Arc::clone(&order);
    let (pool, _) = start(PoolConfig { buffer: 3, ..SMALL }, move |call| {
        started.lock().unwrap().push(call.effort);
        gate.pass();
        Ok(())
    });
    wait_until("the first refill", || !order.lock().unwrap().is_empty());
    let job = pool.scrambles(1, other_effort(), &Limits::default());
    drop(permits);
    job.unwrap().remove(0).received().unwrap();
    wait_until("the buffer is full", || pool.load().ready == 3);
    let order = order.lock().unwrap();
    assert_eq!(
        *order,
        [
            SMALL.idle_effort,
            other_effort(),
            SMALL.idle_effort,
            SMALL.idle_effort
        ]
    );
}

#[test]
fn the_buffer_serves_requests_up_to_its_effort_and_is_refilled() {
    let (pool, counts) = start(PoolConfig { buffer: 3, ..SMALL }, |_| Ok(()));
    let full = || wait_until("the buffer is full", || pool.load().ready == 3);
    full();
    let limits = Limits::default();
    // Three come from the buffer: the queue has no room for six.
    let six = pool.scrambles(6, SMALL.idle_effort, &limits).unwrap();
    for reply in six {
        reply.received().unwrap();
    }
    full();
    assert_eq!(counts.all(), [9, 0, 0]);
    let load = Load {
        jobs: 0,
        capacity: 3,
        streamed: 0,
        ready: 3,
        buffer: 3,
    };
    let effort_of = |options: JobOptions| {
        let reply = pool.pool.scrambles(1, &options);
        let reply = reply.unwrap().remove(0);
        reply.received().unwrap().effort
    };
    let higher = Effort::new(5).unwrap();
    assert_eq!(effort_of(pool.options(higher)), higher);
    let mut streamed = pool.options(SMALL.idle_effort);
    streamed.class = Class::Stream;
    assert_eq!(effort_of(streamed), SMALL.idle_effort);
    assert_eq!(pool.load(), load);
    assert_eq!(counts.all(), [11, 0, 0]);
    // Another generator makes its own.
    let made = Arc::new(AtomicUsize::new(0));
    let calls = Arc::clone(&made);
    let other = Arc::new(Generator(move |_: Call<'_>| {
        calls.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }));
    effort_of(JobOptions::new(other, SMALL.idle_effort, Client::default()));
    assert_eq!(made.load(Ordering::Relaxed), 1);
    assert_eq!((pool.load(), counts.all()), (load, [12, 0, 0]));
    assert_eq!(effort_of(pool.options(other_effort())), SMALL.idle_effort);
    full();
    assert_eq!(counts.all(), [13, 0, 0]);
}

#[test]
fn scrambles_from_the_buffer_do_not_count_for_the_limit_of_a_client() {
    let config = PoolConfig {
        buffer: 3,
        queue_per_client: 2,
        ..SMALL
    };
    let (permits, gate) = Gate::new();
    let (pool, _) = start(config, move |_| {
        gate.pass();
        Ok(())
    });
    (0..3).for_each(|_| permits.send(()).unwrap());
    wait_until("the buffer is full", || pool.load().ready == 3);
    let limits = Limits::default();
    let scrambles = |count| pool.scrambles(count, SMALL.idle_effort, &limits);
    assert!(scrambles(6).is_err());
    let five = scrambles(5).unwrap();
    assert_eq!((pool.load().jobs, pool.load().ready), (2, 0));
    drop((permits, five));
}

#[test]
fn an_interrupted_refill_is_retried_with_the_same_state() {
    let states = Arc::new(Mutex::new(Vec::new()));
    let started = Arc::clone(&states);
    let (pool, counts) = start(PoolConfig { buffer: 1, ..SMALL }, move |call| {
        let first = {
            let mut started = started.lock().unwrap();
            started.push((call.effort, call.state.unwrap()));
            started.len() == 1
        };
        // The first job ends only when it is cancelled.
        while first && !call.limits.cancel.is_cancelled() {
            std::thread::yield_now();
        }
        if first {
            return Err(ScrambleError::Search(SearchError::Cancelled));
        }
        Ok(())
    });
    wait_until("the first refill", || !states.lock().unwrap().is_empty());
    let job = pool.scrambles(1, other_effort(), &Limits::default());
    job.unwrap().remove(0).received().unwrap();
    wait_until("the buffer is full", || pool.load().ready == 1);
    let states = states.lock().unwrap();
    let efforts: Vec<Effort> = states.iter().map(|(effort, _)| *effort).collect();
    assert_eq!(
        efforts,
        [SMALL.idle_effort, other_effort(), SMALL.idle_effort]
    );
    assert!(states[0].1 == states[2].1 && states[0].1 != states[1].1);
    assert_eq!(
        counts.all(),
        [2, 0, 0],
        "an interrupted refill is not cancelled"
    );
}

#[test]
fn the_buffer_survives_a_change_of_its_engine() {
    let (pool, counts) = start(PoolConfig { buffer: 3, ..SMALL }, |_| Ok(()));
    wait_until("the buffer is full", || pool.load().ready == 3);
    let made = Arc::new(AtomicUsize::new(0));
    let calls = Arc::clone(&made);
    let engine = Arc::new(Generator(move |_: Call<'_>| {
        calls.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }));
    pool.pool.fill_buffer(Arc::clone(&engine) as _);
    assert_eq!((pool.load().ready, counts.all()), (3, [3, 0, 0]));
    // One is taken, although it has been made with more effort than requested, and the new engine replaces it.
    let options = JobOptions::new(engine, other_effort(), Client::default());
    let reply = pool.pool.scrambles(1, &options);
    let taken = reply.unwrap().remove(0).received().unwrap();
    assert_eq!(taken.effort, SMALL.idle_effort);
    wait_until("the buffer is full", || pool.load().ready == 3);
    assert_eq!(made.load(Ordering::SeqCst), 1);
    assert_eq!(counts.all(), [4, 0, 0]);
}

/// They are not waited for until the next request, as those of the same engine are.
#[test]
fn failures_of_an_engine_do_not_keep_the_next_one_from_filling_the_buffer() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let attempt = Arc::clone(&attempts);
    let (pool, counts) = start(PoolConfig { buffer: 3, ..SMALL }, move |_| {
        attempt.fetch_add(1, Ordering::SeqCst);
        Err(ScrambleError::Replay)
    });
    wait_until("three failures", || attempts.load(Ordering::SeqCst) == 3);
    // The worker counts the third failure before it begins a job.
    let reply = pool.solve(Cube::solved(), other_effort(), &Limits::default());
    assert!(reply.unwrap().received().is_err());
    let next = Arc::new(Generator(|_: Call<'_>| Ok(())));
    pool.pool.fill_buffer(next);
    wait_until("the buffer is full", || pool.load().ready == 3);
    assert_eq!(
        (attempts.load(Ordering::SeqCst), counts.all()),
        (4, [3, 0, 0])
    );
}

#[test]
fn failed_refills_are_retried_after_the_next_request() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let attempt = Arc::clone(&attempts);
    let (pool, _) = start(PoolConfig { buffer: 3, ..SMALL }, move |_| {
        if attempt.fetch_add(1, Ordering::SeqCst) < 3 {
            return Err(ScrambleError::Replay);
        }
        Ok(())
    });
    wait_until("three failures", || attempts.load(Ordering::SeqCst) >= 3);
    // The only worker finishes the third refill before the first of these jobs.
    for _ in 0..2 {
        let reply = pool.scrambles(1, other_effort(), &Limits::default());
        reply.unwrap().remove(0).received().unwrap();
    }
    wait_until("the buffer is full", || pool.load().ready == 3);
}

#[test]
fn cancelled_jobs_are_not_started() {
    let (permits, gate) = Gate::new();
    let (pool, counts) = start(SMALL, move |_| {
        gate.pass();
        Ok(())
    });
    let limits = Limits::default();
    let first = pool
        .scrambles(1, SMALL.idle_effort, &limits)
        .unwrap()
        .remove(0);
    let cancelled = Limits::default();
    let second = pool
        .scrambles(1, SMALL.idle_effort, &cancelled)
        .unwrap()
        .remove(0);
    cancelled.cancel.cancel();
    permits.send(()).unwrap();
    first.received().unwrap();
    assert!(second.blocking_recv().is_err());
    wait_until("the queue is empty", || pool.load().jobs == 0);
    assert_eq!(counts.all(), [1, 0, 1]);
}

#[test]
fn a_panic_beside_the_search_fails_only_its_job() {
    struct Panicking;

    impl Observer for Panicking {
        fn scramble_made(&self, _: &str, _: Effort, _: &Scramble, _: Duration) {
            std::panic::resume_unwind(Box::new("intended panic"));
        }
    }

    let pool = Pool::start(Arc::new(Panicking), SMALL).unwrap();
    let engine = Arc::new(Generator(|_: Call<'_>| Ok(())));
    let service = Service { pool, engine };
    let limits = Limits::default();
    let made = service.scrambles(1, SMALL.idle_effort, &limits);
    let failed = made.unwrap().remove(0).received().err();
    assert_eq!(failed, Some(JobError::Failed));
    assert_eq!(service.load().jobs, 0);
    let solved = service.solve(Cube::solved(), SMALL.idle_effort, &limits);
    assert!(solved.unwrap().received().is_ok());
}

#[test]
fn workers_survive_panics_and_failures() {
    let attempts = AtomicUsize::new(0);
    let (pool, counts) = start(SMALL, move |_| {
        match attempts.fetch_add(1, Ordering::SeqCst) {
            0 => std::panic::resume_unwind(Box::new("intended panic")),
            1 => Err(ScrambleError::Replay),
            2 => Err(ScrambleError::Search(SearchError::Cancelled)),
            _ => Ok(()),
        }
    });
    let solve = || {
        let reply = pool.solve(Cube::solved(), SMALL.idle_effort, &Limits::default());
        let reply = reply.unwrap().received();
        // A job leaves the queue before its reply is sent.
        assert_eq!(pool.load().jobs, 0);
        reply.map(|_| ())
    };
    assert_eq!(solve(), Err(JobError::Failed));
    let failed = ScrambleError::Replay;
    assert_eq!(solve(), Err(JobError::Scramble(failed)));
    assert!(solve().is_err());
    assert_eq!(solve(), Ok(()));
    assert_eq!(counts.all(), [0, 1, 1]);
    for _ in 0..200 {
        let reply = pool.scrambles(1, SMALL.idle_effort, &Limits::default());
        assert!(reply.unwrap().remove(0).received().is_ok());
        assert_eq!(pool.load().jobs, 0);
    }
}

#[test]
fn waiting_in_the_queue_is_not_counted_as_solving() {
    let (permits, gate) = Gate::new();
    let (pool, _) = start(SMALL, move |_| {
        gate.pass();
        Ok(())
    });
    let limits = Limits::default();
    let _first = pool.scrambles(1, SMALL.idle_effort, &limits).unwrap();
    let reply = pool
        .solve(Cube::solved(), SMALL.idle_effort, &limits)
        .unwrap();
    let queued = Instant::now();
    // A longer wait makes a failure clearer; the test passes with any.
    while queued.elapsed() < Duration::from_millis(50) {
        std::thread::yield_now();
    }
    let released = Instant::now();
    drop(permits);
    let (_, took) = reply.received().unwrap();
    assert!(took <= released.elapsed());
}

#[test]
fn joining_a_pool_finishes_jobs_and_cancels_refills() {
    let (permits, gate) = Gate::new();
    let refills = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&refills);
    let (pool, counts) = start(PoolConfig { buffer: 3, ..SMALL }, move |call| {
        if call.effort == SMALL.idle_effort {
            counter.fetch_add(1, Ordering::SeqCst);
            while !call.limits.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            return Err(ScrambleError::Search(SearchError::Cancelled));
        }
        gate.pass();
        Ok(())
    });
    // The only worker runs a refill that ends only when it is cancelled.
    wait_until("a refill", || refills.load(Ordering::SeqCst) == 1);
    let replies = pool.scrambles(3, other_effort(), &Limits::default());
    for _ in 0..3 {
        permits.send(()).unwrap();
    }
    // The jobs may end before the pool is closed. Then another refill begins, and joining cancels it.
    pool.join();
    for mut reply in replies.unwrap() {
        reply.try_recv().expect("the job has finished").unwrap();
    }
    assert_eq!(counts.all(), [3, 0, 0]);
}

#[test]
fn all_idle_workers_fill_the_buffer() {
    const WORKERS: usize = 3;
    let config = PoolConfig {
        workers: WORKERS,
        buffer: WORKERS,
        ..SMALL
    };
    let pool = Pool::start(Arc::new(()), config).unwrap();
    // A longer wait, until all workers are idle, makes a failure clearer; the test passes with any.
    std::thread::sleep(Duration::from_millis(50));
    let barrier = Barrier::new(WORKERS);
    pool.fill_buffer(Arc::new(Generator(move |_: Call<'_>| {
        barrier.wait();
        Ok(())
    })));
    wait_until("the buffer is full", || pool.load().ready == WORKERS);
}

/// A pool with one worker that is busy until the sender is dropped, and the levels of the jobs that begin.
fn busy_pool(config: PoolConfig) -> (Sender<()>, Service, Arc<Mutex<Vec<u8>>>) {
    let (permits, gate) = Gate::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    let begun = Arc::clone(&order);
    let (pool, _) = start(config, move |call| {
        begun.lock().unwrap().push(call.effort.get());
        gate.pass();
        Ok(())
    });
    (permits, pool, order)
}

fn level(level: u8) -> Effort {
    Effort::new(level).unwrap()
}

#[test]
fn solutions_and_sets_go_before_large_requests() {
    let (permits, pool, order) = busy_pool(PoolConfig {
        queue: 100,
        buffer: 3,
        ..SMALL
    });
    let limits = Limits::default();
    (0..3).for_each(|_| permits.send(()).unwrap());
    wait_until("the buffer is full", || pool.load().ready == 3);
    order.lock().unwrap().clear();
    let first = pool.scrambles(1, level(9), &limits).unwrap();
    wait_until("it is begun", || !order.lock().unwrap().is_empty());
    // Large, although three of its scrambles are in the buffer.
    let large = pool.scrambles(8, level(1), &limits).unwrap();
    assert_eq!((pool.load().jobs, pool.load().ready), (6, 0));
    let set = pool.scrambles(1, level(6), &limits).unwrap();
    let solution = pool.solve(Cube::solved(), level(7), &limits).unwrap();
    drop(permits);
    solution.received().unwrap();
    for reply in first.into_iter().chain(large).chain(set) {
        reply.received().unwrap();
    }
    assert_eq!(order.lock().unwrap()[..8], [9, 6, 7, 1, 1, 1, 1, 1]);
}

#[test]
fn scrambles_from_the_buffer_have_at_least_the_requested_effort() {
    let config = PoolConfig {
        buffer: 9,
        busy_effort: level(2),
        idle_effort: level(5),
        ..SMALL
    };
    let (permits, gate) = Gate::new();
    let (pool, _) = start(config, move |_| {
        gate.pass();
        Ok(())
    });
    // Seven of the lower level and two of the higher one.
    (0..9).for_each(|_| permits.send(()).unwrap());
    wait_until("the buffer is full", || pool.load().ready == 9);
    let limits = Limits::default();
    let efforts = |effort: u8, count| {
        let replies = pool.scrambles(count, level(effort), &limits).unwrap();
        let made = replies.into_iter().map(|mut reply| reply.try_recv());
        let made = made.filter_map(|made| Some(made.ok()?.unwrap().effort.get()));
        made.collect::<Vec<u8>>()
    };
    assert_eq!(efforts(3, 1), [5]);
    assert_eq!(efforts(1, 1), [2]);
    assert_eq!(efforts(5, 2), [5], "the other one is not in the buffer");
    assert_eq!(efforts(2, 6), [2; 6]);
    drop(permits);
}

#[test]
fn a_stream_is_admitted_by_the_limit_of_its_client_and_then_by_the_time_of_all_its_scrambles() {
    let (permits, pool, order) = busy_pool(PoolConfig {
        queue: 100,
        queue_per_client: 21,
        ..SMALL
    });
    let of = |client: &str| {
        let mut options = pool.options(SMALL.idle_effort);
        options.client = Client::identified_by(&client);
        options
    };
    let first = pool.pool.scrambles(1, &of("first"));
    // The time of this job is the estimate for all others.
    wait_until("it is begun", || !order.lock().unwrap().is_empty());
    std::thread::sleep(Duration::from_millis(20));
    permits.send(()).unwrap();
    first.unwrap().remove(0).received().unwrap();
    let time = pool.pool.min_time(1, &of("first"));
    let large = pool.pool.scrambles(21, &of("large")).unwrap();
    wait_until("one runs", || pool.load().jobs == 21);
    // Twenty others have a turn before the last of 20 jobs, and one before the only job of a request.
    let check = |client, times: u32| {
        let mut options = of(client);
        options.limits.deadline = Some(Instant::now() + times * time);
        pool.pool.admit_stream(20, &mut options)
    };
    assert_eq!(check("other", 100_000), Ok(()));
    let late = check("other", 25);
    assert!(matches!(late, Err(QueueFull::Pool(_))), "{late:?}");
    let full = check("large", 25);
    assert!(matches!(full, Err(QueueFull::Client(_))), "{full:?}");
    drop((permits, large));
}

#[test]
fn dropping_a_pool_ends_its_workers_and_drops_its_buffer() {
    let config = PoolConfig {
        workers: 2,
        buffer: 3,
        ..SMALL
    };
    let (service, _) = start(config, |_| Ok(()));
    wait_until("the buffer is full", || service.load().ready == 3);
    let Service { pool, engine } = service;
    assert!(Arc::strong_count(&engine) > 1);
    drop(pool);
    wait_until("nothing uses the engine", || {
        Arc::strong_count(&engine) == 1
    });
}
