//! The jobs in progress.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::client::Client;
use super::job::Job;
use super::times::Times;
use super::turns::TakenTurns;
use crate::http::metrics::Metrics;

/// Maximum number of jobs in progress.
const MAX_JOBS: usize = 10_000;
/// Minimum of the capacity, however long jobs take.
const MIN_CAPACITY: usize = 100;

/// There is no room for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Overloaded {
    /// Because of the jobs of all clients, for about this time.
    #[error("too many requests are waiting")]
    Line(Duration),
    /// The client has the maximum number of jobs in progress, for about this time.
    #[error("this client has the maximum number of scrambles and solutions in progress")]
    Client(Duration),
    /// Documents keep the memory or the workers.
    #[error("too many large requests are in progress")]
    Documents,
}

/// The jobs in progress, waiting or running.
#[derive(Default)]
struct Jobs {
    /// Their numbers, without and of streams.
    counts: [usize; 2],
    /// The places of the clients that have jobs, and of some that had.
    clients: HashMap<Client, Arc<Semaphore>>,
    times: Times,
}

/// The line. Clones share it.
#[derive(Clone)]
pub(crate) struct Line(Arc<Shared>);

struct Shared {
    workers: usize,
    /// Maximum number of jobs in progress of each client.
    max_per_client: usize,
    /// Time that the jobs in progress may take.
    max_time: Duration,
    turns: TakenTurns,
    jobs: Mutex<Jobs>,
    metrics: Arc<Metrics>,
}

/// A job in progress. Dropping this ends it.
pub(crate) struct LinePlace {
    line: Line,
    is_streamed: bool,
    of_client: Option<OwnedSemaphorePermit>,
    is_done: bool,
}

impl LinePlace {
    /// Waits until the client may have another job.
    pub(crate) async fn enter(&mut self, client: Client) {
        if self.of_client.is_none() {
            let places = self.line.places(&mut self.line.jobs(), client);
            self.of_client = places.acquire_owned().await.ok();
        }
    }
}

impl Drop for LinePlace {
    fn drop(&mut self) {
        let mut jobs = self.line.jobs();
        jobs.counts[usize::from(self.is_streamed)] -= 1;
        if !self.is_done && !std::thread::panicking() {
            self.line.0.metrics.cancelled.inc();
        }
    }
}

impl Line {
    /// A line whose jobs in progress may take `max_time`.
    pub(crate) fn new(
        workers: usize,
        max_per_client: Option<u32>,
        max_time: Duration,
        metrics: Arc<Metrics>,
    ) -> Line {
        Line(Arc::new(Shared {
            workers,
            max_per_client: max_per_client.map_or(Semaphore::MAX_PERMITS, |max| max as usize),
            max_time,
            turns: TakenTurns::new(workers),
            jobs: Mutex::default(),
            metrics,
        }))
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn workers(&self) -> usize {
        self.0.workers
    }

    /// The time of `count` searches by all workers; zero before the first search of their kind.
    pub(crate) fn time(&self, count: usize, job: &Job) -> Duration {
        self.by_all_workers(count, self.jobs().times.of(job.kind()))
    }

    fn by_all_workers(&self, count: usize, each: Duration) -> Duration {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        each.saturating_mul(count) / self.0.workers as u32
    }

    /// The number of jobs that take the maximum time, by the mean.
    fn capacity(&self, mean: Duration) -> usize {
        let count = self.0.max_time.as_secs_f64() / mean.as_secs_f64() * self.0.workers as f64;
        // Infinite before the first search.
        (count as usize).clamp(MIN_CAPACITY, MAX_JOBS)
    }

    /// Jobs in progress, without and of streams, and the maximum of each.
    pub(crate) fn load(&self) -> [usize; 3] {
        let jobs = self.jobs();
        let [ordinary, streamed] = jobs.counts;
        [ordinary, streamed, self.capacity(jobs.times.mean)]
    }

    fn places(&self, jobs: &mut Jobs, client: Client) -> Arc<Semaphore> {
        jobs.clients
            .retain(|_, places| Arc::strong_count(places) > 1);
        let places = jobs.clients.entry(client);
        Arc::clone(places.or_insert_with(|| Arc::new(Semaphore::new(self.0.max_per_client))))
    }

    /// Admits a request with `count` jobs, or a stream, of which only the first gets a place now. Of the places, the last
    /// counts as one of the client's already.
    ///
    /// # Errors
    ///
    /// If the client may not have another job, or if the request would have to wait too long.
    pub(crate) fn admit(
        &self,
        client: Client,
        count: usize,
        is_stream: bool,
    ) -> Result<Vec<LinePlace>, Overloaded> {
        let mut jobs = self.jobs();
        let mean = jobs.times.mean;
        let until_free = self.by_all_workers(jobs.counts.iter().sum(), mean);
        let of_client = self.places(&mut jobs, client).try_acquire_owned();
        let of_client = of_client.map_err(|_| Overloaded::Client(until_free))?;
        let count = if is_stream { count.min(1) } else { count };
        let others = &mut jobs.counts[usize::from(is_stream)];
        // Half of a request counts, as it may take as long again as the others. Any is admitted when there are no others.
        if *others > 0 && *others + count / 2 >= self.capacity(mean) {
            return Err(Overloaded::Line(until_free));
        }
        *others += count;
        drop(jobs);
        let mut places: Vec<LinePlace> = (0..count).map(|_| self.place(is_stream)).collect();
        if let Some(first) = places.last_mut() {
            first.of_client = Some(of_client);
        }
        Ok(places)
    }

    /// A place for a further job of a stream.
    pub(crate) fn next_place(&self) -> LinePlace {
        self.jobs().counts[1] += 1;
        self.place(true)
    }

    /// A place that has been counted.
    fn place(&self, is_streamed: bool) -> LinePlace {
        LinePlace {
            line: self.clone(),
            is_streamed,
            of_client: None,
            is_done: false,
        }
    }

    /// For the scrambles that jobs make.
    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    /// For work that is not a search.
    pub(crate) fn turns(&self) -> &TakenTurns {
        &self.0.turns
    }

    /// Runs a search when it has its turn. Returns its result and the time that it took.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        mut place: Option<LinePlace>,
        job: Job,
        search: impl FnOnce(&Job) -> anyhow::Result<T> + Send + 'static,
    ) -> (anyhow::Result<T>, Duration) {
        let line = self.clone();
        let (client, lane) = (job.client, job.lane);
        let timed = move || {
            let began = Instant::now();
            let result = search(&job);
            let took = began.elapsed();
            // The time of a search that failed or was cancelled says nothing about others; one that the deadline cut short
            // would have taken more.
            if result.is_ok() {
                let is_whole = job.limits.deadline.is_none_or(|it| Instant::now() < it);
                let mut jobs = line.jobs();
                if is_whole || took > jobs.times.of(job.kind()) {
                    jobs.times.record(job.kind(), took);
                }
            }
            if let Some(place) = &mut place {
                place.is_done = result.is_ok() || !job.limits.cancel.is_cancelled();
            }
            (result, took)
        };
        let done = self.0.turns.run(client, lane, timed).await;
        done.unwrap_or_else(|| {
            self.0.metrics.panics.inc();
            (Err(anyhow!("a worker panicked")), Duration::ZERO)
        })
    }
}

#[cfg(test)]
mod tests {
    use cube444::Effort;

    use super::*;

    #[test]
    fn a_request_is_admitted_if_half_of_its_jobs_fit() {
        let line = Line::new(2, None, Duration::from_secs(10), Arc::default());
        let (times, job) = (("stub", Effort::DEFAULT, true), Duration::from_millis(50));
        line.jobs().times.record(times, job);
        // Two workers do 400 jobs in ten seconds.
        assert_eq!(line.load(), [0, 0, 400]);
        let admit = |client: u32, count| {
            let client = Client::identified_by(&client);
            line.admit(client, count, false)
        };
        let full = |seconds| Some(Overloaded::Line(Duration::from_secs(seconds)));
        let held = admit(1, 1_000).unwrap();
        assert_eq!(admit(2, 1).err(), full(25));
        drop(held);
        let held = admit(3, 200).unwrap();
        assert_eq!(admit(4, 400).err(), full(5));
        let more = admit(4, 399).unwrap();
        // Streams have room of their own.
        let stream = line.admit(Client::default(), 1_000, true).unwrap();
        assert_eq!(line.load(), [599, 1, 400]);
        drop((held, more, stream));
        assert_eq!(line.load(), [0, 0, 400]);
        drop(admit(5, 1));
        assert_eq!(line.jobs().clients.len(), 1);
    }
}
