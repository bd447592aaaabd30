//! Worker threads that make scrambles and solutions, behind a bounded queue, and a buffer of
//! scrambles that are ready.

mod client;
mod costs;
mod job;
mod line;
mod queue;
mod shared_queue;
mod turns;
mod work;
mod worker;

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;

use crate::cube::Cube;
use crate::scramble::{Generate, Recipe};
use crate::search::EffortLevel;
use crate::search::Limits;

pub use client::Client;
pub use job::{JobError, Made, Order, Reply, SET, TimedSolution};
pub use queue::{Load, QueueFull};
pub use worker::{Making, Observe};

pub(crate) use costs::TYPICAL_MILLIS;

use costs::Kind;
use job::{Class, Job, Task};
use queue::Queue;
use shared_queue::SharedQueue;
use work::Stock;
use worker::Worker;

/// The pool cannot start.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// Nobody would ever do a job.
    #[error("a pool must have at least 1 worker")]
    NoWorkers,
    /// Without a seed from the operating system, scrambles could be guessed.
    #[error("the operating system gives no random numbers: {0}")]
    Seed(String),
    /// A thread cannot be started.
    #[error("cannot start a worker thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// How a pool works.
#[derive(Clone, Copy, Debug)]
pub struct PoolConfig {
    /// Threads; at least 1.
    pub workers: usize,
    /// At most so many jobs may be waiting or being done at a time, those of streams aside.
    pub queue: usize,
    /// A client may have at most so many jobs waiting or being done, those of streams included.
    pub queue_of_client: usize,
    /// So many scrambles are kept ready.
    pub buffer: usize,
    /// The effort of those, when there is nothing else to do.
    pub effort: EffortLevel,
    /// The effort of those that are made until a set is ready, and while streams and large requests wait.
    pub usual_effort: EffortLevel,
}

/// Worker threads with a bounded queue, and a buffer of scrambles that they refill when there is nothing
/// else to do.
///
/// Ordinary requests, for a set's worth of scrambles at most, go before streams and larger ones; but of
/// four jobs begun one is of the latter, if any wait. Within either sort clients take turns, and then
/// each client's requests. The buffer is refilled when nobody waits, and gives way at once to who comes; while streams and large
/// requests wait, it gets a twentieth of the time. Then, and until a set is ready, its scrambles are made with the
/// usual effort; those are replaced by better ones when there is nothing else to do.
///
/// When the pool is dropped, jobs that are queued are still finished, and the buffer is given up.
/// Dropping does not wait for that, since the last owner may be a task that must not block; see
/// [`Pool::join`].
pub struct Pool {
    queue: Arc<SharedQueue>,
    generator: Arc<dyn Generate>,
    workers: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts worker threads, each with its own ChaCha20 generator seeded from the operating system.
    ///
    /// # Errors
    ///
    /// If there are to be no workers, or a seed or a thread is not to be had.
    pub fn start(
        generator: Arc<dyn Generate>,
        observer: Arc<dyn Observe>,
        config: PoolConfig,
    ) -> Result<Pool, PoolError> {
        if config.workers == 0 {
            return Err(PoolError::NoWorkers);
        }
        let method = generator.method();
        let kind = |effort| Kind {
            method,
            effort,
            is_special: false,
        };
        let stock = Stock {
            count: config.buffer,
            best: kind(config.effort),
            usual: kind(config.usual_effort),
        };
        let queue = Queue::new(config.queue, config.queue_of_client, stock, config.workers);
        // If a later thread cannot be started, dropping the pool ends those that were.
        let mut pool = Pool {
            queue: Arc::new(SharedQueue::new(queue)),
            generator,
            workers: Vec::with_capacity(config.workers),
        };
        for number in 0..config.workers {
            let rng = ChaCha20Rng::try_from_rng(&mut SysRng)
                .map_err(|error| PoolError::Seed(error.to_string()))?;
            let worker = Worker {
                queue: Arc::clone(&pool.queue),
                generator: Arc::clone(&pool.generator),
                observer: Arc::clone(&observer),
                rng,
            };
            let thread = thread::Builder::new().name(format!("solver-{number}"));
            pool.workers.push(thread.spawn(move || worker.work())?);
        }
        Ok(pool)
    }

    /// The profile of the tables in use.
    #[must_use]
    pub fn tables(&self) -> &'static str {
        self.generator.tables()
    }

    /// The method in use, unless an order names another generator.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.generator.method()
    }

    /// How many threads there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    /// How busy the pool is.
    #[must_use]
    pub fn load(&self) -> Load {
        self.queue.lock().load()
    }

    /// About how long it takes at best to make `count` scrambles to order, with the workers doing nothing
    /// else; nothing as long as no job has ended.
    #[must_use]
    pub fn time_at_best(&self, count: usize, order: &Order) -> Duration {
        self.queue.lock().time_at_best(count, self.kind(order))
    }

    /// Whether there is room for `count` scrambles made to order, and hope to make them before the
    /// deadline, as for [`Pool::scrambles`].
    ///
    /// # Errors
    ///
    /// If there is no room or no hope.
    pub fn check_room(
        &self,
        count: usize,
        order: &Order,
        limits: &Limits,
    ) -> Result<(), QueueFull> {
        let (client, kind) = (order.requester.client, self.kind(order));
        let queue = self.queue.lock();
        queue.check_client(1, client)?;
        queue.check_room(count, order.class(count), kind, client, limits)
    }

    fn kind(&self, order: &Order) -> Kind {
        let generator = order.generator.as_ref().unwrap_or(&self.generator);
        Kind {
            method: generator.method(),
            effort: order.effort,
            is_special: order.recipe != Recipe::Usual,
        }
    }

    /// Gets `count` scrambles made to order, first those that are ready if they are at least as good; or
    /// none of them if there is no room in the queue for the rest, or no hope to make them before the
    /// deadline. An order that has been admitted gets them in any case. Streams get none of those that are
    /// ready, and neither do orders of another recipe than the usual.
    ///
    /// # Errors
    ///
    /// If there is no room or no hope.
    pub fn scrambles(
        &self,
        count: u32,
        order: impl Into<Order>,
        limits: &Limits,
    ) -> Result<Vec<Reply<Made>>, QueueFull> {
        let order = order.into();
        let (count, effort, recipe) = (count as usize, order.effort, order.recipe);
        let (class, kind) = (order.class(count), self.kind(&order));
        let is_buffered = order.generator.is_none() && !order.streamed && !kind.is_special;
        let generator = order
            .generator
            .unwrap_or_else(|| Arc::clone(&self.generator));
        let requester = order.requester;
        // For each that is handed out another one is to be made.
        self.queue.add(count, |queue| {
            let held = if is_buffered {
                queue.ready_for(effort, count)
            } else {
                0
            };
            if !order.admitted {
                queue.check_client(count - held, requester.client)?;
                queue.check_room(count - held, class, kind, requester.client, limits)?;
            }
            let mut replies = Vec::with_capacity(count);
            replies.extend(
                queue
                    .take_ready(effort, held)
                    .into_iter()
                    .map(job::reply_with),
            );
            for _ in held..count {
                let (reply_to, reply) = job::reply();
                queue.push(Job {
                    task: Task::Scramble(recipe, reply_to),
                    effort,
                    class,
                    requester,
                    generator: Arc::clone(&generator),
                    limits: limits.clone(),
                });
                replies.push(reply);
            }
            queue.top_up();
            Ok(replies)
        })
    }

    /// Queues the solving of a state.
    ///
    /// # Errors
    ///
    /// If there is no room in the queue.
    pub fn solve(
        &self,
        state: Cube,
        order: impl Into<Order>,
        limits: &Limits,
    ) -> Result<Reply<TimedSolution>, QueueFull> {
        let Order {
            effort,
            generator,
            requester,
            ..
        } = order.into();
        let generator = generator.unwrap_or_else(|| Arc::clone(&self.generator));
        let class = Class::Ordinary;
        let kind = Kind {
            method: generator.method(),
            effort,
            is_special: false,
        };
        self.queue.add(1, |queue| {
            queue.check_client(1, requester.client)?;
            queue.check_room(1, class, kind, requester.client, limits)?;
            let (reply_to, reply) = job::reply();
            queue.push(Job {
                task: Task::Solve(Box::new(state), reply_to),
                effort,
                class,
                requester,
                generator,
                limits: limits.clone(),
            });
            Ok(reply)
        })
    }

    /// Ends the pool: waits until the jobs that are queued are finished and the threads have ended.
    pub fn join(mut self) {
        self.close();
        for worker in self.workers.drain(..) {
            // A worker that panicked has ended as well.
            let _ = worker.join();
        }
    }

    fn close(&self) {
        self.queue.close();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}
