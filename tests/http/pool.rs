//! The pool: what its queue and its workers do together. Unit tests of `src/pool` have the queue.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use cube444::Effort;
use cube444::cube::Cube;
use cube444::scramble::{Engine, Scramble, ScrambleError};
use scramble444::pool::{
    Client, JobError, JobOptions, Observer, Pool, PoolConfig, QueueFull, Reply,
};
use test_support::stub::{Behaviour, Stub, stub};
use test_support::wait::wait_until;
use tokio::sync::oneshot::error::TryRecvError;

/// One worker, a queue of three, and no buffer.
const SMALL: PoolConfig = PoolConfig {
    workers: 1,
    queue: 3,
    queue_per_client: usize::MAX,
    buffer: 0,
    idle_effort: Effort::DEFAULT,
    busy_effort: Effort::DEFAULT,
};

fn level(level: u8) -> Effort {
    Effort::new(level).unwrap()
}

/// Waiting for a reply at most for [`PATIENCE`](test_support::wait::PATIENCE), so that a job that nobody runs fails its
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
    engine: Arc<Stub>,
}

impl Service {
    fn start(config: PoolConfig, behaviour: Behaviour) -> Service {
        let pool = Pool::start(Arc::new(()), config).unwrap();
        let service = Service {
            pool,
            engine: stub(behaviour),
        };
        service.pool.fill_buffer(Arc::clone(&service.engine) as _);
        service
    }

    fn options(&self, effort: Effort) -> JobOptions {
        let engine = Arc::clone(&self.engine) as Arc<dyn Engine>;
        JobOptions::new(engine, effort, Client::default())
    }

    fn scrambles(&self, count: u32, effort: Effort) -> Vec<Reply<Scramble>> {
        self.pool.scrambles(count, &self.options(effort)).unwrap()
    }

    fn scramble(&self, effort: Effort) -> Result<Scramble, JobError> {
        self.scrambles(1, effort).remove(0).received()
    }

    fn solve(&self, effort: Effort) -> Result<(), JobError> {
        let reply = self.pool.solve(Cube::solved(), &self.options(effort));
        reply.unwrap().received().map(|_| ())
    }

    fn wait_until_ready(&self, count: usize) {
        wait_until("the buffer is full", || self.pool.load().ready == count);
    }

    fn wait_until_running(&self, count: usize) {
        wait_until("they run", || self.engine.running.load(SeqCst) == count);
    }

    fn levels(&self) -> Vec<u8> {
        let efforts = self.engine.efforts.lock().unwrap();
        efforts.iter().map(|effort| effort.get()).collect()
    }
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
fn all_workers_are_woken_and_draw_distinct_states() {
    const WORKERS: usize = 3;
    let config = PoolConfig {
        workers: WORKERS,
        buffer: WORKERS,
        ..SMALL
    };
    // A longer wait, until all workers are idle, makes a failure clearer; the test passes with any.
    let wait = || std::thread::sleep(Duration::from_millis(50));
    let service = Service {
        pool: Pool::start(Arc::new(()), config).unwrap(),
        engine: stub(Behaviour::Permitted),
    };
    wait();
    service.pool.fill_buffer(Arc::clone(&service.engine) as _);
    service.wait_until_running(WORKERS);
    service.engine.permit(WORKERS);
    service.wait_until_ready(WORKERS);
    wait();
    let replies = service.scrambles(WORKERS as u32, level(9));
    service.wait_until_running(WORKERS);
    service.engine.permit(WORKERS);
    for reply in replies {
        reply.received().unwrap();
    }
    let drawn = service.engine.states.lock().unwrap();
    let distinct: HashSet<Cube> = drawn.iter().map(Cube::normalized).collect();
    assert_eq!((drawn.len(), distinct.len()), (6, 6));
}

/// A new state would make those that are solved fast more likely.
#[test]
fn an_interrupted_refill_is_retried_with_the_same_state() {
    let service = Service::start(PoolConfig { buffer: 1, ..SMALL }, Behaviour::Endless);
    service.wait_until_running(1);
    service.engine.behave(Behaviour::Turns);
    service.scramble(level(2)).unwrap();
    service.wait_until_ready(1);
    let idle = SMALL.idle_effort.get();
    assert_eq!(service.levels(), [idle, 2, idle]);
    let states = service.engine.states.lock().unwrap();
    assert!(states[0] == states[2] && states[0] != states[1]);
}

#[test]
fn failed_refills_are_retried_after_the_next_request() {
    let service = Service::start(PoolConfig { buffer: 3, ..SMALL }, Behaviour::Failing);
    let calls = || service.engine.calls.load(SeqCst);
    wait_until("three failures", || calls() == 3);
    // The only worker finishes the third refill before this job.
    assert!(service.solve(level(2)).is_err());
    service.engine.behave(Behaviour::Turns);
    service.scramble(level(2)).unwrap();
    service.wait_until_ready(3);
}

#[test]
fn workers_survive_panics_and_failures() {
    let service = Service::start(SMALL, Behaviour::Panicking);
    let solve = || {
        let result = service.solve(SMALL.idle_effort);
        // A job leaves the queue before its reply is sent.
        assert_eq!(service.pool.load().jobs, 0);
        result
    };
    assert_eq!(solve(), Err(JobError::Failed));
    service.engine.behave(Behaviour::Failing);
    assert_eq!(solve(), Err(JobError::Scramble(ScrambleError::Replay)));
    service.engine.behave(Behaviour::Turns);
    for _ in 0..200 {
        assert_eq!(solve(), Ok(()));
    }
}

#[test]
fn a_panic_beside_the_search_fails_only_its_job() {
    #[derive(Default)]
    struct Panicking(AtomicUsize);

    impl Observer for Panicking {
        fn scramble_made(&self, _: &str, _: Effort, _: &Scramble, _: Duration) {
            std::panic::resume_unwind(Box::new("intended panic"));
        }

        fn job_panicked(&self) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    let observer = Arc::new(Panicking::default());
    let service = Service {
        pool: Pool::start(Arc::clone(&observer) as _, SMALL).unwrap(),
        engine: stub(Behaviour::Turns),
    };
    let failed = service.scramble(SMALL.idle_effort).err();
    assert_eq!(failed, Some(JobError::Failed));
    assert_eq!(observer.0.load(SeqCst), 1);
    assert_eq!(service.solve(SMALL.idle_effort), Ok(()));
}

#[test]
fn solutions_and_sets_go_before_large_requests() {
    let config = PoolConfig {
        queue: 100,
        buffer: 3,
        ..SMALL
    };
    let service = Service::start(config, Behaviour::Permitted);
    service.engine.permit(3);
    service.wait_until_ready(3);
    let first = service.scrambles(1, level(9));
    service.wait_until_running(1);
    // Large, although three of its scrambles are in the buffer.
    let large = service.scrambles(8, level(1));
    let load = service.pool.load();
    assert_eq!((load.jobs, load.ready), (6, 0));
    let set = service.scrambles(1, level(6));
    let solution = service
        .pool
        .solve(Cube::solved(), &service.options(level(7)));
    service.engine.permit(100);
    solution.unwrap().received().unwrap();
    for reply in first.into_iter().chain(large).chain(set) {
        reply.received().unwrap();
    }
    assert_eq!(service.levels()[3..11], [9, 6, 7, 1, 1, 1, 1, 1]);
}

#[test]
fn a_stream_is_admitted_by_the_limit_of_its_client_and_then_by_the_time_of_all_its_scrambles() {
    let config = PoolConfig {
        queue: 100,
        queue_per_client: 21,
        ..SMALL
    };
    let service = Service::start(config, Behaviour::Permitted);
    let of = |client: &str| {
        let mut options = service.options(SMALL.idle_effort);
        options.client = Client::identified_by(&client);
        options
    };
    let first = service.pool.scrambles(1, &of("first"));
    // The time of this job is the estimate for all others.
    service.wait_until_running(1);
    std::thread::sleep(Duration::from_millis(20));
    service.engine.permit(1);
    first.unwrap().remove(0).received().unwrap();
    let time = service.pool.min_time(1, &of("first"));
    let large = service.pool.scrambles(21, &of("large")).unwrap();
    service.wait_until_running(1);
    // Twenty others have a turn before the last of 20 jobs, and one before the only job of a request.
    let check = |client, times: u32| {
        let mut options = of(client);
        options.limits.deadline = Some(Instant::now() + times * time);
        service.pool.admit_stream(20, &mut options)
    };
    assert_eq!(check("other", 100_000), Ok(()));
    let late = check("other", 25);
    assert!(matches!(late, Err(QueueFull::Pool(_))), "{late:?}");
    let full = check("large", 25);
    assert!(matches!(full, Err(QueueFull::Client(_))), "{full:?}");
    service.engine.permit(21);
    drop(large);
}

#[test]
fn dropping_a_pool_ends_its_workers_and_drops_its_buffer() {
    let config = PoolConfig {
        workers: 2,
        buffer: 3,
        ..SMALL
    };
    let service = Service::start(config, Behaviour::Turns);
    service.wait_until_ready(3);
    let Service { pool, engine } = service;
    assert!(Arc::strong_count(&engine) > 1);
    drop(pool);
    wait_until("nothing uses the engine", || {
        Arc::strong_count(&engine) == 1
    });
}
