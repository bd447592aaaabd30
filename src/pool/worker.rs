//! Worker threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cube444::cube::Cube;
use cube444::scramble::{Orientation, Scramble, ScrambleError, random_state};
use cube444::search::Effort;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use super::job::{
    CANCELLED, Class, GeneratedScramble, Job, JobError, JobOptions, Outcome, Refill, Task, Work,
};
use super::shared_queue::SharedQueue;

/// Observes the workers. The methods are called on their threads, and must neither block nor panic.
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

/// The state of a worker thread.
pub(super) struct Worker {
    pub(super) queue: Arc<SharedQueue>,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) rng: ChaCha20Rng,
}

impl Worker {
    /// Works until the queue is closed.
    pub(super) fn run(mut self) {
        while let Some(work) = self.queue.next() {
            match work {
                Work::Job(job) => self.run_job(job),
                Work::Refill(refill) => self.refill(refill),
            }
        }
    }

    fn run_job(&mut self, job: Job) {
        let (options, class) = (&job.options, job.class);
        if options.limits.cancel.is_cancelled() {
            return self.end::<()>(options, class, &Err(CANCELLED));
        }
        match job.task {
            Task::Scramble(sender) => {
                let state = options.recipe.draw(&mut self.rng);
                let outcome = self.generate(options, &state);
                self.end(options, class, &outcome);
                // Sending fails if the client has gone, which is not an error.
                let _ = sender.send(outcome.map(|(scramble, _)| scramble));
            }
            Task::Solve(state, sender) => {
                let (engine, limits) = (&options.engine, &options.limits);
                let solve = || engine.find_solution(&state, options.effort, limits);
                let outcome = self.attempt(solve);
                self.end(options, class, &outcome);
                let _ = sender.send(outcome);
            }
        }
    }

    /// Ends a job. This comes before its result is sent, so that a client that has it finds the room free.
    fn end<T>(&self, options: &JobOptions, class: Class, outcome: &Outcome<T>) {
        if outcome.as_ref().err() == Some(&CANCELLED) {
            self.observer.job_cancelled();
        }
        let took = outcome.as_ref().ok().map(|(_, took)| *took);
        self.queue.lock().job_ended(options, class, took);
    }

    fn refill(&mut self, mut refill: Refill) {
        let state = refill
            .state
            .get_or_insert_with(|| random_state(&mut self.rng));
        let outcome = self.generate(&refill.options, state);
        if let Err(error) = &outcome
            && *error != CANCELLED
        {
            tracing::error!(%error, "a scramble for the buffer failed");
        }
        self.queue.lock().refill_ended(&refill, outcome);
    }

    fn generate(&mut self, options: &JobOptions, state: &Cube) -> Outcome<GeneratedScramble> {
        let (engine, effort, limits) = (&options.engine, options.effort, &options.limits);
        let (recipe, mut rng) = (options.recipe, self.rng.fork());
        let generate = || recipe.scramble_to(&**engine, state, &mut rng, effort, limits);
        let (scramble, took) = self.attempt(generate)?;
        let method = engine.method();
        self.observer.scramble_made(method, effort, &scramble, took);
        let made = GeneratedScramble {
            orientation: Orientation::random(&mut self.rng),
            effort: match scramble.hurried {
                true => Effort::MIN,
                false => effort,
            },
            scramble,
        };
        Ok((made, took))
    }

    /// Does work that may panic.
    fn attempt<T>(&self, work: impl FnOnce() -> Result<T, ScrambleError>) -> Outcome<T> {
        let started = Instant::now();
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Ok((result?, started.elapsed())),
            Err(_) => {
                self.observer.job_panicked();
                Err(JobError::Failed)
            }
        }
    }
}

// Loom's queue works in its models only.
#[cfg(not(explore))]
#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Mutex;

    use cube444::search::SearchError;

    use super::*;
    use crate::pool::queue::tests::{FailingWith, queue};

    /// The log of a test.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(text)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_refill_that_fails_is_logged_and_an_interrupted_one_is_not() {
        let cancelled = ScrambleError::Search(SearchError::Cancelled);
        for (error, is_logged) in [(ScrambleError::Replay, true), (cancelled, false)] {
            let mut buffer = queue(10, 1, 1);
            buffer.fill_buffer(Arc::new(FailingWith(error)));
            let mut worker = Worker {
                queue: Arc::new(SharedQueue::new(buffer)),
                observer: Arc::new(()),
                rng: ChaCha20Rng::seed_from_u64(0),
            };
            let log = Log::default();
            let writer = log.clone();
            let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone());
            tracing::subscriber::with_default(subscriber.finish(), || {
                let Some(Work::Refill(refill)) = worker.queue.next() else {
                    panic!("expected a refill");
                };
                worker.refill(refill);
            });
            let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
            let message = "a scramble for the buffer failed";
            assert_eq!(log.contains(message), is_logged, "{log}");
        }
    }
}
