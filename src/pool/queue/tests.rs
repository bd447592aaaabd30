use std::sync::{Arc, Mutex};

use cube444::Effort;
use cube444::cube::Sequence;
use cube444::scramble::{CheckedSolution, Engine, Scramble, ScrambleError};
use cube444::search::{Limits, SearchError};
use proptest::prelude::*;
use tokio::sync::oneshot;

use super::super::job::JobError;
use super::*;

mod buffer;

/// An engine that fails, and the states for which it did.
pub(crate) struct Failing {
    pub(crate) error: ScrambleError,
    pub(crate) states: Mutex<Vec<Cube>>,
}

impl Failing {
    pub(crate) fn with(error: impl Into<ScrambleError>) -> Arc<Failing> {
        let (error, states) = (error.into(), Mutex::default());
        Arc::new(Failing { error, states })
    }
}

impl Engine for Failing {
    fn find_scramble(
        &self,
        state: &Cube,
        _: bool,
        _: Effort,
        _: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.states.lock().unwrap().push(*state);
        Err(self.error.clone())
    }

    fn find_solution(
        &self,
        _: &Cube,
        _: Effort,
        _: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        Err(self.error.clone())
    }

    fn tables(&self) -> &'static str {
        "none"
    }

    fn method(&self) -> &'static str {
        "none"
    }
}

/// An engine that is never used.
fn unused() -> Arc<dyn Engine> {
    Failing::with(SearchError::Cancelled)
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

/// A request. Clones are the same request.
#[derive(Clone)]
pub(crate) struct Request(JobOptions);

/// A new request of the default client.
pub(crate) fn request(class: Class) -> Request {
    Request(of(Client::default(), class))
}

fn client(name: &str) -> Client {
    Client::identified_by(&name)
}

/// A new request of a client, whose jobs are of the kind [`STANDARD`].
fn of(client: Client, class: Class) -> JobOptions {
    let mut options = JobOptions::new(unused(), STANDARD.effort, client);
    options.class = class;
    options
}

/// A new request of a client, whose jobs have a deadline in some seconds.
fn of_within(client: Client, class: Class, seconds: u32) -> JobOptions {
    let mut options = of(client, class);
    options.limits.deadline = Some(Instant::now() + seconds * SECOND);
    options
}

/// A new request of a named client.
fn request_of(name: &str, class: Class) -> Request {
    Request(of(client(name), class))
}

impl Request {
    /// Pushes `jobs` jobs.
    pub(crate) fn push(&self, jobs: usize, queue: &mut Queue) {
        for _ in 0..jobs {
            let task = Task::Scramble(oneshot::channel().0);
            queue.push(task, &self.0);
        }
    }
}

/// Begins and ends the next work. Returns the index of the request if it is a job, which takes `took`, and
/// `None` if it is a refill.
fn next_of(queue: &mut Queue, requests: &[&Request], took: Duration) -> Option<usize> {
    match queue.next().expect("a test has pushed a job") {
        Work::Job(job) => {
            let id = job.options.request;
            queue.job_ended(&job.options, Some(took));
            requests.iter().position(|request| request.0.request == id)
        }
        Work::Refill(refill) => {
            queue.refill_ended(&refill, FAILED);
            queue.failed_refills = 0;
            None
        }
    }
}

/// Whether there is no work.
#[cfg(feature = "explore")]
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
pub(crate) const FAILED: TimedResult<Scramble> = (Err(JobError::Failed), SECOND);

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
        |queue: &Queue, jobs, class, name| queue.time_before(jobs, &of(client(name), class)) / 1000;
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
    let before = |queue: &Queue| queue.time_before(100, &of(client("one"), Class::Large));
    assert_eq!(before(&queue), 20 * SECOND, "no more jobs than there are");
    request_of("stream", Class::Stream).push(1, &mut queue);
    assert!(before(&queue) > 100 * SECOND, "a turn before each");
}

#[test]
fn a_request_as_large_as_a_set_is_an_ordinary_one_and_fits_if_each_limit_allows_it() {
    let options = of(Client::default(), Class::Ordinary);
    let class = |count| options.for_scrambles(count).class;
    assert_eq!(class(SET_SIZE), Class::Ordinary);
    assert_eq!(class(SET_SIZE + 1), Class::Large);
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
fn refusals_estimate_when_there_is_room() {
    let mut queue = queue(5, 0, 2);
    let ordinary = request(Class::Ordinary);
    let estimate = |queue: &Queue, jobs| {
        let mine = of(Client::default(), Class::Ordinary);
        retry_after(queue.check_room(jobs, &mine))
    };
    ordinary.push(5, &mut queue);
    assert_eq!(estimate(&queue, 1), Duration::ZERO, "no job has ended");
    assert!(queue.next().is_some());
    queue.job_ended(&ordinary.0, Some(8 * SECOND));
    ordinary.push(1, &mut queue);
    // Five jobs, two at a time.
    assert_eq!(estimate(&queue, 1), 20 * SECOND);
    assert!(queue.next().is_some());
    // A running job counts, too.
    assert_eq!(estimate(&queue, 1), 20 * SECOND);
    queue.job_ended(&ordinary.0, Some(16 * SECOND));
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
    let within = |seconds| of_within(Client::default(), Class::Large, seconds);
    let room = |queue: &Queue, jobs, options: &JobOptions| queue.check_room(jobs, options);
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
    assert!(
        room(&queue, 10, &of(Client::default(), Class::Large)).is_ok(),
        "no deadline"
    );
    // An ordinary request waits only for a share of large ones.
    let ordinary = of_within(Client::default(), Class::Ordinary, 10);
    assert_eq!(room(&queue, 5, &ordinary), Ok(()));
}

/// A scramble with an effort level.
fn scramble(level: u8) -> Scramble {
    let mut scramble = Scramble::from(Sequence::default());
    scramble.effort = kind(level).effort;
    scramble
}

#[test]
fn a_request_that_takes_longer_than_its_deadline_is_charged_half_of_it() {
    let mut queue = queue(1000, 0, 1);
    let first = request_of("other", Class::Large);
    first.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&first], SECOND), Some(0));
    first.push(1, &mut queue);
    assert!(matches!(queue.next(), Some(Work::Job(_))));
    let mine = of_within(Client::default(), Class::Large, 20);
    let room = |queue: &Queue| queue.check_room(100, &mine);
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
    let others = of_within(client("other"), Class::Large, 16);
    // Two workers take ten seconds for the jobs that come before, and then five for ten jobs; one worker takes ten.
    assert_eq!(queue.check_room(10, &others), Ok(()));
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
        Just(Class::Stream),
        Just(Class::AdmittedStream)
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
                    let options = self::of(names[of], class);
                    let held = jobs.iter().filter(|job| job.0 == names[of]).count();
                    let counted = jobs.iter().filter(|job| !job.1.is_stream()).count();
                    let for_client = queue.check_client(count, names[of]).is_ok();
                    let for_all = queue.check_room(count, &options).is_ok();
                    prop_assert_eq!(for_client, held + count <= PER_CLIENT);
                    prop_assert_eq!(for_all, class.is_stream() || counted + count <= CAPACITY);
                    if for_client && for_all {
                        Request(options).push(count, &mut queue);
                        jobs.extend(vec![(names[of], class); count]);
                    }
                }
                Operation::Begin if running.len() < 2 => running.extend(queue.next()),
                Operation::Begin => {}
                Operation::End(is_successful) => match running.pop() {
                    Some(Work::Job(job)) => {
                        let (client, class) = (job.options.client, job.options.class);
                        queue.job_ended(&job.options, is_successful.then_some(SECOND));
                        let at = jobs.iter().position(|&ended| ended == (client, class));
                        jobs.swap_remove(at.expect("the list has every job in progress"));
                    }
                    Some(Work::Refill(refill)) => {
                        let outcome = match (refill.options.limits.cancel.is_cancelled(), is_successful) {
                            (true, _) => (Err(CANCELLED), SECOND),
                            (_, true) => (Ok(scramble(2)), SECOND),
                            (_, false) => FAILED,
                        };
                        queue.refill_ended(&refill, outcome);
                    }
                    None => {}
                },
            }
            let load = queue.load();
            let streamed = jobs.iter().filter(|job| job.1.is_stream()).count();
            prop_assert_eq!((load.jobs, load.streamed), (jobs.len() - streamed, streamed));
            prop_assert!(load.jobs <= CAPACITY && load.ready <= load.buffer);
            prop_assert_eq!(queue.per_client.is_empty(), jobs.is_empty());
        }
    }
}

#[test]
fn the_min_time_of_a_request_is_divided_by_the_workers() {
    let mut queue = queue(10, 0, 2);
    queue.costs.record(STANDARD, SECOND);
    assert_eq!(queue.min_time(10, STANDARD), 5 * SECOND);
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
        queue.job_ended(&job.options, None);
    }
    assert_eq!(queue.costs.estimate(STANDARD), SECOND);
    assert_eq!(queue.refill_credit, Duration::ZERO);
    assert_eq!((queue.load().jobs, queue.load().streamed), (0, 0));
}

#[test]
fn running_jobs_come_before_those_of_any_new_request() {
    let mut queue = queue(100, 0, 2);
    let first = request_of("many", Class::Ordinary);
    first.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&first], SECOND), Some(0));
    first.push(4, &mut queue);
    let before = |queue: &Queue, class| queue.time_before(1, &of(client("one"), class));
    let waiting = [Class::Ordinary, Class::Large].map(|class| before(&queue, class));
    // One job of the other client has a turn before an ordinary one, and all four before a large one.
    assert_eq!(waiting, [SECOND / 2, 2 * SECOND]);
    assert!(queue.next().is_some());
    let running = [Class::Ordinary, Class::Large].map(|class| before(&queue, class));
    assert_eq!(running, [SECOND, 2 * SECOND]);
}

#[test]
fn special_scrambles_have_estimates_of_their_own() {
    let mut queue = queue(10, 0, 1);
    let standard = request(Class::Ordinary);
    let mut special = request(Class::Ordinary);
    special.0.recipe = Recipe::Padded;
    for (request, took) in [(&standard, SECOND), (&special, 9 * SECOND)] {
        request.push(1, &mut queue);
        assert_eq!(next_of(&mut queue, &[request], took), Some(0));
    }
    let [standard, special] = [&standard, &special].map(|it| queue.costs.estimate(it.0.kind()));
    assert_eq!((standard, special), (SECOND, 9 * SECOND));
}
