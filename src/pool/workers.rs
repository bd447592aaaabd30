//! The threads, their queue and the buffer.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select_biased, unbounded};
use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::Observe;
use crate::cube::Cube;
use crate::scramble::{Generate, Orientation, Scramble, ScrambleError, Solved};
use crate::search::{EffortLevel, Limits, SearchError};

/// The pool cannot start.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// Without a seed from the operating system, scrambles could be guessed.
    #[error("the operating system gives no random numbers: {0}")]
    Seed(String),
    /// A thread cannot be started.
    #[error("cannot start a worker thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// There is no room in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queue is full")]
pub struct QueueFull {
    /// By then what is queued now should be done.
    pub retry_after: Duration,
}

/// A job that brought no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The engine reports an error.
    #[error(transparent)]
    Scramble(#[from] ScrambleError),
    /// The worker panicked, or is gone.
    #[error("a worker failed")]
    Failed,
}

/// A scramble, and an orientation drawn for it, in case it is for the blindfolded event.
#[derive(Clone)]
pub struct Made {
    /// The scramble, white on top and green in front.
    pub scramble: Scramble,
    /// Drawn uniformly.
    pub orientation: Orientation,
}

/// What comes of a job.
pub type Reply<T> = oneshot::Receiver<Result<T, JobError>>;

type ReplyTo<T> = oneshot::Sender<Result<T, JobError>>;

/// What is to be done, and whom to tell.
enum Task {
    Scramble(ReplyTo<Made>),
    Solve(Box<Cube>, ReplyTo<Solved>),
}

struct Job {
    task: Task,
    effort: EffortLevel,
    limits: Limits,
    /// The job's place in the queue, given back when its work has ended, not when the client leaves.
    _slot: OwnedSemaphorePermit,
}

/// How a pool works.
#[derive(Clone, Copy, Debug)]
pub struct PoolConfig {
    /// Threads.
    pub workers: usize,
    /// At most so many jobs may be waiting or being done at a time.
    pub queue: usize,
    /// So many scrambles are kept ready.
    pub buffer: usize,
    /// The effort of those.
    pub effort: EffortLevel,
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

/// What the pool and its threads share.
struct Shared {
    config: PoolConfig,
    generator: Arc<dyn Generate>,
    observer: Arc<dyn Observe>,
    slots: Arc<Semaphore>,
    ready: Mutex<VecDeque<Made>>,
    /// Scrambles that are on their way into `ready`.
    refilling: AtomicUsize,
    /// A running mean of the nanoseconds that a job takes.
    mean_nanos: AtomicU64,
}

/// Worker threads with a bounded queue, and a buffer of scrambles that they refill when the queue is
/// empty. Jobs that are queued when the pool is dropped are finished; the buffer is cleared.
pub struct Pool {
    shared: Arc<Shared>,
    jobs: Sender<Job>,
    refills: Sender<()>,
}

impl Pool {
    /// Starts worker threads, each with its own ChaCha20 generator seeded from the operating system.
    ///
    /// # Errors
    ///
    /// If a seed or a thread is not to be had.
    pub fn start(
        generator: Arc<dyn Generate>,
        observer: Arc<dyn Observe>,
        config: PoolConfig,
    ) -> Result<Pool, PoolError> {
        let (jobs, queued) = unbounded();
        let (refills, wanted) = unbounded();
        let shared = Arc::new(Shared {
            config,
            generator,
            observer,
            slots: Arc::new(Semaphore::new(config.queue)),
            ready: Mutex::default(),
            refilling: AtomicUsize::new(0),
            mean_nanos: AtomicU64::new(0),
        });
        for number in 0..config.workers {
            let rng = ChaCha20Rng::try_from_rng(&mut SysRng)
                .map_err(|error| PoolError::Seed(error.to_string()))?;
            let mut worker = Worker {
                shared: Arc::clone(&shared),
                rng,
            };
            let (queued, wanted) = (queued.clone(), wanted.clone());
            thread::Builder::new()
                .name(format!("solver-{number}"))
                .spawn(move || worker.work(&queued, &wanted))?;
        }
        let pool = Pool {
            shared,
            jobs,
            refills,
        };
        pool.top_up(&pool.shared.ready());
        Ok(pool)
    }

    /// The profile of the tables in use.
    #[must_use]
    pub fn tables(&self) -> &'static str {
        self.shared.generator.tables()
    }

    /// How busy the pool is.
    #[must_use]
    pub fn load(&self) -> Load {
        Load {
            jobs: self.busy(),
            capacity: self.shared.config.queue,
            ready: self.shared.ready().len(),
            buffer: self.shared.config.buffer,
        }
    }

    /// Gets `count` scrambles of a level of effort, first those that are ready; or none of them if
    /// there is no room in the queue for the rest.
    ///
    /// # Errors
    ///
    /// If there is no room.
    pub fn scrambles(
        &self,
        count: u32,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Vec<Reply<Made>>, QueueFull> {
        let mut ready = self.shared.ready();
        let held = if effort == self.shared.config.effort {
            ready.len().min(count as usize)
        } else {
            0
        };
        let mut slots = self.slots(count - held as u32)?;
        let taken: Vec<Made> = ready.drain(..held).collect();
        self.top_up(&ready);
        drop(ready);
        let mut replies = Vec::with_capacity(count as usize);
        for made in taken {
            let (reply_to, reply) = oneshot::channel();
            let _ = reply_to.send(Ok(made));
            replies.push(reply);
        }
        while let Some(slot) = slots.split(1) {
            let (reply_to, reply) = oneshot::channel();
            self.queue(Task::Scramble(reply_to), effort, limits, slot);
            replies.push(reply);
        }
        Ok(replies)
    }

    /// Queues the solving of a state.
    ///
    /// # Errors
    ///
    /// If there is no room in the queue.
    pub fn solve(
        &self,
        state: Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Reply<Solved>, QueueFull> {
        let slot = self.slots(1)?;
        let (reply_to, reply) = oneshot::channel();
        self.queue(Task::Solve(Box::new(state), reply_to), effort, limits, slot);
        Ok(reply)
    }

    fn queue(&self, task: Task, effort: EffortLevel, limits: &Limits, slot: OwnedSemaphorePermit) {
        // Sending fails only when all workers are gone; then the receiver says so.
        let _ = self.jobs.send(Job {
            task,
            effort,
            limits: limits.clone(),
            _slot: slot,
        });
    }

    /// Places in the queue.
    fn slots(&self, count: u32) -> Result<OwnedSemaphorePermit, QueueFull> {
        let slots = Arc::clone(&self.shared.slots);
        slots.try_acquire_many_owned(count).map_err(|_| {
            let nanos = self.shared.mean_nanos.load(Ordering::Relaxed);
            let rounds = self.busy().div_ceil(self.shared.config.workers.max(1));
            QueueFull {
                retry_after: Duration::from_nanos(nanos.saturating_mul(rounds as u64)),
            }
        })
    }

    /// Jobs that are waiting or being done.
    fn busy(&self) -> usize {
        let free = self.shared.slots.available_permits();
        self.shared.config.queue.saturating_sub(free)
    }

    /// Has the buffer refilled, as far as that is not under way.
    fn top_up(&self, ready: &VecDeque<Made>) {
        let coming = self.shared.refilling.load(Ordering::Relaxed);
        let missing = self
            .shared
            .config
            .buffer
            .saturating_sub(ready.len() + coming);
        self.shared.refilling.fetch_add(missing, Ordering::Relaxed);
        for _ in 0..missing {
            let _ = self.refills.send(());
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.ready().clear();
    }
}

impl Shared {
    fn ready(&self) -> MutexGuard<'_, VecDeque<Made>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the time of a job into the mean, in which the last eight or so count.
    fn took(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let mean = self.mean_nanos.load(Ordering::Relaxed);
        let next = if mean == 0 {
            nanos
        } else {
            mean - mean / 8 + nanos / 8
        };
        self.mean_nanos.store(next, Ordering::Relaxed);
    }
}

struct Worker {
    shared: Arc<Shared>,
    rng: ChaCha20Rng,
}

impl Worker {
    fn work(&mut self, queued: &Receiver<Job>, wanted: &Receiver<()>) {
        loop {
            // Jobs go before the buffer.
            select_biased! {
                recv(queued) -> job => match job {
                    Ok(job) => self.done(job),
                    Err(_) => return,
                },
                recv(wanted) -> refill => if refill.is_ok() {
                    self.refill();
                },
            }
        }
    }

    fn done(&mut self, job: Job) {
        let Job {
            task,
            effort,
            limits,
            _slot,
        } = job;
        if limits.cancel.is_cancelled() {
            self.shared.observer.cancelled();
            return;
        }
        // A client may have left; nothing is lost then.
        match task {
            Task::Scramble(reply_to) => {
                let _ = reply_to.send(self.make(effort, &limits));
            }
            Task::Solve(state, reply_to) => {
                let generator = Arc::clone(&self.shared.generator);
                let solved = self.contained(|_| generator.solve(&state, effort, &limits));
                let _ = reply_to.send(solved);
            }
        }
    }

    fn refill(&mut self) {
        let made = self.make(self.shared.config.effort, &Limits::default());
        // If it failed, the next request has the buffer refilled again.
        let failed = made.as_ref().err().cloned();
        {
            let mut ready = self.shared.ready();
            self.shared.refilling.fetch_sub(1, Ordering::Relaxed);
            ready.extend(made);
        }
        if let Some(error) = failed {
            tracing::error!(%error, "a scramble for the buffer failed");
        }
    }

    fn make(&mut self, effort: EffortLevel, limits: &Limits) -> Result<Made, JobError> {
        let generator = Arc::clone(&self.shared.generator);
        let started = Instant::now();
        let made = self.contained(|rng| {
            Ok(Made {
                scramble: generator.generate(rng, effort, limits)?,
                orientation: Orientation::random(rng),
            })
        })?;
        let seconds = started.elapsed().as_secs_f64();
        self.shared.observer.made(seconds, made.scramble.moves());
        Ok(made)
    }

    /// Does work that may panic.
    fn contained<T>(
        &mut self,
        work: impl FnOnce(&mut ChaCha20Rng) -> Result<T, ScrambleError>,
    ) -> Result<T, JobError> {
        let started = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| work(&mut self.rng)));
        let result = result.map_err(|_| {
            self.shared.observer.panicked();
            JobError::Failed
        })?;
        match result {
            Ok(_) => self.shared.took(started.elapsed()),
            Err(ScrambleError::Search(SearchError::Cancelled)) => self.shared.observer.cancelled(),
            Err(_) => {}
        }
        result.map_err(JobError::from)
    }
}
