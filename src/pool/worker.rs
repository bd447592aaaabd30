//! A thread that does jobs, and survives what they do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha20Rng;

use super::job::{Job, JobError, Made, ReplyTo, Task, TimedSolution};
use super::queue::{SharedQueue, Work};
use crate::scramble::{Generate, Orientation, ScrambleError};
use crate::search::{Limits, SearchError};
use crate::stage::EffortLevel;

/// Is told what the workers do. It is called on their threads, and must neither block nor panic.
pub trait Observe: Send + Sync + 'static {
    /// A scramble of so many moves has been made in so many seconds.
    fn made(&self, seconds: f64, moves: usize);
    /// A worker has panicked, and goes on.
    fn panicked(&self);
    /// A job was given up because nobody waits for it any more.
    fn cancelled(&self);
}

/// Observes nothing.
impl Observe for () {
    fn made(&self, _: f64, _: usize) {}
    fn panicked(&self) {}
    fn cancelled(&self) {}
}

/// What a worker thread works with.
pub(super) struct Worker {
    pub(super) queue: Arc<SharedQueue>,
    /// What makes scrambles for the buffer.
    pub(super) generator: Arc<dyn Generate>,
    pub(super) observer: Arc<dyn Observe>,
    pub(super) rng: ChaCha20Rng,
    /// The effort of scrambles for the buffer.
    pub(super) buffer_effort: EffortLevel,
    /// Their limits.
    pub(super) buffer_limits: Limits,
}

/// What work brought, and how long it took.
type Outcome<T> = Result<(T, Duration), JobError>;

impl Worker {
    /// Works until the queue is closed.
    pub(super) fn work(mut self) {
        while let Some(work) = self.queue.next() {
            match work {
                Work::Job(job) => self.run(job),
                Work::Refill => self.refill(),
            }
        }
    }

    fn run(&mut self, job: Job) {
        if job.limits.cancel.is_cancelled() {
            self.observer.cancelled();
            self.queue.lock().ended(None);
            return;
        }
        match job.task {
            Task::Scramble(reply_to) => {
                let made = self.make(&job.generator, job.effort, &job.limits);
                self.end(made, reply_to, |made, _| made);
            }
            Task::Solve(state, reply_to) => {
                let Job {
                    effort,
                    generator,
                    limits,
                    ..
                } = job;
                let solved = self.attempt(|_| generator.solve(&state, effort, &limits));
                self.end(solved, reply_to, |solved, took| TimedSolution {
                    solved,
                    took,
                });
            }
        }
    }

    /// Gives back the job's place in the queue, and then tells its client, who may ask again.
    fn end<T, R>(
        &self,
        outcome: Outcome<T>,
        reply_to: ReplyTo<R>,
        result: impl FnOnce(T, Duration) -> R,
    ) {
        let took = outcome.as_ref().ok().map(|(_, took)| *took);
        self.queue.lock().ended(took);
        // A client may have left; nothing is lost then.
        let _ = reply_to.send(outcome.map(|(value, took)| result(value, took)));
    }

    fn refill(&mut self) {
        let limits = self.buffer_limits.clone();
        let generator = Arc::clone(&self.generator);
        let made = self.make(&generator, self.buffer_effort, &limits);
        if let Err(error) = &made
            && !limits.cancel.is_cancelled()
        {
            tracing::error!(%error, "a scramble for the buffer failed");
        }
        self.queue.lock().refilled(made.ok());
    }

    fn make(
        &mut self,
        generator: &Arc<dyn Generate>,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Outcome<Made> {
        let (made, took) = self.attempt(|rng| {
            Ok(Made {
                scramble: generator.generate(rng, effort, limits)?,
                orientation: Orientation::random(rng),
            })
        })?;
        self.observer
            .made(took.as_secs_f64(), made.scramble.moves());
        Ok((made, took))
    }

    /// Does work that may panic.
    fn attempt<T>(
        &mut self,
        work: impl FnOnce(&mut ChaCha20Rng) -> Result<T, ScrambleError>,
    ) -> Outcome<T> {
        let started = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| work(&mut self.rng))) {
            Ok(Ok(value)) => Ok((value, started.elapsed())),
            Ok(Err(error)) => {
                if error == ScrambleError::Search(SearchError::Cancelled) {
                    self.observer.cancelled();
                }
                Err(error.into())
            }
            Err(_) => {
                self.observer.panicked();
                Err(JobError::Failed)
            }
        }
    }
}
