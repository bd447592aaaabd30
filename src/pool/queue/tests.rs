use std::sync::Arc;

use cube444::cube::Sequence;
use cube444::scramble::{
    CheckedSolution, Engine, Orientation, Scramble, ScrambleError, ScrambleWork,
};
use cube444::search::{Effort, SearchError};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use tokio::sync::oneshot;

use super::super::job::JobError;
use super::*;

/// A generator that fails.
pub(crate) struct FailingWith(pub(crate) ScrambleError);

impl Engine for FailingWith {
    fn find_scramble(
        &self,
        _: &Cube,
        _: bool,
        _: Effort,
        _: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        Err(self.0.clone())
    }

    fn find_solution(
        &self,
        _: &Cube,
        _: Effort,
        _: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        Err(self.0.clone())
    }

    fn tables(&self) -> &'static str {
        "none"
    }

    fn method(&self) -> &'static str {
        "none"
    }
}

/// A generator that is never used.
fn unused() -> Arc<dyn Engine> {
    Arc::new(FailingWith(SearchError::Cancelled.into()))
}

const STANDARD: JobKind = JobKind {
    method: "none",
    effort: Effort::DEFAULT,
    is_special: false,
};

fn kind(level: u8) -> JobKind {
    JobKind {
        effort: Effort::new(level).unwrap(),
        ..STANDARD
    }
}

fn config(capacity: usize, buffer: usize, workers: usize) -> PoolConfig {
    PoolConfig {
        workers,
        queue: capacity,
        queue_per_client: usize::MAX,
        buffer,
        idle_effort: kind(8).effort,
        busy_effort: kind(2).effort,
    }
}

fn filled(config: PoolConfig) -> Queue {
    let mut queue = Queue::new(config);
    queue.fill_buffer(unused());
    queue
}

pub(crate) fn queue(capacity: usize, buffer: usize, workers: usize) -> Queue {
    filled(config(capacity, buffer, workers))
}

/// A queue without a buffer for one worker, with a limit for each client.
fn queue_for_clients(capacity: usize, per_client: usize) -> Queue {
    Queue::new(PoolConfig {
        queue_per_client: per_client,
        ..config(capacity, 0, 1)
    })
}

/// A request with its class. Clones are the same request.
#[derive(Clone)]
pub(crate) struct Request(Class, JobOptions);

/// A new request of the default client.
pub(crate) fn request(class: Class) -> Request {
    Request(class, of(Client::default()))
}

fn client(name: &str) -> Client {
    Client::identified_by(&name)
}

/// A new request of a client, whose jobs are of the kind [`STANDARD`].
fn of(client: Client) -> JobOptions {
    JobOptions::new(unused(), STANDARD.effort, client)
}

/// A new request of a named client.
fn request_of(name: &str, class: Class) -> Request {
    Request(class, of(client(name)))
}

impl Request {
    /// Pushes `jobs` jobs.
    pub(crate) fn push(&self, jobs: usize, queue: &mut Queue) {
        for _ in 0..jobs {
            let task = Task::Scramble(oneshot::channel().0);
            queue.push(task, &self.1, self.0, &Limits::default());
        }
    }
}

/// Begins and ends the next work. Returns the index of the request if it is a job, which takes `took`, and
/// `None` if it is a refill.
fn next_of(queue: &mut Queue, requests: &[&Request], took: Duration) -> Option<usize> {
    match queue.next().expect("a test has pushed a job") {
        Work::Job(job) => {
            let id = job.options.request;
            queue.job_ended(&job.options, job.class, Some(took));
            requests.iter().position(|request| request.1.request == id)
        }
        Work::Refill(refill) => {
            queue.refill_ended(&refill, Cube::solved(), FAILED);
            queue.failed_refills = 0;
            None
        }
    }
}

/// Whether there is no work.
#[cfg(explore)]
pub(crate) fn is_idle(queue: &Queue) -> bool {
    let waiting = queue.ordinary.len() + queue.bulk.len() + queue.in_progress + queue.streamed;
    waiting + queue.running + queue.running_refills.len() + queue.per_client.len() == 0
}

/// The estimate of [`QueueFull::Pool`].
fn retry_after(room: Result<(), QueueFull>) -> Duration {
    match room {
        Err(QueueFull::Pool(retry_after)) => retry_after,
        other => panic!("{other:?}"),
    }
}

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// The outcome of a refill that failed.
pub(crate) const FAILED: Outcome<GeneratedScramble> = Err(JobError::Failed);

#[test]
fn requests_take_turns() {
    let mut queue = queue(100, 0, 1);
    let [long, short, single] = [(); 3].map(|()| request(Class::Ordinary));
    long.push(5, &mut queue);
    short.push(2, &mut queue);
    single.push(1, &mut queue);
    let all = [&long, &short, &single];
    let order: Vec<usize> = (0..8)
        .filter_map(|_| next_of(&mut queue, &all, SECOND))
        .collect();
    assert_eq!(order, [0, 1, 2, 0, 1, 0, 0, 0]);
}

#[test]
fn clients_take_turns_and_then_their_requests() {
    let mut queue = queue(100, 0, 1);
    let many = [(); 3].map(|()| request_of("many", Class::Stream));
    let one = request_of("one", Class::Large);
    many.iter().for_each(|stream| stream.push(2, &mut queue));
    one.push(4, &mut queue);
    let all = [&many[0], &many[1], &many[2], &one];
    let order: Vec<usize> = (0..10)
        .filter_map(|_| next_of(&mut queue, &all, SECOND))
        .collect();
    assert_eq!(order, [0, 3, 1, 3, 2, 3, 0, 3, 1, 2]);
}

#[test]
fn waiting_times_follow_from_turns() {
    let mut queue = queue(1000, 0, 1);
    let ordinary = request_of("many", Class::Ordinary);
    ordinary.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&ordinary], SECOND), Some(0));
    let before =
        |queue: &Queue, jobs, class, name| queue.time_before(jobs, class, client(name)) / 1000;
    let millisecond = SECOND / 1000;
    for _ in 0..10 {
        request_of("many", Class::Ordinary).push(20, &mut queue);
    }
    let (class, large) = (Class::Ordinary, Class::Large);
    assert_eq!(before(&queue, 5, class, "one"), 5 * millisecond);
    assert_eq!(before(&queue, 5, class, "many"), 50 * millisecond);
    assert_eq!(before(&queue, 30, class, "many"), 200 * millisecond);
    request_of("another", Class::Ordinary).push(3, &mut queue);
    // The other client has only three jobs that can precede those of "many".
    assert_eq!(before(&queue, 5, class, "many"), 53 * millisecond);
    assert_eq!(before(&queue, 5, class, "another"), 11 * millisecond);
    // Ordinary jobs precede large ones.
    assert_eq!(before(&queue, 5, large, "one"), 203 * millisecond);
    // A stream keeps its turns, as it keeps adding jobs.
    for _ in 0..4 {
        request_of("stream", Class::Stream).push(1, &mut queue);
    }
    assert_eq!(before(&queue, 100, large, "one"), 303 * millisecond);
    assert_eq!(before(&queue, 100, large, "stream"), 603 * millisecond);
    // Of four jobs, one is of a stream.
    let alone = 10 * SECOND;
    assert_eq!(before(&queue, 5, class, "one"), (alone + alone / 3) / 1000);
    while queue.next().is_some() {}
    assert!(queue.ordinary.is_empty() && queue.bulk.is_empty());
    assert_eq!(queue.running, 207);
    // After the last stream, others have no more turns than jobs.
    queue.running = 0;
    request_of("another", large).push(3, &mut queue);
    assert_eq!(before(&queue, 100, large, "one"), 3 * millisecond);
}

#[test]
fn only_streams_that_have_not_ended_keep_their_turns() {
    let mut queue = queue(1000, 0, 1);
    let ended = request_of("stream", Class::Stream);
    ended.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&ended], SECOND), Some(0));
    request_of("many", Class::Large).push(20, &mut queue);
    let before = |queue: &Queue| queue.time_before(100, Class::Large, client("one"));
    assert_eq!(before(&queue), 20 * SECOND, "no more jobs than there are");
    request_of("stream", Class::Stream).push(1, &mut queue);
    assert!(before(&queue) > 100 * SECOND, "a turn before each");
}

#[test]
fn the_jobs_of_a_client_are_limited() {
    let mut queue = queue_for_clients(100, 10);
    let (ordinary, stream) = (
        request_of("a", Class::Ordinary),
        request_of("a", Class::Stream),
    );
    ordinary.push(4, &mut queue);
    stream.push(5, &mut queue);
    assert_eq!(queue.check_client(1, client("a")), Ok(()));
    let full = QueueFull::Client(Duration::ZERO);
    assert_eq!(queue.check_client(2, client("a")), Err(full));
    assert_eq!(queue.check_client(10, client("b")), Ok(()));
    assert!(queue.check_client(11, client("b")).is_err());
    // Running jobs count until they end.
    let Some(Work::Job(job)) = queue.next() else {
        panic!("there is no job");
    };
    assert!(queue.check_client(2, client("a")).is_err());
    queue.job_ended(&job.options, job.class, None);
    assert_eq!(queue.check_client(2, client("a")), Ok(()));
    while next_of(&mut queue, &[&ordinary, &stream], SECOND).is_some() {
        if queue.ordinary.is_empty() && queue.bulk.is_empty() {
            break;
        }
    }
    assert!(queue.per_client.is_empty());
}

#[test]
fn a_request_as_large_as_a_set_is_an_ordinary_one_and_fits_if_each_limit_allows_it() {
    let options = of(Client::default());
    assert!(options.class(SET_SIZE) == Class::Ordinary);
    assert!(options.class(SET_SIZE + 1) == Class::Large);
    for (capacity, per_client) in [(SET_SIZE, 100), (100, SET_SIZE)] {
        let queue = queue_for_clients(capacity, per_client);
        assert!(queue.holds(SET_SIZE) && !queue.holds(SET_SIZE + 1));
    }
}

#[test]
fn one_job_in_four_is_of_a_stream_or_a_large_request() {
    let mut queue = queue(100, 0, 1);
    let ordinary = request(Class::Ordinary);
    let [stream, large] = [Class::Stream, Class::Large].map(request);
    stream.push(3, &mut queue);
    large.push(20, &mut queue);
    ordinary.push(7, &mut queue);
    let all = [&ordinary, &stream, &large];
    let order: Vec<usize> = (0..12)
        .filter_map(|_| next_of(&mut queue, &all, SECOND))
        .collect();
    assert_eq!(order, [0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 1]);
    // Ordinary jobs that had no others beside them do not count.
    while !queue.bulk.is_empty() {
        next_of(&mut queue, &all, SECOND);
    }
    large.push(1, &mut queue);
    ordinary.push(3, &mut queue);
    let [first, second] = [(); 2].map(|()| next_of(&mut queue, &all, SECOND));
    assert_eq!((first, second), (Some(0), Some(0)));
    assert!(queue.bulk.pop().is_some());
    assert_eq!(next_of(&mut queue, &all, SECOND), Some(0));
    large.push(1, &mut queue);
    ordinary.push(3, &mut queue);
    let order = [(); 4].map(|()| next_of(&mut queue, &all, SECOND));
    assert_eq!(order, [Some(0), Some(0), Some(0), Some(2)]);
}

#[test]
fn jobs_of_streams_do_not_count_for_the_capacity() {
    let mut queue = queue(3, 0, 1);
    let (ordinary, stream) = (request(Class::Ordinary), request(Class::Stream));
    stream.push(10, &mut queue);
    let (me, limits) = (Client::default(), Limits::default());
    let room = |queue: &Queue, jobs| queue.check_room(jobs, Class::Ordinary, &of(me), &limits);
    assert_eq!(room(&queue, 3), Ok(()));
    assert!(room(&queue, 4).is_err());
    ordinary.push(3, &mut queue);
    assert!(room(&queue, 1).is_err());
    let load = queue.load();
    assert_eq!((load.jobs, load.streamed), (3, 10));
    while queue.next().is_some() {
        // Running jobs still count.
        assert_eq!(queue.load(), load);
    }
}

#[test]
fn refusals_estimate_when_there_is_room() {
    let mut queue = queue(5, 0, 2);
    let ordinary = request(Class::Ordinary);
    let estimate = |queue: &Queue, jobs| {
        let (me, limits) = (Client::default(), Limits::default());
        let room = queue.check_room(jobs, Class::Ordinary, &of(me), &limits);
        retry_after(room)
    };
    ordinary.push(5, &mut queue);
    assert_eq!(estimate(&queue, 1), Duration::ZERO, "no job has ended");
    assert!(queue.next().is_some());
    queue.job_ended(&ordinary.1, Class::Ordinary, Some(8 * SECOND));
    ordinary.push(1, &mut queue);
    // Five jobs, two at a time.
    assert_eq!(estimate(&queue, 1), 20 * SECOND);
    assert!(queue.next().is_some());
    // A running job counts, too.
    assert_eq!(estimate(&queue, 1), 20 * SECOND);
    queue.job_ended(&ordinary.1, Class::Ordinary, Some(16 * SECOND));
    // Four jobs, nine seconds each on average.
    assert_eq!(estimate(&queue, 2), 18 * SECOND);
    let stream = request(Class::Stream);
    stream.push(1, &mut queue);
    assert_eq!(estimate(&queue, 2), 45 * SECOND / 2, "with the stream's");
}

#[test]
fn requests_that_cannot_meet_their_deadline_are_refused() {
    let mut queue = queue(1000, 0, 1);
    let first = request(Class::Large);
    let within = |seconds: u32| Limits {
        deadline: Some(Instant::now() + seconds * SECOND),
        ..Limits::default()
    };
    let me = Client::default();
    let room = |queue: &Queue, jobs, limits: &Limits| {
        queue.check_room(jobs, Class::Large, &of(me), limits)
    };
    first.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&first], SECOND), Some(0));
    // Alone, a request is admitted even if its searches must be cut short.
    assert_eq!(room(&queue, 100, &within(20)), Ok(()));
    first.push(30, &mut queue);
    // A second request, with ten jobs, gets every second turn.
    assert_eq!(room(&queue, 10, &within(21)), Ok(()));
    let after = retry_after(room(&queue, 10, &within(19)));
    // Ten seconds pass before its last job, and half of those until the deadline are charged for its own.
    assert!((SECOND / 2..=2 * SECOND).contains(&after), "{after:?}");
    assert!(room(&queue, 10, &Limits::default()).is_ok(), "no deadline");
    // An ordinary request waits only for a share of large ones.
    let ordinary = queue.check_room(5, Class::Ordinary, &of(me), &within(10));
    assert_eq!(ordinary, Ok(()));
}

#[test]
fn refills_are_interrupted_if_no_worker_is_idle_and_resumed_later() {
    let mut queue = queue(10, 5, 3);
    let mut begin = || match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("expected a refill"),
    };
    let (first, second) = (begin(), begin());
    let ordinary = request(Class::Ordinary);
    ordinary.push(1, &mut queue);
    assert!(!second.limits.cancel.is_cancelled(), "one worker is idle");
    ordinary.push(1, &mut queue);
    assert!(second.limits.cancel.is_cancelled() && !first.limits.cancel.is_cancelled());
    let state = Cube::solved();
    queue.refill_ended(&second, state, Err(CANCELLED));
    assert_eq!(next_of(&mut queue, &[&ordinary], SECOND), Some(0));
    assert_eq!(next_of(&mut queue, &[&ordinary], SECOND), Some(0));
    let Some(Work::Refill(resumed)) = queue.next() else {
        panic!("expected a refill");
    };
    assert!(resumed.state.is_some_and(|resumed| resumed == state));
    assert!(first.state.is_none());
    // Without credit a refill gives way to streams, too.
    let idle = queue.config.workers - queue.running_refills.len();
    request(Class::Stream).push(idle + 1, &mut queue);
    assert!(resumed.limits.cancel.is_cancelled());
}

#[test]
fn jobs_of_all_classes_interrupt_refills_except_that_bulk_jobs_spare_those_with_credit() {
    for (class, credit, is_interrupted) in [
        (Class::Ordinary, Duration::ZERO, true),
        (Class::Large, Duration::ZERO, true),
        (Class::Stream, Duration::ZERO, true),
        (Class::Ordinary, SECOND, true),
        (Class::Large, SECOND, false),
        (Class::Stream, SECOND, false),
    ] {
        let mut queue = queue(10, 9, 1);
        queue.costs.record(kind(2), SECOND);
        queue.refill_credit = credit;
        let uses_credit = !credit.is_zero();
        if uses_credit {
            // Credit is used only while bulk jobs wait.
            request(Class::Stream).push(1, &mut queue);
        }
        let Some(Work::Refill(refill)) = queue.next() else {
            panic!("expected a refill");
        };
        assert_eq!(queue.running_refills[0].uses_credit, uses_credit);
        request(class).push(1, &mut queue);
        assert_eq!(
            refill.limits.cancel.is_cancelled(),
            is_interrupted,
            "{class:?} {credit:?}"
        );
    }
}

#[test]
fn a_full_buffer_drops_the_oldest_scramble_of_the_lowest_level_that_it_has() {
    // The levels in the buffer, one of them used up by requests, the level of the next scramble, and what is left, by
    // level and number.
    for (levels, used_up, finished, expected) in [
        (&[2, 2, 8][..], None, 8, &[(2, 1), (8, 2), (8, 3)][..]),
        (&[2, 8, 8], Some(2), 8, &[(8, 1), (8, 2), (8, 3)]),
        (&[2, 8, 8, 8], Some(2), 8, &[(8, 2), (8, 3), (8, 4)]),
        (&[2, 2, 8, 8], Some(8), 4, &[(2, 0), (2, 1), (4, 4)]),
    ] {
        let mut queue = queue(10, 3, 1);
        let Some(Work::Refill(refill)) = queue.next() else {
            panic!("expected a refill");
        };
        let numbered = |number, level| {
            let mut ready = generated(level);
            ready.scramble.work.premove_cost = number;
            ready
        };
        for (number, &level) in levels.iter().enumerate() {
            queue.ready.push(numbered(number, level));
        }
        if let Some(level) = used_up {
            let count = levels.iter().filter(|&&other| other == level).count();
            let taken = queue.ready.take(kind(level).effort, count);
            assert!(taken.iter().all(|taken| taken.effort.get() == level));
        }
        let scramble = numbered(levels.len(), finished);
        queue.refill_ended(&refill, Cube::solved(), Ok((scramble, SECOND)));
        assert!(queue.load().ready <= queue.load().buffer, "{levels:?}");
        let left = queue.ready.take(Effort::MIN, 10).into_iter();
        let left = left.map(|left| (left.effort.get(), left.scramble.work.premove_cost));
        assert_eq!(left.collect::<Vec<_>>(), expected, "{levels:?}");
    }
}

#[test]
fn refills_get_a_twentieth_of_the_time_of_streams() {
    let mut queue = queue(10, 5, 1);
    let stream = request(Class::Stream);
    let begin = |queue: &mut Queue| match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("expected a refill"),
    };
    let first = begin(&mut queue);
    queue.refill_ended(&first, Cube::solved(), FAILED);
    queue.costs.record(kind(2), 2 * SECOND);
    queue.failed_refills = 0;
    let mut jobs = 0;
    let next = |queue: &mut Queue| {
        stream.push(1, queue);
        next_of(queue, &[&stream], SECOND)
    };
    while next(&mut queue).is_some() {
        jobs += 1;
        assert!(jobs < 100, "the buffer is never refilled");
    }
    assert_eq!(jobs, 40, "twenty times two seconds");
    // Streams do not interrupt it, but ordinary requests do.
    queue.refill_credit = 2 * SECOND;
    let refill = begin(&mut queue);
    assert_eq!(refill.options.effort, kind(2).effort);
    stream.push(1, &mut queue);
    assert!(!refill.limits.cancel.is_cancelled());
    request(Class::Ordinary).push(1, &mut queue);
    assert!(refill.limits.cancel.is_cancelled());
}

/// A scramble with an effort level.
fn generated(level: u8) -> GeneratedScramble {
    let scramble = Scramble {
        sequence: Sequence::default(),
        state: Cube::solved(),
        work: ScrambleWork::default(),
        hurried: false,
    };
    GeneratedScramble {
        scramble,
        orientation: Orientation::random(&mut ChaCha20Rng::seed_from_u64(0)),
        effort: kind(level).effort,
    }
}

#[test]
fn scrambles_with_just_enough_effort_leave_the_buffer_first_and_the_oldest_of_them() {
    let mut queue = queue(10, 5, 1);
    for (moves, level) in [2, 8, 2, 8, 4].into_iter().enumerate() {
        let mut ready = generated(level);
        ready.scramble.work.premove_cost = moves;
        queue.ready.push(ready);
    }
    let mut take = |level: u8, max: usize| {
        let taken = queue.ready.take(kind(level).effort, max).into_iter();
        let facts = taken.map(|taken| (taken.effort.get(), taken.scramble.work.premove_cost));
        facts.collect::<Vec<_>>()
    };
    assert!(take(9, 5).is_empty());
    assert_eq!(take(4, 2), [(4, 4), (8, 1)]);
    assert_eq!(take(1, 2), [(2, 0), (2, 2)]);
    assert_eq!(take(3, 5), [(8, 3)]);
    assert!(take(1, 5).is_empty());
    // The levels that have been emptied do not hide higher ones.
    queue.ready.push(generated(8));
    queue.ready.remove_least();
    assert_eq!(queue.ready.len(), 0);
}

#[test]
fn large_requests_earn_credit_for_refills_and_ordinary_ones_do_not() {
    let ended = |class| {
        let mut queue = queue(10, 5, 1);
        queue.costs.record(kind(2), 20 * SECOND);
        request(class).push(1, &mut queue);
        queue.config.buffer = 0;
        let Some(Work::Job(job)) = queue.next() else {
            panic!("there is no job");
        };
        queue.job_ended(&job.options, class, Some(20 * SECOND));
        queue.refill_credit
    };
    let credit = [Class::Stream, Class::Large, Class::Ordinary].map(ended);
    assert_eq!(credit, [SECOND, SECOND, Duration::ZERO]);
}

#[test]
fn the_credit_for_refills_is_limited_to_two() {
    let mut queue = queue(10, 5, 1);
    queue.costs.record(kind(2), SECOND);
    (0..5).for_each(|_| queue.ready.push(generated(2)));
    let stream = request(Class::Stream);
    for _ in 0..200 {
        stream.push(1, &mut queue);
        assert_eq!(next_of(&mut queue, &[&stream], SECOND), Some(0));
    }
    assert_eq!(queue.refill_credit, 2 * SECOND);
}

#[test]
fn a_request_that_takes_longer_than_its_deadline_is_charged_half_of_it() {
    let mut queue = queue(1000, 0, 1);
    let first = request_of("other", Class::Large);
    first.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&first], SECOND), Some(0));
    first.push(1, &mut queue);
    assert!(matches!(queue.next(), Some(Work::Job(_))));
    let limits = Limits {
        deadline: Some(Instant::now() + 20 * SECOND),
        ..Limits::default()
    };
    let room = |queue: &Queue| queue.check_room(100, Class::Large, &of(Client::default()), &limits);
    assert_eq!(room(&queue), Ok(()));
    first.push(11, &mut queue);
    assert!(room(&queue).is_err());
}

#[test]
fn the_time_of_a_request_is_divided_by_the_workers() {
    let mut queue = queue(1000, 0, 2);
    let first = request(Class::Large);
    first.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&first], SECOND), Some(0));
    for name in ["one", "two"] {
        request_of(name, Class::Large).push(12, &mut queue);
    }
    let limits = Limits {
        deadline: Some(Instant::now() + 16 * SECOND),
        ..Limits::default()
    };
    // Two workers take ten seconds for the jobs that come before, and then five for ten jobs; one worker takes ten.
    let room = queue.check_room(10, Class::Large, &of(client("other")), &limits);
    assert_eq!(room, Ok(()));
}

/// An operation on the queue, as the pool and its workers use it.
#[derive(Clone, Debug)]
enum Operation {
    Request(Class, usize, usize),
    Begin,
    End(bool),
}

fn operation() -> impl Strategy<Value = Operation> {
    let class = prop_oneof![
        Just(Class::Ordinary),
        Just(Class::Large),
        Just(Class::Stream)
    ];
    prop_oneof![
        (class, 1..8_usize, 0..3_usize)
            .prop_map(|(class, jobs, of)| Operation::Request(class, jobs, of)),
        Just(Operation::Begin),
        any::<bool>().prop_map(Operation::End),
    ]
}

proptest! {
    #[test]
    fn the_queue_counts_as_a_list_does(operations in prop::collection::vec(operation(), 0..200)) {
        const CAPACITY: usize = 12;
        const PER_CLIENT: usize = 8;
        let names = ["a", "b", "c"].map(client);
        let mut queue = filled(PoolConfig {
            queue_per_client: PER_CLIENT,
            ..config(CAPACITY, 2, 2)
        });
        // The client and class of each job in progress, and the running work.
        let mut jobs: Vec<(Client, Class)> = Vec::new();
        let mut running: Vec<Work> = Vec::new();
        for operation in operations {
            match operation {
                Operation::Request(class, count, of) => {
                    let options = self::of(names[of]);
                    let held = jobs.iter().filter(|job| job.0 == names[of]).count();
                    let counted = jobs.iter().filter(|job| job.1 != Class::Stream).count();
                    let for_client = queue.check_client(count, names[of]).is_ok();
                    let limits = Limits::default();
                    let for_all = queue.check_room(count, class, &options, &limits).is_ok();
                    prop_assert_eq!(for_client, held + count <= PER_CLIENT);
                    prop_assert_eq!(for_all, class == Class::Stream || counted + count <= CAPACITY);
                    if for_client && for_all {
                        Request(class, options).push(count, &mut queue);
                        jobs.extend(vec![(names[of], class); count]);
                    }
                }
                Operation::Begin if running.len() < 2 => running.extend(queue.next()),
                Operation::Begin => {}
                Operation::End(is_successful) => match running.pop() {
                    Some(Work::Job(job)) => {
                        let (client, class) = (job.options.client, job.class);
                        queue.job_ended(&job.options, class, is_successful.then_some(SECOND));
                        let at = jobs.iter().position(|&ended| ended == (client, class));
                        jobs.swap_remove(at.expect("the list has every job in progress"));
                    }
                    Some(Work::Refill(refill)) => {
                        let outcome = match (refill.limits.cancel.is_cancelled(), is_successful) {
                            (true, _) => Err(CANCELLED),
                            (_, true) => Ok((generated(2), SECOND)),
                            (_, false) => FAILED,
                        };
                        queue.refill_ended(&refill, Cube::solved(), outcome);
                    }
                    None => {}
                },
            }
            let load = queue.load();
            let streamed = jobs.iter().filter(|job| job.1 == Class::Stream).count();
            prop_assert_eq!((load.jobs, load.streamed), (jobs.len() - streamed, streamed));
            prop_assert!(load.jobs <= CAPACITY && load.ready <= load.buffer);
        }
    }
}

#[test]
fn the_buffer_first_gets_a_set_of_the_busy_kind_and_then_the_idle_kind() {
    let mut queue = queue(10, 9, 1);
    let mut refill = || {
        let Some(Work::Refill(refill)) = queue.next() else {
            return None;
        };
        let level = refill.options.effort.get();
        let outcome = Ok((generated(level), SECOND));
        queue.refill_ended(&refill, Cube::solved(), outcome);
        Some(level)
    };
    let begun: Vec<u8> = (0..16).filter_map(|_| refill()).collect();
    assert_eq!(begun, [[2; 7].as_slice(), &[8; 9]].concat());
    // A failed refill is not tried again before the next request.
    queue.ready.take(kind(8).effort, 1);
    let Some(Work::Refill(refill)) = queue.next() else {
        panic!("expected a refill");
    };
    queue.refill_ended(&refill, Cube::solved(), FAILED);
    assert!(queue.needed_refill(false).is_none());
    queue.failed_refills = 0;
    assert_eq!(queue.needed_refill(false), Some(kind(8)));
    assert_eq!(queue.ready.len(), 8);
    assert_eq!(queue.ready.count(kind(8).effort), 8);
}

#[test]
fn the_min_time_of_a_request_is_divided_by_the_workers() {
    let mut queue = queue(10, 0, 2);
    queue.costs.record(STANDARD, SECOND);
    assert_eq!(queue.min_time(10, STANDARD), 5 * SECOND);
}

#[test]
fn credit_is_not_spent_while_ordinary_requests_wait() {
    let mut queue = queue(100, 9, 1);
    queue.costs.record(kind(2), SECOND);
    let [ordinary, stream] = [Class::Ordinary, Class::Stream].map(request);
    ordinary.push(6, &mut queue);
    stream.push(2, &mut queue);
    queue.refill_credit = 2 * SECOND;
    // Those of streams have their turns, but refills have none.
    let all = [&ordinary, &stream];
    let order = [(); 8].map(|()| next_of(&mut queue, &all, Duration::ZERO));
    let expected = [0, 0, 0, 1, 0, 0, 0].map(Some);
    assert_eq!(order[..7], expected);
    assert_eq!(order[7], None, "refills go before the last stream");
}

#[test]
fn refills_use_up_their_credit() {
    let mut queue = queue(10, 9, 1);
    queue.costs.record(kind(2), SECOND);
    let stream = request(Class::Stream);
    queue.refill_credit = 2 * SECOND;
    let begun = [(); 3].map(|()| {
        stream.push(1, &mut queue);
        next_of(&mut queue, &[&stream], Duration::ZERO)
    });
    assert_eq!(begun, [None, None, Some(0)]);
    assert_eq!(queue.refill_credit, Duration::ZERO);
}

#[test]
fn refills_with_credit_fill_the_whole_buffer() {
    let mut queue = queue(10, 9, 1);
    for expected in (0..9).map(|_| Some(kind(2))).chain([None]) {
        assert_eq!(queue.needed_refill(true), expected, "{}", queue.ready.len());
        queue.ready.push(generated(2));
    }
}

#[test]
fn running_refills_count_for_the_buffer() {
    let mut queue = queue(10, 9, 20);
    let begun: Vec<u8> = std::iter::from_fn(|| match queue.next()? {
        Work::Refill(refill) => Some(refill.options.effort.get()),
        Work::Job(_) => panic!("there is no job"),
    })
    .take(20)
    .collect();
    assert_eq!(begun, [[2; 7].as_slice(), &[8; 2]].concat());
}

#[test]
fn refills_estimate_the_time_of_scrambles_of_their_level() {
    let mut queue = queue(10, 9, 1);
    let Some(Work::Refill(refill)) = queue.next() else {
        panic!("expected a refill");
    };
    assert_eq!(queue.min_time(1, kind(2)), Duration::ZERO);
    let scramble = generated(2);
    queue.refill_ended(&refill, Cube::solved(), Ok((scramble, SECOND)));
    assert_eq!(queue.min_time(3, kind(2)), 3 * SECOND);
    assert_eq!(queue.costs.estimate(kind(2)), SECOND);
}

#[test]
fn jobs_that_fail_do_not_change_the_estimates() {
    let mut queue = queue(10, 0, 1);
    queue.costs.record(STANDARD, SECOND);
    for class in [Class::Ordinary, Class::Stream] {
        request(class).push(1, &mut queue);
        let Some(Work::Job(job)) = queue.next() else {
            panic!("there is no job");
        };
        queue.job_ended(&job.options, class, None);
    }
    assert_eq!(queue.costs.estimate(STANDARD), SECOND);
    assert_eq!(queue.refill_credit, Duration::ZERO);
    assert_eq!((queue.load().jobs, queue.load().streamed), (0, 0));
}

#[test]
fn a_closed_queue_has_no_buffer_but_finishes_its_jobs() {
    let mut queue = queue(10, 9, 3);
    queue.ready.push(generated(2));
    let refills = [(); 2].map(|()| match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("expected a refill"),
    });
    let waiting = [Class::Ordinary, Class::Stream].map(request);
    waiting.iter().for_each(|one| one.push(1, &mut queue));
    queue.close();
    assert_eq!(queue.load().ready, 0);
    for refill in refills {
        assert!(refill.limits.cancel.is_cancelled());
        // It may have finished nevertheless.
        let scramble = generated(2);
        queue.refill_ended(&refill, Cube::solved(), Ok((scramble, SECOND)));
    }
    assert_eq!(queue.load().ready, 0);
    let all = [&waiting[0], &waiting[1]];
    queue.refill_credit = SECOND;
    let begun = [(); 2].map(|()| next_of(&mut queue, &all, SECOND));
    assert_eq!(begun, [Some(0), Some(1)]);
    assert!(queue.next().is_none(), "no refill");
}

#[test]
fn running_jobs_come_before_those_of_any_new_request() {
    let mut queue = queue(100, 0, 2);
    let first = request_of("many", Class::Ordinary);
    first.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&first], SECOND), Some(0));
    first.push(4, &mut queue);
    let before = |queue: &Queue, class| queue.time_before(1, class, client("one"));
    let waiting = [Class::Ordinary, Class::Large].map(|class| before(&queue, class));
    // One job of the other client has a turn before an ordinary one, and all four before a large one.
    assert_eq!(waiting, [SECOND / 2, 2 * SECOND]);
    assert!(queue.next().is_some());
    let running = [Class::Ordinary, Class::Large].map(|class| before(&queue, class));
    assert_eq!(running, [SECOND, 2 * SECOND]);
}

#[test]
fn there_is_a_buffer_as_soon_as_there_is_an_engine_and_a_new_engine_tries_again() {
    let mut queue = Queue::new(config(10, 5, 1));
    assert_eq!(queue.load().buffer, 0);
    assert!(queue.next().is_none());
    queue.fill_buffer(unused());
    assert_eq!(queue.load().buffer, 5);
    for _ in 0..5 {
        let Some(Work::Refill(refill)) = queue.next() else {
            panic!("expected a refill");
        };
        queue.refill_ended(&refill, Cube::solved(), FAILED);
    }
    assert!(queue.next().is_none(), "all have failed");
    queue.ready.push(generated(8));
    queue.fill_buffer(unused());
    assert_eq!(queue.load().ready, 1);
    assert!(matches!(queue.next(), Some(Work::Refill(_))));
}

#[test]
fn the_end_of_a_refill_leaves_the_others() {
    let mut queue = queue(10, 3, 3);
    let [first, second, third] = [(); 3].map(|()| match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("expected a refill"),
    });
    queue.refill_ended(&second, Cube::solved(), Err(CANCELLED));
    let left = queue.running_refills.iter();
    let left: Vec<u64> = left.map(|refill| refill.options.request).collect();
    assert_eq!(left, [first.options.request, third.options.request]);
}

#[test]
fn refills_do_not_use_up_the_turns_of_ordinary_requests() {
    let mut queue = queue(10, 9, 1);
    queue.costs.record(kind(2), SECOND);
    queue.refill_credit = 2 * SECOND;
    let [stream, ordinary] = [Class::Stream, Class::Ordinary].map(request);
    let all = [&stream, &ordinary];
    stream.push(2, &mut queue);
    let next = |queue: &mut Queue| next_of(queue, &all, Duration::ZERO);
    assert_eq!([next(&mut queue), next(&mut queue)], [None, None]);
    ordinary.push(4, &mut queue);
    let order = [(); 5].map(|()| next(&mut queue));
    assert_eq!(order, [1, 1, 1, 0, 1].map(Some));
}

#[test]
fn special_scrambles_have_estimates_of_their_own() {
    let mut queue = queue(10, 0, 1);
    let standard = request(Class::Ordinary);
    let mut special = request(Class::Ordinary);
    special.1.recipe = Recipe::Padded;
    for (request, took) in [(&standard, SECOND), (&special, 9 * SECOND)] {
        request.push(1, &mut queue);
        assert_eq!(next_of(&mut queue, &[request], took), Some(0));
    }
    let [standard, special] = [&standard, &special].map(|it| queue.costs.estimate(it.1.kind()));
    assert_eq!((standard, special), (SECOND, 9 * SECOND));
}
