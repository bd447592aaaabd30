//! Worker threads that make scrambles and solutions, with a bounded queue and a buffer of scrambles.

mod costs;
mod job;
mod queue;
mod shared_queue;
mod waiting_jobs;
mod worker;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cube444::cube::Cube;
use cube444::scramble::{CheckedSolution, Engine, Scramble};
use tokio::sync::oneshot;

pub use job::{Class, Client, JobError, JobOptions, Reply, SET_SIZE};
pub use queue::{Load, PoolConfig, QueueFull};
pub use worker::Observer;

pub(crate) use costs::TYPICAL_MILLIS;
pub(crate) use worker::fresh_rng;

use job::Task;
use queue::Queue;
use shared_queue::SharedQueue;
use worker::Worker;

/// Worker threads with a bounded queue, and a buffer of scrambles. The engines come with the jobs.
///
/// Jobs of ordinary requests (for at most [`SET_SIZE`] scrambles) go before those of streams and large
/// requests. But if any of the latter wait, one job in four is theirs. Clients take turns, and so do the
/// requests of a client.
///
/// Idle workers refill the buffer until jobs arrive. While streams or large requests wait, refills get a
/// twentieth of the time. These refills, and those before the buffer contains a set, have the effort level
/// [`PoolConfig::busy_effort`]. Idle workers later replace them with scrambles of
/// [`PoolConfig::idle_effort`].
///
/// Dropping the pool drops the buffer; workers finish the jobs in the queue and end. Dropping does not wait for
/// them, as the last owner may be an asynchronous task.
pub struct Pool {
    queue: Arc<SharedQueue>,
    workers: usize,
}

impl Pool {
    /// Starts worker threads. Each state is drawn with a generator of its own, seeded by the operating system.
    ///
    /// # Errors
    ///
    /// If a thread cannot be started.
    ///
    /// # Panics
    ///
    /// If `config` has no workers.
    pub fn start(observer: Arc<dyn Observer>, config: PoolConfig) -> io::Result<Pool> {
        assert!(config.workers > 0, "a pool has at least 1 worker");
        // If a later thread cannot be started, dropping the pool ends the earlier ones.
        let pool = Pool {
            queue: Arc::new(SharedQueue::new(Queue::new(config))),
            workers: config.workers,
        };
        for number in 0..config.workers {
            let worker = Worker {
                queue: Arc::clone(&pool.queue),
                observer: Arc::clone(&observer),
            };
            let thread = thread::Builder::new().name(format!("solver-{number}"));
            thread.spawn(move || worker.run())?;
        }
        Ok(pool)
    }

    /// Fills the buffer with scrambles of an engine from now on. Those that it contains stay.
    pub fn fill_buffer(&self, engine: Arc<dyn Engine>) {
        self.queue
            .add(self.workers, |queue| queue.fill_buffer(engine));
    }

    /// The number of worker threads.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// How busy the pool is.
    #[must_use]
    pub fn load(&self) -> Load {
        self.queue.lock().load()
    }

    /// The minimum time of `count` scrambles if the pool has no other jobs. An estimate from the times of
    /// earlier jobs; zero before the first.
    #[must_use]
    pub fn min_time(&self, count: usize, options: &JobOptions) -> Duration {
        self.queue.lock().min_time(count, options.kind())
    }

    /// Whether the jobs of `count` scrambles fit into an idle pool all at once.
    #[must_use]
    pub fn holds(&self, count: usize) -> bool {
        self.queue.lock().holds(count)
    }

    /// Admits a stream: checks that it can begin, and that its `count` scrambles can be made before a common deadline.
    /// Nothing is reserved: its jobs are queued one by one, and wait for their client's other jobs.
    ///
    /// # Errors
    ///
    /// If the client may have no more jobs, or the scrambles cannot be made before the deadline.
    pub fn admit_stream(&self, count: usize, options: &mut JobOptions) -> Result<(), QueueFull> {
        options.class = Class::Stream;
        let queue = self.queue.lock();
        queue.check_client(1, options.client)?;
        queue.check_room(count, options)?;
        options.class = Class::AdmittedStream;
        Ok(())
    }

    /// Gets `count` scrambles, white on top and green in front: first from the buffer, if it has any with at least the
    /// requested effort level, and the rest by jobs. Streams, and requests with another recipe or engine, get none from
    /// the buffer.
    ///
    /// # Errors
    ///
    /// If the jobs do not fit into the queue or cannot be done before the deadline. Then nothing is queued. An
    /// admitted stream waits only for its client's other jobs.
    pub fn scrambles(
        &self,
        count: u32,
        options: &JobOptions,
    ) -> Result<Vec<Reply<Scramble>>, QueueFull> {
        let count = count as usize;
        let options = &options.for_scrambles(count);
        // A scramble from the buffer is work, too: a worker has to replace it.
        self.queue.add(count, |queue| {
            let buffered = queue.count_ready(options).min(count);
            queue.check_client(count - buffered, options.client)?;
            if options.class != Class::AdmittedStream {
                queue.check_room(count - buffered, options)?;
            }
            let mut ready = queue.ready.take(options.effort, buffered).into_iter();
            let reply = |_| {
                let (sender, reply) = oneshot::channel();
                match ready.next() {
                    // Sending fails only if the receiver has been dropped.
                    Some(scramble) => drop(sender.send(Ok(scramble))),
                    None => queue.push(Task::Scramble(sender), options),
                }
                reply
            };
            let replies = (0..count).map(reply).collect();
            queue.failed_refills = 0;
            Ok(replies)
        })
    }

    /// Queues a job that solves a state. The result has the time that the search takes.
    ///
    /// # Errors
    ///
    /// If the job does not fit into the queue or cannot be done before the deadline.
    pub fn solve(
        &self,
        state: Cube,
        options: &JobOptions,
    ) -> Result<Reply<(CheckedSolution, Duration)>, QueueFull> {
        self.queue.add(1, |queue| {
            queue.check_client(1, options.client)?;
            queue.check_room(1, options)?;
            let (sender, reply) = oneshot::channel();
            queue.push(Task::Solve(Box::new(state), sender), options);
            Ok(reply)
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.close();
    }
}
