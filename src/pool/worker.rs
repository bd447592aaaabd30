//! A thread that does jobs, and survives what they do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use super::job::{Job, JobError, Made, ReplyTo, Task, TimedSolution};
use super::shared_queue::SharedQueue;
use super::work::{Refill, Refilled, Work};
use crate::cube::Cube;
use crate::scramble::{Generate, Recipe, ScrambleError, draw};
use crate::search::EffortLevel;
use crate::search::{Limits, SearchError};

/// A scramble has been made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Making {
    /// The method.
    pub method: &'static str,
    /// The level of effort that was to be made.
    pub effort: EffortLevel,
    /// Whether the deadline cut it short.
    pub hurried: bool,
    /// How long it took.
    pub took: Duration,
    /// Its length in outer block turns.
    pub moves: usize,
}

/// Is told what the workers do. It is called on their threads, and must neither block nor panic.
pub trait Observe: Send + Sync + 'static {
    /// A scramble has been made.
    fn made(&self, making: Making);
    /// A worker has panicked, and goes on.
    fn panicked(&self);
    /// A job was given up because nobody waits for it any more.
    fn cancelled(&self);
}

/// Observes nothing.
impl Observe for () {
    fn made(&self, _: Making) {}
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
}

/// What work brought, and how long it took.
type Outcome<T> = Result<(T, Duration), JobError>;

impl Worker {
    /// Works until the queue is closed.
    pub(super) fn work(mut self) {
        while let Some(work) = self.queue.next() {
            match work {
                Work::Job(job) => self.run(job),
                Work::Refill(refill) => self.refill(refill),
            }
        }
    }

    fn run(&mut self, job: Job) {
        let (client, class, kind) = (job.requester.client, job.class, job.kind());
        let end = |queue: &SharedQueue, took| queue.lock().ended(client, class, kind, took);
        if job.limits.cancel.is_cancelled() {
            self.observer.cancelled();
            end(&self.queue, None);
            return;
        }
        match job.task {
            // Its place is given back before its client is told, who may ask again.
            Task::Scramble(recipe, reply_to) => {
                let state = recipe.draw(&mut self.rng);
                let made = self.make(recipe, &job.generator, &state, job.effort, &job.limits);
                self.notice(&made);
                end(&self.queue, took(&made));
                tell(reply_to, made.map(|(made, _)| made));
            }
            Task::Solve(state, reply_to) => {
                let solve = || job.generator.solve(&state, job.effort, &job.limits);
                let solved = self.attempt(solve);
                self.notice(&solved);
                end(&self.queue, took(&solved));
                tell(
                    reply_to,
                    solved.map(|(solved, took)| TimedSolution { solved, took }),
                );
            }
        }
    }

    /// Tells the observer of a job that was called off.
    fn notice<T>(&self, outcome: &Outcome<T>) {
        if outcome.as_ref().err() == Some(&CANCELLED) {
            self.observer.cancelled();
        }
    }

    fn refill(&mut self, refill: Refill) {
        let Refill {
            number,
            effort,
            state,
            cancel,
        } = refill;
        let state = state.unwrap_or_else(|| draw(&mut self.rng));
        let limits = Limits {
            deadline: None,
            cancel,
        };
        let generator = Arc::clone(&self.generator);
        let refilled = match self.make(Recipe::Usual, &generator, &state, effort, &limits) {
            Ok((made, took)) => Refilled::Made(Box::new(made), took),
            Err(CANCELLED) => Refilled::GaveWay(Box::new(state)),
            Err(error) => {
                tracing::error!(%error, "a scramble for the buffer failed");
                Refilled::Failed
            }
        };
        self.queue.lock().refilled(number, refilled);
    }

    fn make(
        &mut self,
        recipe: Recipe,
        generator: &Arc<dyn Generate>,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Outcome<Made> {
        let mut rng = self.rng.fork();
        let make = || recipe.scramble_to(&**generator, state, &mut rng, effort, limits);
        let (scramble, took) = self.attempt(make)?;
        self.observer.made(Making {
            method: generator.method(),
            effort,
            hurried: scramble.hurried,
            took,
            moves: scramble.moves(),
        });
        Ok((Made::new(scramble, effort, &mut self.rng), took))
    }

    /// Does work that may panic.
    fn attempt<T>(&self, work: impl FnOnce() -> Result<T, ScrambleError>) -> Outcome<T> {
        let started = Instant::now();
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Ok((result?, started.elapsed())),
            Err(_) => {
                self.observer.panicked();
                Err(JobError::Failed)
            }
        }
    }
}

/// What a job that was called off brings.
const CANCELLED: JobError = JobError::Scramble(ScrambleError::Search(SearchError::Cancelled));

/// How long successful work took.
fn took<T>(outcome: &Outcome<T>) -> Option<Duration> {
    outcome.as_ref().ok().map(|(_, took)| *took)
}

fn tell<T>(reply_to: ReplyTo<T>, result: Result<T, JobError>) {
    // A client may have left; nothing is lost then.
    let _ = reply_to.send(result);
}
