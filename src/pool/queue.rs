//! What there is to do, what is being done and what has been made ahead.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::client::Client;
use super::costs::{Costs, Kind, times};
use super::job::{Class, Job, Made, SET};
use super::line::Line;
use super::work::{Refill, Refilled, Stock, Work};
use crate::cube::Cube;
use crate::search::EffortLevel;
use crate::search::{CancelFlag, Limits};

/// There is no room in the queue, or no hope that it is done in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueFull {
    /// Because of what all clients have asked for.
    #[error("the queue is full")]
    OfAll {
        /// By then there should be room.
        retry_after: Duration,
    },
    /// The client has as many jobs under way as it may have.
    #[error("the client has too many jobs under way")]
    OfClient {
        /// By then there should be room.
        retry_after: Duration,
    },
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

/// A scramble for the buffer that is being made.
struct Refilling {
    number: u64,
    /// Whether its time was put by.
    is_put_by: bool,
    /// Tells that it must give way.
    cancel: CancelFlag,
}

/// Of so many jobs that are begun, one is of a stream or a large request, if any wait.
const BULK_SHARE: usize = 4;
/// Of the time for streams and large requests, this part is used to refill the buffer.
const REFILL_SHARE: u32 = 20;

/// The jobs and the buffer.
pub(super) struct Queue {
    capacity: usize,
    /// The most jobs of a client, those of streams included.
    capacity_of_client: usize,
    stock: Stock,
    workers: usize,
    /// Jobs of ordinary requests that wait.
    ordinary: Line,
    /// Jobs of streams and large requests that wait.
    bulk: Line,
    /// How many ordinary jobs have been begun since one of those, while some waited.
    passed_by: usize,
    /// How many jobs wait or have been begun and not ended. They keep their places, even if their
    /// clients have left, so that there is never more work under way than is allowed.
    places: usize,
    /// The same of streams.
    streamed: usize,
    /// How many jobs of each client wait or have been begun and not ended.
    of_clients: HashMap<Client, usize>,
    /// How many jobs of all sorts have been begun and not ended.
    running: usize,
    /// Scrambles made ahead.
    ready: VecDeque<Made>,
    /// How many could not be made since the last request.
    failed: usize,
    /// Those that have been begun and not ended.
    refilling: Vec<Refilling>,
    /// The number of the next one.
    next_refill: u64,
    /// States whose scrambles gave way.
    set_aside: Vec<Cube>,
    /// The time that has been put by for the buffer.
    put_by: Duration,
    costs: Costs,
    closed: bool,
}

impl Queue {
    /// A queue for `capacity` jobs, of which a client may have so many, and a buffer, which is empty.
    pub(super) fn new(
        capacity: usize,
        capacity_of_client: usize,
        stock: Stock,
        workers: usize,
    ) -> Queue {
        Queue {
            capacity,
            capacity_of_client,
            stock,
            workers,
            ordinary: Line::default(),
            bulk: Line::default(),
            passed_by: 0,
            places: 0,
            streamed: 0,
            of_clients: HashMap::new(),
            running: 0,
            ready: VecDeque::new(),
            failed: 0,
            refilling: Vec::new(),
            next_refill: 0,
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

    /// Whether so many jobs of a client's request may be pushed: whether there are places, and whether the
    /// jobs that go before leave time for them. A request that would take too long even if it were alone
    /// gets half of its time; it will be hurried.
    pub(super) fn check_room(
        &self,
        jobs: usize,
        class: Class,
        kind: Kind,
        client: Client,
        limits: &Limits,
    ) -> Result<(), QueueFull> {
        if class != Class::Stream && jobs > self.capacity - self.places {
            let retry_after = self.time();
            return Err(QueueFull::OfAll { retry_after });
        }
        let Some(deadline) = limits.deadline else {
            return Ok(());
        };
        let ahead = self.ahead(jobs, class, client);
        let time = deadline.saturating_duration_since(Instant::now());
        let own = times(self.costs.of(kind), jobs) / self.workers as u32;
        let begins = time - own.min(time / 2);
        if !ahead.is_zero() && ahead > begins {
            let retry_after = ahead - begins;
            return Err(QueueFull::OfAll { retry_after });
        }
        Ok(())
    }

    /// How long it should take to do what waits or is being done.
    fn time(&self) -> Duration {
        let running = times(self.costs.any(), self.running);
        let waiting = self.ordinary.time(&self.costs) + self.bulk.time(&self.costs);
        (running + waiting) / self.workers as u32
    }

    /// Whether a client may have so many more jobs.
    pub(super) fn check_client(&self, jobs: usize, client: Client) -> Result<(), QueueFull> {
        let under_way = self.of_clients.get(&client).copied().unwrap_or(0);
        if jobs <= self.capacity_of_client.saturating_sub(under_way) {
            return Ok(());
        }
        let retry_after = self.time();
        Err(QueueFull::OfClient { retry_after })
    }

    /// How long so many jobs of a kind take at best.
    pub(super) fn time_at_best(&self, jobs: usize, kind: Kind) -> Duration {
        times(self.costs.at_best(kind), jobs) / self.workers as u32
    }

    /// How long it should take to do what goes before so many jobs of a client's new request.
    fn ahead(&self, jobs: usize, class: Class, client: Client) -> Duration {
        let running = times(self.costs.any(), self.running);
        let ahead = if class == Class::Ordinary {
            let ahead = running + self.ordinary.time_before(jobs, client, &self.costs);
            // In between, those that are not ordinary get their share.
            match self.bulk.is_empty() {
                true => ahead,
                false => ahead + ahead / (BULK_SHARE as u32 - 1),
            }
        } else {
            let ordinary = self.ordinary.time(&self.costs);
            running + ordinary + self.bulk.time_before(jobs, client, &self.costs)
        };
        ahead / self.workers as u32
    }

    /// Adds a job, for which there must be room.
    pub(super) fn push(&mut self, job: Job) {
        match job.class {
            Class::Stream => self.streamed += 1,
            _ => self.places += 1,
        }
        *self.of_clients.entry(job.requester.client).or_default() += 1;
        match job.class {
            Class::Ordinary => self.ordinary.push(job),
            _ => self.bulk.push(job),
        }
        // The buffer gives way, if no worker is idle: what was begun last first.
        let waiting = self.ordinary.len() + self.bulk.len();
        let idle = self.workers - self.running - self.refilling.len();
        let may_stay = self.ordinary.is_empty();
        let refills = self.refilling.iter().rev();
        let giving_way = refills.filter(|refill| !(may_stay && refill.is_put_by));
        for refill in giving_way.take(waiting.saturating_sub(idle)) {
            refill.cancel.cancel();
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
    pub(super) fn next(&mut self) -> Option<Work> {
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
        let (cancel, number) = (CancelFlag::default(), self.next_refill);
        self.next_refill += 1;
        self.refilling.push(Refilling {
            number,
            is_put_by,
            cancel: cancel.clone(),
        });
        Work::Refill(Refill {
            number,
            effort: kind.effort,
            state: self.set_aside.pop(),
            cancel,
        })
    }

    /// A client's job has ended; how long it took, if it brought a result.
    pub(super) fn ended(
        &mut self,
        client: Client,
        class: Class,
        kind: Kind,
        took: Option<Duration>,
    ) {
        self.running -= 1;
        let under_way = self.of_clients.get_mut(&client);
        let under_way = under_way.expect("it was counted");
        *under_way -= 1;
        if *under_way == 0 {
            self.of_clients.remove(&client);
        }
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
    pub(super) fn refilled(&mut self, number: u64, refilled: Refilled) {
        self.refilling.retain(|refill| refill.number != number);
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

    /// Whether no more is to come.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Workers end when the jobs that wait are done.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.ready.clear();
        for refill in &self.refilling {
            refill.cancel.cancel();
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
