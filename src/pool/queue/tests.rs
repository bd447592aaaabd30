use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use super::super::client::Requester;
use super::super::job::{Task, reply};
use super::*;
use crate::cube::Sequence;
use crate::scramble::{Generate, Recipe, Scramble, ScrambleError, Solved};
use crate::search::EffortLevel;
use crate::search::{SearchError, Statistics};

/// What is never asked.
struct Nobody;

impl Generate for Nobody {
    fn scramble_to(&self, _: &Cube, _: EffortLevel, _: &Limits) -> Result<Scramble, ScrambleError> {
        Err(SearchError::Cancelled.into())
    }

    fn scramble_exactly_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.scramble_to(state, effort, limits)
    }

    fn solve(&self, _: &Cube, _: EffortLevel, _: &Limits) -> Result<Solved, ScrambleError> {
        Err(SearchError::Cancelled.into())
    }

    fn tables(&self) -> &'static str {
        "none"
    }

    fn method(&self) -> &'static str {
        "none"
    }
}

const USUAL: Kind = Kind {
    method: "none",
    effort: EffortLevel::DEFAULT,
    is_special: false,
};

fn kind(level: u8) -> Kind {
    Kind {
        effort: EffortLevel::new(level).unwrap(),
        ..USUAL
    }
}

pub(crate) fn queue(capacity: usize, buffer: usize, workers: usize) -> Queue {
    let stock = Stock {
        count: buffer,
        best: kind(8),
        usual: kind(2),
    };
    Queue::new(capacity, usize::MAX, stock, workers)
}

/// A request of a class; its clones are the same request.
#[derive(Clone, Copy)]
pub(crate) struct Request(Class, Requester);

/// A request of a client that all of these share.
pub(crate) fn request(class: Class) -> Request {
    Request(class, Requester::new())
}

fn client(name: &str) -> Client {
    Client::identified_by(&name)
}

/// A request of a client.
fn request_of(name: &str, class: Class) -> Request {
    let requester = Requester {
        client: client(name),
        ..Requester::new()
    };
    Request(class, requester)
}

impl Request {
    fn job(&self) -> Job {
        Job {
            task: Task::Scramble(Recipe::Usual, reply().0),
            generator: Arc::new(Nobody),
            effort: USUAL.effort,
            class: self.0,
            requester: self.1,
            limits: Limits::default(),
        }
    }

    /// Pushes so many jobs.
    pub(crate) fn push(&self, jobs: usize, queue: &mut Queue) {
        (0..jobs).for_each(|_| queue.push(self.job()));
    }
}

/// Which of some requests the next job is of; none for a refill. The job ends at once, after so long.
fn next_of(queue: &mut Queue, requests: &[&Request], took: Duration) -> Option<usize> {
    match queue.next().expect("there is something to do") {
        Work::Job(job) => {
            let id = job.requester.request;
            queue.ended(job.requester.client, job.class, job.kind(), Some(took));
            requests.iter().position(|request| request.1.request == id)
        }
        Work::Refill(refill) => {
            queue.refilled(refill.number, Refilled::Failed);
            queue.top_up();
            None
        }
    }
}

/// Whether nothing waits and nothing is being done.
#[cfg(explore)]
pub(crate) fn is_idle(queue: &Queue) -> bool {
    let waiting = queue.ordinary.len() + queue.bulk.len() + queue.places + queue.streamed;
    waiting + queue.running + queue.refilling.len() + queue.of_clients.len() == 0
}

/// What a refusal for want of room says.
fn retry_after(room: Result<(), QueueFull>) -> Duration {
    match room {
        Err(QueueFull::OfAll { retry_after }) => retry_after,
        other => panic!("{other:?}"),
    }
}

pub(crate) const SECOND: Duration = Duration::from_secs(1);

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
fn a_request_waits_for_its_share_of_the_turns() {
    let mut queue = queue(1000, 0, 1);
    let ordinary = request_of("many", Class::Ordinary);
    ordinary.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&ordinary], SECOND), Some(0));
    // How long is waited for what is done before some jobs.
    let ahead = |queue: &Queue, jobs, class, name| queue.ahead(jobs, class, client(name)) / 1000;
    let millisecond = SECOND / 1000;
    for _ in 0..10 {
        request_of("many", Class::Ordinary).push(20, &mut queue);
    }
    let (class, large) = (Class::Ordinary, Class::Large);
    assert_eq!(ahead(&queue, 5, class, "one"), 5 * millisecond);
    assert_eq!(ahead(&queue, 5, class, "many"), 50 * millisecond);
    assert_eq!(ahead(&queue, 30, class, "many"), 200 * millisecond);
    request_of("another", Class::Ordinary).push(3, &mut queue);
    // No more than three of the other client's go before those of "many".
    assert_eq!(ahead(&queue, 5, class, "many"), 53 * millisecond);
    assert_eq!(ahead(&queue, 5, class, "another"), 11 * millisecond);
    // Ordinary jobs go before large ones.
    assert_eq!(ahead(&queue, 5, large, "one"), 203 * millisecond);
    // Streams go on, however few of their jobs wait.
    for _ in 0..4 {
        request_of("stream", Class::Stream).push(1, &mut queue);
    }
    assert_eq!(ahead(&queue, 100, large, "one"), 303 * millisecond);
    assert_eq!(ahead(&queue, 100, large, "stream"), 603 * millisecond);
    while queue.next().is_some() {}
    assert!(queue.ordinary.is_empty() && queue.bulk.is_empty());
    assert_eq!(queue.running, 207);
}

#[test]
fn a_client_has_no_more_under_way_than_it_may() {
    let stock = Stock {
        count: 0,
        best: kind(8),
        usual: kind(2),
    };
    let mut queue = Queue::new(100, 10, stock, 1);
    let (ordinary, stream) = (
        request_of("a", Class::Ordinary),
        request_of("a", Class::Stream),
    );
    ordinary.push(4, &mut queue);
    stream.push(5, &mut queue);
    assert_eq!(queue.check_client(1, client("a")), Ok(()));
    let refused = QueueFull::OfClient {
        retry_after: Duration::ZERO,
    };
    assert_eq!(queue.check_client(2, client("a")), Err(refused));
    assert_eq!(queue.check_client(10, client("b")), Ok(()));
    assert!(queue.check_client(11, client("b")).is_err());
    // What has been begun counts until it has ended.
    let Some(Work::Job(job)) = queue.next() else {
        panic!("jobs wait");
    };
    assert!(queue.check_client(2, client("a")).is_err());
    queue.ended(client("a"), job.class, job.kind(), None);
    assert_eq!(queue.check_client(2, client("a")), Ok(()));
    while next_of(&mut queue, &[&ordinary, &stream], SECOND).is_some() {
        if queue.ordinary.is_empty() && queue.bulk.is_empty() {
            break;
        }
    }
    assert!(queue.of_clients.is_empty());
}

#[test]
fn of_four_jobs_one_is_of_a_stream_or_a_large_request() {
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
}

#[test]
fn jobs_of_streams_take_no_places() {
    let mut queue = queue(3, 0, 1);
    let (ordinary, stream) = (request(Class::Ordinary), request(Class::Stream));
    stream.push(10, &mut queue);
    let (me, limits) = (Client::default(), Limits::default());
    let room = |queue: &Queue, jobs| queue.check_room(jobs, Class::Ordinary, USUAL, me, &limits);
    assert_eq!(room(&queue, 3), Ok(()));
    assert!(room(&queue, 4).is_err());
    ordinary.push(3, &mut queue);
    assert!(room(&queue, 1).is_err());
    let load = queue.load();
    assert_eq!((load.jobs, load.streamed), (3, 10));
    while queue.next().is_some() {
        // Begun, but not ended: they keep their places.
        assert_eq!(queue.load(), load);
    }
}

#[test]
fn a_refusal_says_when_there_should_be_room() {
    let mut queue = queue(5, 0, 2);
    let ordinary = request(Class::Ordinary);
    let refused = |queue: &Queue, jobs| {
        let (me, limits) = (Client::default(), Limits::default());
        let room = queue.check_room(jobs, Class::Ordinary, USUAL, me, &limits);
        retry_after(room)
    };
    ordinary.push(5, &mut queue);
    assert_eq!(refused(&queue, 1), Duration::ZERO, "nothing is known");
    assert!(queue.next().is_some());
    queue.ended(Client::default(), Class::Ordinary, USUAL, Some(8 * SECOND));
    ordinary.push(1, &mut queue);
    // Five jobs, two at a time.
    assert_eq!(refused(&queue, 1), 20 * SECOND);
    assert!(queue.next().is_some());
    // It counts as long as it is being done.
    assert_eq!(refused(&queue, 1), 20 * SECOND);
    queue.ended(Client::default(), Class::Ordinary, USUAL, Some(16 * SECOND));
    // Four jobs, of a mean of nine seconds.
    assert_eq!(refused(&queue, 2), 18 * SECOND);
    let stream = request(Class::Stream);
    stream.push(1, &mut queue);
    assert_eq!(refused(&queue, 2), 45 * SECOND / 2, "with the stream's");
}

#[test]
fn what_cannot_be_done_before_its_deadline_is_refused() {
    let mut queue = queue(1000, 0, 1);
    let first = request(Class::Large);
    let within = |seconds: u32| Limits {
        deadline: Some(Instant::now() + seconds * SECOND),
        ..Limits::default()
    };
    let me = Client::default();
    let room = |queue: &Queue, jobs, limits: &Limits| {
        queue.check_room(jobs, Class::Large, USUAL, me, limits)
    };
    first.push(1, &mut queue);
    assert_eq!(next_of(&mut queue, &[&first], SECOND), Some(0));
    // Alone, it is taken even if it has to be hurried.
    assert_eq!(room(&queue, 100, &within(20)), Ok(()));
    first.push(30, &mut queue);
    // Another one that asks for ten gets every second turn.
    assert_eq!(room(&queue, 10, &within(21)), Ok(()));
    let after = retry_after(room(&queue, 10, &within(19)));
    assert!(after <= 2 * SECOND, "{after:?}");
    assert!(room(&queue, 10, &Limits::default()).is_ok(), "no deadline");
    // Of ordinary requests, only others and a share of this one go before.
    let ordinary = queue.check_room(5, Class::Ordinary, USUAL, me, &within(10));
    assert_eq!(ordinary, Ok(()));
}

#[test]
fn refills_give_way_if_no_worker_is_idle_and_are_tried_again() {
    let mut queue = queue(10, 5, 3);
    let mut begin = || match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("there is no job"),
    };
    let (first, second) = (begin(), begin());
    let ordinary = request(Class::Ordinary);
    ordinary.push(1, &mut queue);
    assert!(!second.cancel.is_cancelled(), "one worker is idle");
    ordinary.push(1, &mut queue);
    assert!(second.cancel.is_cancelled() && !first.cancel.is_cancelled());
    let state = Cube::solved();
    queue.refilled(second.number, Refilled::GaveWay(Box::new(state)));
    assert_eq!(next_of(&mut queue, &[&ordinary], SECOND), Some(0));
    assert_eq!(next_of(&mut queue, &[&ordinary], SECOND), Some(0));
    let Some(Work::Refill(again)) = queue.next() else {
        panic!("there is no job");
    };
    assert!(again.state.is_some_and(|again| again == state));
    assert!(first.state.is_none());
}

#[test]
fn under_streams_a_twentieth_of_the_time_is_put_by_for_the_buffer() {
    let mut queue = queue(10, 5, 1);
    let stream = request(Class::Stream);
    let begin = |queue: &mut Queue| match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("a refill is next"),
    };
    let first = begin(&mut queue);
    queue.refilled(first.number, Refilled::Failed);
    queue.costs.measured(kind(2), 2 * SECOND);
    queue.top_up();
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
    // It does not give way to a stream, but to an ordinary request.
    queue.put_by = 2 * SECOND;
    let refill = begin(&mut queue);
    assert_eq!(refill.effort, kind(2).effort);
    stream.push(1, &mut queue);
    assert!(!refill.cancel.is_cancelled());
    request(Class::Ordinary).push(1, &mut queue);
    assert!(refill.cancel.is_cancelled());
}

/// A scramble that was made with an effort.
fn made(level: u8) -> Made {
    let scramble = Scramble {
        sequence: Sequence::default(),
        state: Cube::solved(),
        stage_costs: Vec::new(),
        premove_cost: 0,
        statistics: Statistics::default(),
        stage_statistics: Vec::new(),
        hurried: false,
    };
    let effort = kind(level).effort;
    Made::new(scramble, effort, &mut ChaCha20Rng::seed_from_u64(0))
}

#[test]
fn the_buffer_hands_out_the_oldest_that_is_good_enough() {
    let mut queue = queue(10, 5, 1);
    for level in [2, 8, 2, 8, 4] {
        queue.ready.push_back(made(level));
    }
    let mut take = |level: u8, most: usize| {
        let effort = kind(level).effort;
        let count = queue.ready_for(effort, most);
        let taken = queue.take_ready(effort, count).into_iter();
        taken.map(|made| made.effort.get()).collect::<Vec<_>>()
    };
    assert!(take(9, 5).is_empty());
    assert_eq!(take(4, 2), [8, 8]);
    assert_eq!(take(1, 2), [2, 2]);
    assert_eq!(take(3, 5), [4]);
    assert!(take(1, 5).is_empty());
}

#[test]
fn the_buffer_holds_a_set_first_and_the_best_in_the_end() {
    let mut queue = queue(10, 9, 1);
    let mut refill = || {
        let Some(Work::Refill(refill)) = queue.next() else {
            return None;
        };
        let level = refill.effort.get();
        let made = Refilled::Made(Box::new(made(level)), SECOND);
        queue.refilled(refill.number, made);

        Some(level)
    };
    let begun: Vec<u8> = (0..16).filter_map(|_| refill()).collect();
    assert_eq!(begun, [[2; 7].as_slice(), &[8; 9]].concat());
    // What has failed is not tried again until somebody asks.
    queue.take_ready(kind(8).effort, 1);
    let Some(Work::Refill(refill)) = queue.next() else {
        panic!("one is missing");
    };
    queue.refilled(refill.number, Refilled::Failed);
    assert!(queue.missing(false).is_none());
    queue.top_up();
    assert_eq!(queue.missing(false), Some(kind(8)));
    assert_eq!(queue.ready.len(), 8);
    assert!(queue.ready.iter().all(|made| made.effort == kind(8).effort));
}
