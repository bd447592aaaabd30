//! The threads and their queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};
use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::Generate;
use crate::scramble::{Scramble, ScrambleError};
use crate::search::Limits;

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
pub struct QueueFull;

/// A job that brought no scramble.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The engine reports an error.
    #[error(transparent)]
    Scramble(#[from] ScrambleError),
    /// The worker panicked, or is gone.
    #[error("a worker failed")]
    Failed,
}

type Reply = Result<Scramble, JobError>;

struct Job {
    limits: Limits,
    reply: oneshot::Sender<Reply>,
    /// The job's place in the queue, given back when its work has ended, not when the client leaves.
    _slot: OwnedSemaphorePermit,
}

/// Worker threads with a bounded queue. Jobs that are queued when the pool is dropped are finished.
pub struct Pool {
    jobs: Sender<Job>,
    slots: Arc<Semaphore>,
    generator: Arc<dyn Generate>,
}

impl Pool {
    /// Starts worker threads, each with its own ChaCha20 generator seeded from the operating system.
    /// At most `queue` scrambles may be waiting or being made at a time.
    ///
    /// # Errors
    ///
    /// If a seed or a thread is not to be had.
    pub fn start(
        generator: Arc<dyn Generate>,
        workers: usize,
        queue: usize,
    ) -> Result<Pool, PoolError> {
        let (jobs, queued) = unbounded();
        for number in 0..workers {
            let mut rng = ChaCha20Rng::try_from_rng(&mut SysRng)
                .map_err(|error| PoolError::Seed(error.to_string()))?;
            let (generator, queued) = (Arc::clone(&generator), queued.clone());
            thread::Builder::new()
                .name(format!("solver-{number}"))
                .spawn(move || work(&*generator, &mut rng, &queued))?;
        }
        Ok(Pool {
            jobs,
            slots: Arc::new(Semaphore::new(queue)),
            generator,
        })
    }

    /// The generator.
    #[must_use]
    pub fn generator(&self) -> &dyn Generate {
        &*self.generator
    }

    /// Queues `count` scrambles, or none of them if there is no room for all.
    ///
    /// # Errors
    ///
    /// If there is no room.
    pub fn submit(
        &self,
        count: u32,
        limits: &Limits,
    ) -> Result<Vec<oneshot::Receiver<Reply>>, QueueFull> {
        let slots = Arc::clone(&self.slots);
        let mut slots = slots.try_acquire_many_owned(count).map_err(|_| QueueFull)?;
        let mut replies = Vec::with_capacity(count as usize);
        while let Some(slot) = slots.split(1) {
            let (reply, receiver) = oneshot::channel();
            // Sending fails only when all workers are gone; then the receiver says so.
            let _ = self.jobs.send(Job {
                limits: limits.clone(),
                reply,
                _slot: slot,
            });
            replies.push(receiver);
        }
        Ok(replies)
    }
}

fn work(generator: &dyn Generate, rng: &mut ChaCha20Rng, queued: &Receiver<Job>) {
    for job in queued {
        if job.limits.cancel.is_cancelled() {
            continue;
        }
        let made = catch_unwind(AssertUnwindSafe(|| generator.generate(rng, &job.limits)));
        let result = match made {
            Ok(result) => result.map_err(JobError::from),
            Err(_) => Err(JobError::Failed),
        };
        // The client may have left; nothing is lost then.
        let _ = job.reply.send(result);
    }
}
