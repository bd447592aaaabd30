//! Waiting jobs, running jobs, and the buffer of scrambles.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cube444::Effort;
use cube444::cube::Cube;
use cube444::scramble::{Engine, Recipe, Scramble};

use super::costs::{Costs, times};
use super::job::{
    CANCELLED, Class, Client, Job, JobKind, JobOptions, Refill, SET_SIZE, Task, TimedResult, Work,
};
use super::waiting_jobs::WaitingJobs;

/// Configuration of a pool. A job is in progress while it is waiting or running. The default is a pool without workers,
/// which cannot start.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoolConfig {
    /// Number of threads, at least 1.
    pub workers: usize,
    /// Maximum number of jobs in progress, not counting those of streams.
    pub queue: usize,
    /// Maximum number of jobs in progress per client, including those of streams.
    pub queue_per_client: usize,
    /// Size of the buffer in scrambles.
    pub buffer: usize,
    /// Effort level of scrambles that are made for the buffer while the pool is idle.
    pub idle_effort: Effort,
    /// Effort level of scrambles that are made for the buffer while streams or large requests wait, or before
    /// the buffer contains a set ([`SET_SIZE`] scrambles).
    pub busy_effort: Effort,
}

/// A request does not fit into the queue, or cannot be finished before its deadline. Each variant has the estimated time
/// until it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueFull {
    /// Because of the jobs of all clients.
    #[error("too many requests are waiting")]
    Pool(Duration),
    /// The client has the maximum number of jobs in progress.
    #[error("this client has the maximum number of scrambles and solutions in progress")]
    Client(Duration),
}

/// How busy a pool is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Jobs in progress (waiting or running), without those of streams.
    pub jobs: usize,
    /// Maximum of `jobs`.
    pub capacity: usize,
    /// Jobs of streams in progress.
    pub streamed: usize,
    /// Scrambles in the buffer.
    pub ready: usize,
    /// Size of the buffer in scrambles.
    pub buffer: usize,
}

/// One job in four is of a stream or a large request, if any wait.
const BULK_SHARE: usize = 4;
/// One twentieth of the time of streams and large requests is credited to refills.
const REFILL_SHARE: u32 = 20;

/// Scrambles that are ready, by effort level, the oldest of each level first. No operation depends on how many there
/// are, or on their states.
#[derive(Default)]
pub(super) struct Buffer(BTreeMap<Effort, VecDeque<Scramble>>);

impl Buffer {
    fn len(&self) -> usize {
        self.0.values().map(VecDeque::len).sum()
    }

    /// The number of scrambles with at least this effort level.
    fn count(&self, effort: Effort) -> usize {
        self.0.range(effort..).map(|(_, level)| level.len()).sum()
    }

    fn push(&mut self, scramble: Scramble) {
        let level = self.0.entry(scramble.effort).or_default();
        level.push_back(scramble);
    }

    /// Removes up to `max` scrambles with at least this effort level, those of lower levels first.
    pub(super) fn take(&mut self, effort: Effort, max: usize) -> Vec<Scramble> {
        let levels = self.0.range_mut(effort..);
        let mut taken = Vec::new();
        for (_, level) in levels {
            let count = level.len().min(max - taken.len());
            taken.extend(level.drain(..count));
        }
        taken
    }

    /// Removes the oldest scramble of the lowest level.
    fn remove_least(&mut self) {
        let level = self.0.values_mut().find(|level| !level.is_empty());
        level.and_then(VecDeque::pop_front);
    }
}

/// The jobs and the buffer.
#[derive(Default)]
pub(super) struct Queue {
    config: PoolConfig,
    /// Makes the scrambles for the buffer; `None` until there is one.
    engine: Option<Arc<dyn Engine>>,
    /// Waiting jobs of ordinary requests.
    ordinary: WaitingJobs,
    /// Waiting jobs of streams and large requests.
    bulk: WaitingJobs,
    /// Ordinary jobs begun since the last bulk job, while bulk jobs were waiting.
    ordinary_in_a_row: usize,
    /// Jobs in progress, without those of streams. A job counts until it ends, even if its client has gone,
    /// so that the total work is limited.
    in_progress: usize,
    /// Jobs of streams in progress.
    streamed: usize,
    /// All jobs in progress of each client.
    per_client: HashMap<Client, usize>,
    /// Running jobs.
    running: usize,
    pub(super) ready: Buffer,
    /// Refills that failed since the last request.
    pub(super) failed_refills: usize,
    running_refills: Vec<Refill>,
    /// States of interrupted refills.
    interrupted: Vec<Cube>,
    /// Time that refills may take while streams and large requests wait.
    refill_credit: Duration,
    costs: Costs,
    pub(super) closed: bool,
}

impl Queue {
    /// An empty queue with an empty buffer.
    pub(super) fn new(config: PoolConfig) -> Queue {
        Queue {
            config,
            ..Queue::default()
        }
    }

    /// Sets the engine for the buffer. What it contains stays, and failures of another engine do not count.
    pub(super) fn fill_buffer(&mut self, engine: Arc<dyn Engine>) {
        self.engine = Some(engine);
        self.failed_refills = 0;
    }

    pub(super) fn load(&self) -> Load {
        Load {
            jobs: self.in_progress,
            capacity: self.config.queue,
            streamed: self.streamed,
            ready: self.ready.len(),
            buffer: self.engine.as_ref().map_or(0, |_| self.config.buffer),
        }
    }

    /// Checks that `jobs` jobs of a new request fit into the queue and can be finished before the deadline.
    /// A request that cannot meet its deadline even on an idle pool is charged half its deadline, because its
    /// searches will be truncated.
    pub(super) fn check_room(&self, jobs: usize, options: &JobOptions) -> Result<(), QueueFull> {
        if !options.class.is_stream() && jobs > self.config.queue.saturating_sub(self.in_progress) {
            return Err(QueueFull::Pool(self.time()));
        }
        let Some(deadline) = options.limits.deadline else {
            return Ok(());
        };
        let wait = self.time_before(jobs, options);
        let available = deadline.saturating_duration_since(Instant::now());
        let needed = times(self.costs.estimate(options.kind()), jobs) / self.config.workers as u32;
        let max_wait = available - needed.min(available / 2);
        if wait > max_wait {
            return Err(QueueFull::Pool(wait - max_wait));
        }
        Ok(())
    }

    /// The estimated time of the running jobs.
    fn running_time(&self) -> Duration {
        times(self.costs.overall.unwrap_or_default(), self.running)
    }

    /// The estimated time of all jobs in progress.
    fn time(&self) -> Duration {
        let waiting = self.ordinary.time(&self.costs) + self.bulk.time(&self.costs);
        (self.running_time() + waiting) / self.config.workers as u32
    }

    /// Whether `jobs` jobs of a client fit if there are no others.
    pub(super) fn holds(&self, jobs: usize) -> bool {
        jobs <= self.config.queue.min(self.config.queue_per_client)
    }

    /// Checks that a client may have `jobs` more jobs.
    pub(super) fn check_client(&self, jobs: usize, client: Client) -> Result<(), QueueFull> {
        let in_progress = self.per_client.get(&client).copied().unwrap_or(0);
        let fits = jobs <= self.config.queue_per_client.saturating_sub(in_progress);
        let full = || QueueFull::Client(self.time());
        fits.then_some(()).ok_or_else(full)
    }

    /// The minimum time of `jobs` jobs if there are no others.
    pub(super) fn min_time(&self, jobs: usize, kind: JobKind) -> Duration {
        times(self.costs.min_estimate(kind), jobs) / self.config.workers as u32
    }

    /// The estimated time of the jobs that would come before the last of `jobs` jobs of a new request.
    fn time_before(&self, jobs: usize, options: &JobOptions) -> Duration {
        let client = options.client;
        let mut before = self.running_time();
        if options.class != Class::Ordinary {
            before += self.ordinary.time(&self.costs);
            before += self.bulk.time_before(jobs, client, &self.costs);
        } else {
            before += self.ordinary.time_before(jobs, client, &self.costs);
            if !self.bulk.is_empty() {
                // Bulk jobs get their share in between.
                before += before / (BULK_SHARE as u32 - 1);
            }
        }
        before / self.config.workers as u32
    }

    /// The number of jobs in progress of a class.
    fn count_of(&mut self, class: Class) -> &mut usize {
        match class.is_stream() {
            true => &mut self.streamed,
            false => &mut self.in_progress,
        }
    }

    /// Adds a job, for which there must be room.
    pub(super) fn push(&mut self, task: Task, options: &JobOptions) {
        *self.count_of(options.class) += 1;
        debug_assert!(
            self.in_progress <= self.config.queue,
            "`check_room` has not been asked"
        );
        *self.per_client.entry(options.client).or_default() += 1;
        let job = Job::new(task, options.clone());
        match options.class {
            Class::Ordinary => self.ordinary.push(job),
            _ => self.bulk.push(job),
        }
        // For each waiting job without an idle worker, interrupt a refill, the newest first.
        let waiting = self.ordinary.len() + self.bulk.len();
        let idle = self.config.workers - self.running - self.running_refills.len();
        let only_bulk = self.ordinary.is_empty();
        let refills = self.running_refills.iter().rev();
        let interruptible = refills.filter(|refill| !(only_bulk && refill.uses_credit));
        for refill in interruptible.take(waiting.saturating_sub(idle)) {
            refill.options.limits.cancel.cancel();
        }
    }

    /// The number of scrambles in the buffer that a request may have.
    pub(super) fn count_ready(&self, options: &JobOptions) -> usize {
        let engine = self.engine.as_ref();
        let is_of_buffer = engine.is_some_and(|engine| Arc::ptr_eq(engine, &options.engine));
        if is_of_buffer && !options.class.is_stream() && options.recipe == Recipe::Standard {
            self.ready.count(options.effort)
        } else {
            0
        }
    }

    /// The options of the next refill, if the buffer needs one. Until there is a set, and for refills with
    /// credit until the buffer is full, it has the level for a busy pool; later the level for an idle one.
    fn needed_refill(&self, uses_credit: bool) -> Option<JobOptions> {
        let engine = self.engine.clone().filter(|_| !self.closed)?;
        let (size, idle) = (self.config.buffer, self.config.idle_effort);
        let pending = self.running_refills.len() + self.failed_refills;
        let (len, idle_len) = (self.ready.len() + pending, self.ready.count(idle) + pending);
        let effort = match uses_credit {
            true if len < size => self.config.busy_effort,
            false if len < size.min(SET_SIZE) => self.config.busy_effort,
            false if idle_len < size => idle,
            _ => return None,
        };
        Some(JobOptions::new(engine, effort, Client::default()))
    }

    /// The next work for a worker, if any.
    pub(super) fn next(&mut self) -> Option<Work> {
        if let Some(job) = self.next_ordinary() {
            return Some(self.begin(job));
        }
        let only_bulk = self.ordinary.is_empty() && !self.bulk.is_empty();
        if only_bulk && let Some(options) = self.needed_refill(true) {
            let cost = self.costs.estimate(options.kind());
            if self.refill_credit >= cost {
                self.refill_credit -= cost;
                return Some(self.begin_refill(options, true));
            }
        }
        if let Some(job) = self.bulk.pop() {
            self.ordinary_in_a_row = 0;
            return Some(self.begin(job));
        }
        let options = self.needed_refill(false)?;
        Some(self.begin_refill(options, false))
    }

    /// The next ordinary job, unless it is the turn of a bulk job.
    fn next_ordinary(&mut self) -> Option<Job> {
        if self.bulk.is_empty() {
            self.ordinary_in_a_row = 0;
        } else if self.ordinary_in_a_row + 1 == BULK_SHARE {
            return None;
        } else if !self.ordinary.is_empty() {
            self.ordinary_in_a_row += 1;
        }
        self.ordinary.pop()
    }

    fn begin(&mut self, job: Job) -> Work {
        self.running += 1;
        Work::Job(job)
    }

    fn begin_refill(&mut self, options: JobOptions, uses_credit: bool) -> Work {
        let refill = Refill {
            options,
            state: self.interrupted.pop(),
            uses_credit,
        };
        self.running_refills.push(refill.clone());
        Work::Refill(refill)
    }

    /// Records the end of a job, and the time that it took if it was successful.
    pub(super) fn job_ended(&mut self, options: &JobOptions, took: Option<Duration>) {
        self.running -= 1;
        let in_progress = self.per_client.get_mut(&options.client);
        let in_progress = in_progress.expect("`push` has counted it");
        *in_progress -= 1;
        if *in_progress == 0 {
            self.per_client.remove(&options.client);
        }
        *self.count_of(options.class) -= 1;
        let Some(took) = took else {
            return;
        };
        self.costs.record(options.kind(), took);
        if options.class != Class::Ordinary
            && let Some(engine) = &self.engine
        {
            let refill = JobKind::of(engine, self.config.busy_effort, Recipe::Standard);
            let max_credit = self.costs.estimate(refill).saturating_mul(2);
            self.refill_credit = (self.refill_credit + took / REFILL_SHARE).min(max_credit);
        }
    }

    /// Records the end of a refill. The state of an interrupted one is used again. A failed one is not tried again
    /// before the next request, so that a defect does not keep the workers busy.
    pub(super) fn refill_ended(&mut self, ended: &Refill, (result, took): TimedResult<Scramble>) {
        self.running_refills
            .retain(|refill| refill.options.request != ended.options.request);
        match result {
            _ if self.closed => {}
            Ok(scramble) => {
                let kind = JobKind::of(&ended.options.engine, scramble.effort, Recipe::Standard);
                self.costs.record(kind, took);
                self.ready.push(scramble);
                if self.ready.len() > self.config.buffer {
                    self.ready.remove_least();
                }
            }
            Err(CANCELLED) => self.interrupted.extend(ended.state),
            Err(_) => self.failed_refills += 1,
        }
    }

    /// Closes the queue: workers end after the waiting jobs, and refills are interrupted.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.ready = Buffer::default();
        for refill in &self.running_refills {
            refill.options.limits.cancel.cancel();
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
