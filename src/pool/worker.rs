//! Worker threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cube444::Effort;
use cube444::cube::Cube;
use cube444::scramble::Scramble;
use rand::SeedableRng;
use rand::rngs::{SysError, SysRng};
use rand_chacha::ChaCha20Rng;

use super::job::{CANCELLED, Job, JobError, JobOptions, Refill, Task, TimedResult, Work};
use super::shared_queue::SharedQueue;

/// Observes the workers. The methods are called on their threads, and must not block.
pub trait Observer: Send + Sync + 'static {
    /// A scramble has been made with the method and the effort level of a request. It is secret.
    fn scramble_made(&self, _method: &str, _: Effort, _: &Scramble, _took: Duration) {}
    /// A job has panicked. The worker goes on.
    fn job_panicked(&self) {}
    /// A job was cancelled because its client has gone.
    fn job_cancelled(&self) {}
}

/// Ignores everything.
impl Observer for () {}

/// A generator for one state, seeded by the operating system. A generator that outlived a state could be copied with the
/// memory of the process (a fork, a checkpoint, a snapshot of a virtual machine), and each copy would draw the same states.
pub(crate) fn fresh_rng() -> Result<ChaCha20Rng, SysError> {
    ChaCha20Rng::try_from_rng(&mut SysRng)
}

/// The state of a worker thread. A copy draws other states, see [`fresh_rng`].
#[cfg_attr(test, derive(Clone))]
pub(super) struct Worker {
    pub(super) queue: Arc<SharedQueue>,
    pub(super) observer: Arc<dyn Observer>,
}

impl Worker {
    /// Works until the queue is closed.
    pub(super) fn run(self) {
        while let Some(work) = self.queue.next() {
            match work {
                Work::Job(job) => self.run_job(job),
                Work::Refill(refill) => self.refill(refill),
            }
        }
    }

    fn run_job(&self, job: Job) {
        let options = &job.options;
        if options.limits.cancel.is_cancelled() {
            return self.end::<()>(options, &Err(CANCELLED), Duration::ZERO);
        }
        match job.task {
            Task::Scramble(sender) => {
                let (scramble, took) = self.generate(options, &mut None);
                self.end(options, &scramble, took);
                // Sending fails if the client has gone, which is not an error.
                let _ = sender.send(scramble);
            }
            Task::Solve(state, sender) => {
                let (engine, limits) = (&options.engine, &options.limits);
                let solve = |_| Ok(engine.find_solution(&state, options.effort, limits)?);
                let (solution, took) = self.attempt(solve);
                self.end(options, &solution, took);
                let _ = sender.send(solution.map(|solution| (solution, took)));
            }
        }
    }

    /// Ends a job. This comes before its result is sent, so that a client that has it finds the room free.
    fn end<T>(&self, options: &JobOptions, result: &Result<T, JobError>, took: Duration) {
        if result.as_ref().err() == Some(&CANCELLED) {
            self.observer.job_cancelled();
        }
        let took = result.is_ok().then_some(took);
        self.queue.lock().job_ended(options, took);
    }

    fn refill(&self, mut refill: Refill) {
        let outcome = self.generate(&refill.options, &mut refill.state);
        if let (Err(error), _) = &outcome
            && *error != CANCELLED
        {
            tracing::error!(%error, "a scramble for the buffer failed");
        }
        self.queue.lock().refill_ended(&refill, outcome);
    }

    /// Makes a scramble to `state`, which is drawn if there is none.
    fn generate(&self, options: &JobOptions, state: &mut Option<Cube>) -> TimedResult<Scramble> {
        let (engine, recipe, effort) = (&*options.engine, options.recipe, options.effort);
        let find =
            |state: &Cube, exactly| engine.find_scramble(state, exactly, effort, &options.limits);
        self.attempt(|began| {
            let mut rng = fresh_rng()?;
            let state = state.get_or_insert_with(|| recipe.draw(&mut rng));
            let scramble = recipe.scramble_to(state, &mut rng, find)?;
            let (method, took) = (engine.method(), began.elapsed());
            self.observer.scramble_made(method, effort, &scramble, took);
            Ok(scramble)
        })
    }

    /// Does all the work of a job, which gets the time at which it begins. If it panics, the job fails.
    fn attempt<T>(&self, work: impl FnOnce(Instant) -> Result<T, JobError>) -> TimedResult<T> {
        let began = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| work(began))).unwrap_or_else(|_| {
            self.observer.job_panicked();
            Err(JobError::Failed)
        });
        (result, began.elapsed())
    }
}

// Loom's queue works in its models only.
#[cfg(not(feature = "explore"))]
#[cfg(test)]
mod tests {
    use std::io::{self, Seek};

    use cube444::scramble::{DistinctStates, ScrambleError};
    use cube444::search::SearchError;

    use super::*;
    use crate::pool::Client;
    use crate::pool::queue::tests::{Failing, queue};

    #[test]
    fn copies_of_a_worker_draw_other_states() {
        let engine = Failing::with(ScrambleError::Replay);
        let options = JobOptions::new(Arc::clone(&engine) as _, Effort::MIN, Client::default());
        let worker = Worker {
            queue: Arc::new(SharedQueue::new(queue(10, 1, 1))),
            observer: Arc::new(()),
        };
        for worker in [worker.clone(), worker] {
            for _ in 0..2 {
                assert!(worker.generate(&options, &mut None).0.is_err());
            }
        }
        let mut distinct = DistinctStates::default();
        let states = engine.states.lock().unwrap();
        let new = states.iter().filter(|&state| distinct.insert(state));
        assert_eq!(new.count(), 4);
    }

    #[test]
    fn a_refill_that_fails_is_logged_and_an_interrupted_one_is_not() {
        let cancelled = ScrambleError::Search(SearchError::Cancelled);
        for (error, is_logged) in [(ScrambleError::Replay, true), (cancelled, false)] {
            let mut buffer = queue(10, 1, 1);
            buffer.fill_buffer(Failing::with(error));
            let worker = Worker {
                queue: Arc::new(SharedQueue::new(buffer)),
                observer: Arc::new(()),
            };
            let mut log = tempfile::tempfile().unwrap();
            let subscriber = tracing_subscriber::fmt().with_writer(log.try_clone().unwrap());
            tracing::subscriber::with_default(subscriber.finish(), || {
                let Some(Work::Refill(refill)) = worker.queue.next() else {
                    panic!("expected a refill");
                };
                worker.refill(refill);
            });
            log.rewind().unwrap();
            let log = io::read_to_string(log).unwrap();
            let message = "a scramble for the buffer failed";
            assert_eq!(log.contains(message), is_logged, "{log}");
        }
    }
}
