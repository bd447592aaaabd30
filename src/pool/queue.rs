//! What there is to do, what is being done and what has been made ahead, under one lock.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::job::{Job, Made};

/// There is no room in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queue is full")]
pub struct QueueFull {
    /// By then what is queued now should be done.
    pub retry_after: Duration,
}

/// How busy a pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Jobs that are waiting or being done.
    pub jobs: usize,
    /// The most that there may be.
    pub capacity: usize,
    /// Scrambles that are ready.
    pub ready: usize,
    /// How many are to be kept ready.
    pub buffer: usize,
}

/// What a worker is to do next.
pub(super) enum Work {
    /// A job, to be reported by [`Queue::ended`].
    Job(Job),
    /// A scramble for the buffer, to be reported by [`Queue::refilled`].
    Refill,
}

/// The jobs and the buffer.
pub(super) struct Queue {
    capacity: usize,
    buffer: usize,
    workers: usize,
    /// Jobs that wait, in the order in which they will be begun.
    waiting: VecDeque<Job>,
    /// How many jobs have been begun and not ended. They keep their places in the queue, even if
    /// their clients have left, so that there is never more work under way than is allowed.
    running: usize,
    /// Scrambles made ahead.
    ready: VecDeque<Made>,
    /// How many more are to be made ahead.
    missing: usize,
    /// How many of them have been begun and not ended.
    refilling: usize,
    /// A running mean of the time that a job takes, in which the last eight or so count.
    mean: Option<Duration>,
    closed: bool,
}

impl Queue {
    /// A queue for `capacity` jobs, and a buffer for `buffer` scrambles, which are missing.
    pub(super) fn new(capacity: usize, buffer: usize, workers: usize) -> Queue {
        Queue {
            capacity,
            buffer,
            workers,
            waiting: VecDeque::new(),
            running: 0,
            ready: VecDeque::new(),
            missing: buffer,
            refilling: 0,
            mean: None,
            closed: false,
        }
    }

    pub(super) fn load(&self) -> Load {
        Load {
            jobs: self.waiting.len() + self.running,
            capacity: self.capacity,
            ready: self.ready.len(),
            buffer: self.buffer,
        }
    }

    /// Whether so many jobs more may be pushed.
    pub(super) fn check_room(&self, jobs: usize) -> Result<(), QueueFull> {
        let taken = self.load().jobs;
        if jobs <= self.capacity - taken {
            return Ok(());
        }
        let rounds = u32::try_from(taken.div_ceil(self.workers)).unwrap_or(u32::MAX);
        Err(QueueFull {
            retry_after: self.mean.unwrap_or_default().saturating_mul(rounds),
        })
    }

    /// Adds a job, for which there must be room.
    pub(super) fn push(&mut self, job: Job) {
        self.waiting.push_back(job);
    }

    /// Takes the oldest scrambles out of the buffer, which must hold as many.
    pub(super) fn take_ready(&mut self, count: usize) -> impl Iterator<Item = Made> {
        self.ready.drain(..count)
    }

    /// Has the buffer refilled, as far as that is not under way.
    pub(super) fn top_up(&mut self) {
        self.missing = self.buffer - self.ready.len() - self.refilling;
    }

    /// What is to be done next: jobs go before the buffer.
    fn next(&mut self) -> Option<Work> {
        if let Some(job) = self.waiting.pop_front() {
            self.running += 1;
            return Some(Work::Job(job));
        }
        self.missing = self.missing.checked_sub(1)?;
        self.refilling += 1;
        Some(Work::Refill)
    }

    /// A job has ended; how long it took, if it brought a result.
    pub(super) fn ended(&mut self, took: Option<Duration>) {
        self.running -= 1;
        self.measured(took);
    }

    /// A scramble for the buffer has been made. If it failed, another one is made only after the
    /// next request, so that a defect does not keep the workers busy.
    pub(super) fn refilled(&mut self, made: Option<(Made, Duration)>) {
        self.refilling -= 1;
        if let Some((made, took)) = made {
            self.ready.push_back(made);
            self.measured(Some(took));
        }
    }

    fn measured(&mut self, took: Option<Duration>) {
        if let Some(took) = took {
            self.mean = Some(self.mean.map_or(took, |mean| mean - mean / 8 + took / 8));
        }
    }

    /// Workers end when the jobs that wait are done.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.missing = 0;
        self.ready.clear();
    }
}

/// The queue that the pool and its workers share.
pub(super) struct SharedQueue {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl SharedQueue {
    pub(super) fn new(queue: Queue) -> SharedQueue {
        SharedQueue {
            queue: Mutex::new(queue),
            changed: Condvar::new(),
        }
    }

    /// The queue, as long as the guard lives.
    pub(super) fn lock(&self) -> MutexGuard<'_, Queue> {
        // Whatever panics under the lock has changed nothing by halves: the counts are changed
        // together and without calls of code that could panic.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the queue, and wakes the workers.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Queue) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }

    /// Waits for work; none if the queue is closed and empty.
    pub(super) fn next(&self) -> Option<Work> {
        let mut queue = self.lock();
        loop {
            if let Some(work) = queue.next() {
                return Some(work);
            }
            if queue.closed {
                return None;
            }
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand_chacha::ChaCha20Rng;

    use super::super::job::{Task, reply};
    use super::*;
    use crate::cube::Cube;
    use crate::scramble::{Generate, Scramble, ScrambleError, Solved};
    use crate::search::{Limits, SearchError};
    use crate::stage::EffortLevel;

    /// What is never asked.
    struct Nobody;

    impl Generate for Nobody {
        fn generate(
            &self,
            _: &mut ChaCha20Rng,
            _: EffortLevel,
            _: &Limits,
        ) -> Result<Scramble, ScrambleError> {
            Err(SearchError::Cancelled.into())
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

    fn job() -> Job {
        Job {
            task: Task::Scramble(reply().0),
            generator: Arc::new(Nobody),
            effort: EffortLevel::DEFAULT,
            limits: Limits::default(),
        }
    }

    #[test]
    fn a_refusal_says_when_the_queue_should_be_done() {
        let mut queue = Queue::new(5, 0, 2);
        let retry_after = |queue: &Queue, jobs| queue.check_room(jobs).err().unwrap().retry_after;
        (0..5).for_each(|_| queue.push(job()));
        assert_eq!(retry_after(&queue, 1), Duration::ZERO, "nothing is known");
        assert!(queue.next().is_some());
        queue.ended(Some(Duration::from_secs(8)));
        queue.push(job());
        // Five jobs, two at a time.
        assert_eq!(retry_after(&queue, 1), Duration::from_secs(24));
        assert!(queue.next().is_some());
        queue.ended(Some(Duration::from_secs(16)));
        assert_eq!(queue.check_room(1), Ok(()));
        // Four jobs, of a mean of nine seconds.
        assert_eq!(retry_after(&queue, 2), Duration::from_secs(18));
        assert!(queue.next().is_some());
        queue.ended(None);
        assert_eq!(
            retry_after(&queue, 5),
            Duration::from_secs(18),
            "three jobs"
        );
    }
}
