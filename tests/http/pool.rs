//! The pool of workers, with engines that need no tables.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use scramble444::cube::{Cube, Sequence};
use scramble444::pool::{
    JobError, JobOptions, Load, Observer, Pool, PoolConfig, PoolError, ScrambleStats,
};
use scramble444::scramble::{CheckedSolution, Generate, Scramble, ScrambleError};
use scramble444::search::{EffortLevel, Limits, SearchError, Statistics};

use crate::common::wait::wait_until;

/// What an engine is asked for.
struct Asked<'a> {
    /// The state that was drawn; none for solutions.
    state: Option<Cube>,
    effort: EffortLevel,
    limits: &'a Limits,
}

/// An engine that does something of a test's before it gives the same result each time.
struct Engine<F>(F);

impl<F> Generate for Engine<F>
where
    F: Fn(Asked<'_>) -> Result<(), ScrambleError> + Send + Sync + 'static,
{
    fn scramble_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        let state = Some(*state);
        self.0(Asked {
            state,
            effort,
            limits,
        })?;
        let sequence: Sequence = "R U".parse().unwrap();
        Ok(Scramble {
            state: Cube::solved().moved_by(sequence.axis_moves()),
            sequence,
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
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        let state = None;
        self.0(Asked {
            state,
            effort,
            limits,
        })?;
        Ok(CheckedSolution {
            method: "none",
            sequence: Sequence::default(),
            stages: Vec::new(),
            statistics: Statistics::default(),
            hurried: false,
        })
    }

    fn tables(&self) -> &'static str {
        "none"
    }

    fn method(&self) -> &'static str {
        "none"
    }
}

/// Counts what it is told.
#[derive(Default)]
struct Counts {
    made: AtomicUsize,
    panicked: AtomicUsize,
    cancelled: AtomicUsize,
}

impl Observer for Counts {
    fn scramble_made(&self, _: ScrambleStats) {
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
    /// Made, panicked, cancelled.
    fn all(&self) -> [usize; 3] {
        [&self.made, &self.panicked, &self.cancelled].map(|count| count.load(Ordering::SeqCst))
    }
}

/// Holds up workers: each call takes one permit, or waits for it.
struct Gate(Mutex<Receiver<()>>);

impl Gate {
    fn new() -> (Sender<()>, Gate) {
        let (permits, gate) = channel();
        (permits, Gate(Mutex::new(gate)))
    }

    fn pass(&self) {
        // Without anybody to give permits, it is open.
        let _ = self.0.lock().unwrap().recv();
    }
}

/// One worker, a queue of three, and no buffer.
const SMALL: PoolConfig = PoolConfig {
    workers: 1,
    queue: 3,
    queue_per_client: usize::MAX,
    buffer: 0,
    idle_effort: EffortLevel::DEFAULT,
    busy_effort: EffortLevel::DEFAULT,
};

fn other_effort() -> EffortLevel {
    EffortLevel::new(2).unwrap()
}

fn start(
    config: PoolConfig,
    work: impl Fn(Asked<'_>) -> Result<(), ScrambleError> + Send + Sync + 'static,
) -> (Pool, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let observer = Arc::clone(&counts) as Arc<dyn Observer>;
    let pool = Pool::start(Arc::new(Engine(work)), observer, config);
    (pool.unwrap(), counts)
}

#[test]
fn a_pool_without_workers_is_refused() {
    let nobody = PoolConfig {
        workers: 0,
        ..SMALL
    };
    let error = Pool::start(
        Arc::new(Engine(|_: Asked<'_>| Ok(()))),
        Arc::new(()),
        nobody,
    );
    assert!(matches!(error.err(), Some(PoolError::NoWorkers)));
}

#[test]
fn all_workers_of_all_starts_draw_different_states() {
    const WORKERS: usize = 3;
    let config = PoolConfig {
        workers: WORKERS,
        ..SMALL
    };
    let drawn = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..2 {
        let drawn = Arc::clone(&drawn);
        // All must be at work at once, so that each worker does one job of a round.
        let together = Barrier::new(WORKERS);
        let (pool, _) = start(config, move |asked| {
            together.wait();
            drawn.lock().unwrap().push(asked.state.unwrap());
            Ok(())
        });
        for _ in 0..2 {
            let round = pool.scrambles(WORKERS as u32, SMALL.idle_effort, &Limits::default());
            for reply in round.unwrap() {
                reply.blocking_recv().unwrap().unwrap();
            }
        }
        pool.join();
    }
    let drawn = drawn.lock().unwrap();
    let different: HashSet<Cube> = drawn.iter().map(Cube::normalized).collect();
    assert_eq!((drawn.len(), different.len()), (12, 12));
}

#[test]
fn a_request_that_does_not_fit_is_refused_whole_and_places_last_as_long_as_work() {
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
    // Clients that leave without a word free nothing.
    drop((two, third));
    assert_eq!(jobs(), 3);
    for left in [2, 1, 0] {
        permits.send(()).unwrap();
        wait_until("a job ends", || jobs() <= left);
        assert_eq!(jobs(), left);
    }
}

#[test]
fn jobs_go_before_the_buffer() {
    let (permits, gate) = Gate::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    let begun = Arc::clone(&order);
    let (pool, _) = start(PoolConfig { buffer: 3, ..SMALL }, move |asked| {
        begun.lock().unwrap().push(asked.effort);
        gate.pass();
        Ok(())
    });
    wait_until("the first refill", || !order.lock().unwrap().is_empty());
    let job = pool.scrambles(1, other_effort(), &Limits::default());
    drop(permits);
    job.unwrap().remove(0).blocking_recv().unwrap().unwrap();
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
fn the_buffer_serves_what_asks_for_no_more_than_its_effort_and_is_refilled() {
    let (pool, counts) = start(PoolConfig { buffer: 3, ..SMALL }, |_| Ok(()));
    let full = || wait_until("the buffer is full", || pool.load().ready == 3);
    full();
    let limits = Limits::default();
    // Three from the buffer; the queue could not take six.
    let six = pool.scrambles(6, SMALL.idle_effort, &limits).unwrap();
    for reply in six {
        reply.blocking_recv().unwrap().unwrap();
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
    let ask = |order: JobOptions| {
        let reply = pool.scrambles(1, order, &limits).unwrap().remove(0);
        reply.blocking_recv().unwrap().unwrap().effort
    };
    let better = EffortLevel::new(5).unwrap();
    assert_eq!(ask(better.into()), better);
    assert_eq!(
        ask(JobOptions::from(SMALL.idle_effort).streamed()),
        SMALL.idle_effort
    );
    assert_eq!(pool.load(), load);
    assert_eq!(counts.all(), [11, 0, 0]);
    assert_eq!(ask(other_effort().into()), SMALL.idle_effort);
    full();
    assert_eq!(counts.all(), [12, 0, 0]);
}

#[test]
fn all_orientations_are_drawn_alike() {
    let orientations = |config: PoolConfig, each: u32| {
        let (pool, _) = start(config, |_| Ok(()));
        let mut counts: HashMap<String, u32> = HashMap::new();
        while counts.values().sum::<u32>() < 24 * 200 {
            wait_until("the buffer is full", || pool.load().ready == config.buffer);
            let limits = Limits::default();
            for reply in pool.scrambles(each, SMALL.idle_effort, &limits).unwrap() {
                let made = reply.blocking_recv().unwrap().unwrap();
                let rotations = made.orientation.rotations();
                let rotations: Vec<String> = rotations.map(|token| token.to_string()).collect();
                *counts.entry(rotations.join(" ")).or_default() += 1;
            }
        }
        counts
    };
    let buffered = PoolConfig {
        buffer: 100,
        ..SMALL
    };
    let unbuffered = PoolConfig {
        queue: 100,
        ..SMALL
    };
    for config in [buffered, unbuffered] {
        let counts = orientations(config, 100);
        assert_eq!(counts.len(), 24);
        // Of 200, seven standard deviations.
        assert!(
            counts.values().all(|count| (100..300).contains(count)),
            "{counts:?}"
        );
    }
}

#[test]
fn a_scramble_for_the_buffer_gives_way_and_its_state_is_tried_again() {
    let states = Arc::new(Mutex::new(Vec::new()));
    let begun = Arc::clone(&states);
    let (pool, counts) = start(PoolConfig { buffer: 1, ..SMALL }, move |asked| {
        let first = {
            let mut begun = begun.lock().unwrap();
            begun.push((asked.effort, asked.state.unwrap()));
            begun.len() == 1
        };
        // The first would never end by itself.
        while first && !asked.limits.cancel.is_cancelled() {
            std::thread::yield_now();
        }
        if first {
            return Err(ScrambleError::Search(SearchError::Cancelled));
        }
        Ok(())
    });
    wait_until("the first refill", || !states.lock().unwrap().is_empty());
    let job = pool.scrambles(1, other_effort(), &Limits::default());
    job.unwrap().remove(0).blocking_recv().unwrap().unwrap();
    wait_until("the buffer is full", || pool.load().ready == 1);
    let states = states.lock().unwrap();
    let efforts: Vec<EffortLevel> = states.iter().map(|(effort, _)| *effort).collect();
    assert_eq!(
        efforts,
        [SMALL.idle_effort, other_effort(), SMALL.idle_effort]
    );
    assert!(states[0].1 == states[2].1 && states[0].1 != states[1].1);
    assert_eq!(counts.all(), [2, 0, 0], "nobody has given it up");
}

#[test]
fn a_buffer_that_could_not_be_filled_is_filled_after_the_next_request() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let attempt = Arc::clone(&attempts);
    let (pool, _) = start(PoolConfig { buffer: 3, ..SMALL }, move |_| {
        if attempt.fetch_add(1, Ordering::SeqCst) < 3 {
            return Err(ScrambleError::Replay { at: "stage1" });
        }
        Ok(())
    });
    wait_until("three failures", || attempts.load(Ordering::SeqCst) >= 3);
    // The only worker has ended the third refill before it answers the first of these.
    for _ in 0..2 {
        let reply = pool.scrambles(1, other_effort(), &Limits::default());
        reply.unwrap().remove(0).blocking_recv().unwrap().unwrap();
    }
    wait_until("the buffer is full", || pool.load().ready == 3);
}

#[test]
fn jobs_of_clients_that_left_are_not_begun() {
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
    let left = Limits::default();
    let second = pool
        .scrambles(1, SMALL.idle_effort, &left)
        .unwrap()
        .remove(0);
    left.cancel.cancel();
    permits.send(()).unwrap();
    first.blocking_recv().unwrap().unwrap();
    assert!(second.blocking_recv().is_err());
    wait_until("its place is free", || pool.load().jobs == 0);
    assert_eq!(counts.all(), [1, 0, 1]);
}

#[test]
fn workers_survive_panics_and_failures() {
    let attempts = AtomicUsize::new(0);
    let (pool, counts) = start(SMALL, move |_| {
        match attempts.fetch_add(1, Ordering::SeqCst) {
            0 => std::panic::resume_unwind(Box::new("a panic that a test wants")),
            1 => Err(ScrambleError::Replay { at: "stage3" }),
            2 => Err(ScrambleError::Search(SearchError::Cancelled)),
            _ => Ok(()),
        }
    });
    let ask = || {
        let reply = pool.solve(Cube::solved(), SMALL.idle_effort, &Limits::default());
        let reply = reply.unwrap().blocking_recv().unwrap();
        // Whoever has an answer has left the queue.
        assert_eq!(pool.load().jobs, 0);
        reply.map(|_| ())
    };
    assert_eq!(ask(), Err(JobError::Failed));
    let failed = ScrambleError::Replay { at: "stage3" };
    assert_eq!(ask(), Err(JobError::Scramble(failed)));
    assert!(ask().is_err());
    assert_eq!(ask(), Ok(()));
    assert_eq!(counts.all(), [0, 1, 1]);
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
    // The longer it waits, the clearer is the difference; how long it is decides nothing.
    while queued.elapsed() < Duration::from_millis(50) {
        std::thread::yield_now();
    }
    let released = Instant::now();
    drop(permits);
    let solution = reply.blocking_recv().unwrap().unwrap();
    assert!(solution.took <= released.elapsed());
}

#[test]
fn a_pool_that_ends_finishes_its_jobs_and_gives_up_its_buffer() {
    let (permits, gate) = Gate::new();
    let begun = Arc::new(AtomicUsize::new(0));
    let begin = Arc::clone(&begun);
    let (pool, counts) = start(PoolConfig { buffer: 3, ..SMALL }, move |asked| {
        begin.fetch_add(1, Ordering::SeqCst);
        if asked.effort == SMALL.idle_effort {
            while !asked.limits.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            return Err(ScrambleError::Search(SearchError::Cancelled));
        }
        gate.pass();
        Ok(())
    });
    // The only worker is busy with a refill that would never end.
    wait_until("a refill", || begun.load(Ordering::SeqCst) == 1);
    let replies = pool.scrambles(3, other_effort(), &Limits::default());
    for _ in 0..3 {
        permits.send(()).unwrap();
    }
    pool.join();
    for mut reply in replies.unwrap() {
        reply.try_recv().expect("answered before the end").unwrap();
    }
    assert_eq!(begun.load(Ordering::SeqCst), 4, "one refill and three jobs");
    assert_eq!(counts.all(), [3, 0, 0]);
}
