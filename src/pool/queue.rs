//! What there is to do, what is being done and what has been made ahead, under one lock.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::costs::{Costs, Kind};
use super::job::{Class, Job, Made, SET};
use super::rounds::Rounds;
use crate::cube::Cube;
use crate::search::EffortLevel;
use crate::search::{CancelFlag, Limits};

/// There is no room in the queue, or no hope that it is done in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queue is full")]
pub struct QueueFull {
    /// By then there should be room.
    pub retry_after: Duration,
}

/// How busy a pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Jobs that are waiting or being done, those of streams aside.
    pub jobs: usize,
    /// The most that there may be.
    pub capacity: usize,
    /// Jobs of streams that are waiting or being done.
    pub streamed: usize,
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
    Refill(Refill),
}

/// What the buffer is to hold.
#[derive(Clone, Copy)]
pub(super) struct Stock {
    /// How many scrambles.
    pub(super) count: usize,
    /// What they are to be like in the end, when there is nothing else to do.
    pub(super) best: Kind,
    /// What they are like until a set is ready, and while streams and large requests wait.
    pub(super) usual: Kind,
}

/// A scramble for the buffer.
pub(super) struct Refill {
    /// The effort that it is to be made with.
    pub(super) effort: EffortLevel,
    /// A state that has been drawn, if its scramble gave way to jobs. It is tried again: to draw another
    /// would favour states that are solved fast.
    pub(super) state: Option<Cube>,
    /// Tells that it must give way.
    pub(super) cancel: CancelFlag,
}

/// What became of a scramble for the buffer.
pub(super) enum Refilled {
    /// It was made, in so long.
    Made(Box<Made>, Duration),
    /// It gave way to a job; the state is kept.
    GaveWay(Box<Cube>),
    /// It failed.
    Failed,
}

/// Of so many jobs that are begun, one is of a stream or a large request, if any wait.
const BULK_SHARE: usize = 4;
/// Of the time for streams and large requests, this part is used to refill the buffer.
const REFILL_SHARE: u32 = 20;

/// The jobs and the buffer.
pub(super) struct Queue {
    capacity: usize,
    stock: Stock,
    workers: usize,
    /// Jobs of ordinary requests that wait.
    ordinary: Rounds,
    /// Jobs of streams and large requests that wait.
    bulk: Rounds,
    /// How many ordinary jobs have been begun since one of those, while some waited.
    passed_by: usize,
    /// How many jobs wait or have been begun and not ended. They keep their places, even if their
    /// clients have left, so that there is never more work under way than is allowed.
    places: usize,
    /// The same of streams.
    streamed: usize,
    /// How many jobs of all sorts have been begun and not ended.
    running: usize,
    /// Scrambles made ahead.
    ready: VecDeque<Made>,
    /// How many could not be made since the last request.
    failed: usize,
    /// Those that have been begun and not ended, by their flags, and whether their time was
    /// put by.
    refilling: Vec<(CancelFlag, bool)>,
    /// States whose scrambles gave way.
    set_aside: Vec<Cube>,
    /// The time that has been put by for the buffer.
    put_by: Duration,
    costs: Costs,
    closed: bool,
}

impl Queue {
    /// A queue for `capacity` jobs, and a buffer, which is empty.
    pub(super) fn new(capacity: usize, stock: Stock, workers: usize) -> Queue {
        Queue {
            capacity,
            stock,
            workers,
            ordinary: Rounds::default(),
            bulk: Rounds::default(),
            passed_by: 0,
            places: 0,
            streamed: 0,
            running: 0,
            ready: VecDeque::new(),
            failed: 0,
            refilling: Vec::new(),
            set_aside: Vec::new(),
            put_by: Duration::ZERO,
            costs: Costs::default(),
            closed: false,
        }
    }

    pub(super) fn load(&self) -> Load {
        Load {
            jobs: self.places,
            capacity: self.capacity,
            streamed: self.streamed,
            ready: self.ready.len(),
            buffer: self.stock.count,
        }
    }

    /// Whether so many jobs of a request may be pushed: whether there are places, and whether the jobs
    /// that go before leave time for them. A request that would take too long even if it were alone
    /// gets half of its time; it will be hurried.
    pub(super) fn check_room(
        &self,
        jobs: usize,
        class: Class,
        kind: Kind,
        limits: &Limits,
    ) -> Result<(), QueueFull> {
        if class != Class::Stream && jobs > self.capacity - self.places {
            return Err(QueueFull {
                retry_after: self.ahead(jobs, class),
            });
        }
        let Some(deadline) = limits.deadline else {
            return Ok(());
        };
        let ahead = self.ahead(jobs, class);
        let time = deadline.saturating_duration_since(Instant::now());
        let own = times(self.costs.of(kind), jobs) / self.workers as u32;
        let begins = time - own.min(time / 2);
        if !ahead.is_zero() && ahead > begins {
            return Err(QueueFull {
                retry_after: ahead - begins,
            });
        }
        Ok(())
    }

    /// How long so many jobs of a kind take at best.
    pub(super) fn time_at_best(&self, jobs: usize, kind: Kind) -> Duration {
        times(self.costs.at_best(kind), jobs) / self.workers as u32
    }

    /// How long it should take to do what goes before so many jobs of a new request.
    fn ahead(&self, jobs: usize, class: Class) -> Duration {
        // The jobs of a request are of one kind.
        let cost = |request: &VecDeque<Job>, jobs: usize| {
            let kind = request.front().map(Job::kind);
            kind.map_or(Duration::ZERO, |kind| times(self.costs.of(kind), jobs))
        };
        let ordinary = self.ordinary.requests();
        let waiting: Duration = ordinary.map(|request| cost(request, request.len())).sum();
        let mut ahead = times(self.costs.any(), self.running) + waiting;
        if class == Class::Ordinary {
            // In between, those that are not ordinary get their share.
            if !self.bulk.is_empty() {
                ahead += ahead / (BULK_SHARE as u32 - 1);
            }
        } else {
            // Requests take turns, and streams go on and on.
            let turns = |request: &VecDeque<Job>| match request.front() {
                Some(first) if first.class != Class::Stream => jobs.min(request.len()),
                _ => jobs,
            };
            let bulk = self.bulk.requests();
            ahead += bulk
                .map(|request| cost(request, turns(request)))
                .sum::<Duration>();
        }
        ahead / self.workers as u32
    }

    /// Adds a job, for which there must be room.
    pub(super) fn push(&mut self, job: Job) {
        match job.class {
            Class::Stream => self.streamed += 1,
            _ => self.places += 1,
        }
        match job.class {
            Class::Ordinary => self.ordinary.push(job),
            _ => self.bulk.push(job),
        }
        // The buffer gives way, if no worker is idle: what was begun last first.
        let waiting = self.ordinary.len() + self.bulk.len();
        let idle = self.workers - self.running - self.refilling.len();
        let may_stay = self.ordinary.is_empty();
        let refills = self.refilling.iter().rev();
        let giving_way = refills.filter(|(_, is_put_by)| !(may_stay && *is_put_by));
        for (cancel, _) in giving_way.take(waiting.saturating_sub(idle)) {
            cancel.cancel();
        }
    }

    /// How many scrambles of the buffer were made with some effort or more, up to `most`.
    pub(super) fn ready_for(&self, effort: EffortLevel, most: usize) -> usize {
        let good = self.ready.iter().filter(|made| made.effort >= effort);
        good.take(most).count()
    }

    /// Takes so many of these, of which there must be as many, the oldest first.
    pub(super) fn take_ready(&mut self, effort: EffortLevel, count: usize) -> Vec<Made> {
        let mut at = 0;
        let next = |_| {
            at += (self.ready.range(at..))
                .position(|made| made.effort >= effort)
                .expect("there are as many");
            self.ready.remove(at).expect("it is there")
        };
        (0..count).map(next).collect()
    }

    /// Has what could not be made for the buffer tried again.
    pub(super) fn top_up(&mut self) {
        self.failed = 0;
    }

    /// What the next scramble for the buffer is to be like, if one is missing: as usual until there is a
    /// set, or until there are as many as there are to be if time was put by for it; then of the best kind.
    fn missing(&self, is_put_by: bool) -> Option<Kind> {
        let Stock { count, best, usual } = self.stock;
        let coming = self.refilling.len() + self.failed;
        let first = if is_put_by { count } else { count.min(SET) };
        if self.closed {
            None
        } else if self.ready.len() + coming < first {
            Some(usual)
        } else if is_put_by {
            None
        } else {
            let good = self.ready.iter().filter(|made| made.effort >= best.effort);
            (good.count() + coming < count).then_some(best)
        }
    }

    /// What is to be done next.
    fn next(&mut self) -> Option<Work> {
        if let Some(job) = self.next_ordinary() {
            return Some(self.begin(job));
        }
        let cost = self.costs.of(self.stock.usual);
        let is_put_by = self.ordinary.is_empty() && !self.bulk.is_empty() && self.put_by >= cost;
        if is_put_by && let Some(kind) = self.missing(true) {
            self.put_by -= cost;
            return Some(self.begin_refill(kind, true));
        }
        if let Some(job) = self.bulk.pop() {
            self.passed_by = 0;
            return Some(self.begin(job));
        }
        self.missing(false)
            .map(|kind| self.begin_refill(kind, false))
    }

    /// The next job of an ordinary request, unless it is the others' turn.
    fn next_ordinary(&mut self) -> Option<Job> {
        if self.bulk.is_empty() {
            self.passed_by = 0;
        } else if self.passed_by + 1 == BULK_SHARE {
            return None;
        } else if !self.ordinary.is_empty() {
            self.passed_by += 1;
        }
        self.ordinary.pop()
    }

    fn begin(&mut self, job: Job) -> Work {
        self.running += 1;
        Work::Job(job)
    }

    fn begin_refill(&mut self, kind: Kind, is_put_by: bool) -> Work {
        let cancel = CancelFlag::default();
        self.refilling.push((cancel.clone(), is_put_by));
        Work::Refill(Refill {
            effort: kind.effort,
            state: self.set_aside.pop(),
            cancel,
        })
    }

    /// A job has ended; how long it took, if it brought a result.
    pub(super) fn ended(&mut self, class: Class, kind: Kind, took: Option<Duration>) {
        self.running -= 1;
        match class {
            Class::Stream => self.streamed -= 1,
            _ => self.places -= 1,
        }
        let Some(took) = took else {
            return;
        };
        self.costs.measured(kind, took);
        if class != Class::Ordinary {
            let enough = self.costs.of(self.stock.usual).saturating_mul(2);
            self.put_by = (self.put_by + took / REFILL_SHARE).min(enough);
        }
    }

    /// A scramble for the buffer has ended. If it failed, another one is made only after the next
    /// request, so that a defect does not keep the workers busy.
    pub(super) fn refilled(&mut self, flag: &CancelFlag, refilled: Refilled) {
        self.refilling.retain(|(other, _)| other.id() != flag.id());
        match refilled {
            _ if self.closed => {}
            Refilled::Made(made, took) => {
                let effort = made.effort;
                let best = self.stock.best;
                self.costs.measured(Kind { effort, ..best }, took);
                self.ready.push_back(*made);
                if self.ready.len() > self.stock.count {
                    // It is in place of one of the usual kind. How hard that one's state was to solve
                    // plays no part in which one it is.
                    let lesser = self.ready.iter().position(|made| made.effort < best.effort);
                    let lesser =
                        lesser.expect("no more are begun of the best kind than there are to be");
                    self.ready.remove(lesser);
                }
            }
            Refilled::GaveWay(state) => self.set_aside.push(*state),
            Refilled::Failed => self.failed += 1,
        }
    }

    /// Workers end when the jobs that wait are done.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.ready.clear();
        for (cancel, _) in &self.refilling {
            cancel.cancel();
        }
    }
}

/// So many times as long.
fn times(duration: Duration, count: usize) -> Duration {
    duration.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
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
mod tests;
