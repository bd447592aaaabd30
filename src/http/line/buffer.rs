//! Scrambles that idle workers make in advance.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cube444::Effort;
use cube444::scramble::{Engine, Recipe, Scramble};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use super::client::Client;
use super::job::Job;
use super::queue::Line;
use super::turns::Lane;

/// Scrambles of the default method, each of which is taken once.
pub(crate) struct Buffer {
    size: usize,
    method: &'static str,
    effort: Effort,
    scrambles: Mutex<VecDeque<Scramble>>,
    taken: Notify,
    filling: Mutex<Option<AbortOnDropHandle<()>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Buffer {
    /// Room for `size` scrambles of a method with an effort level.
    pub(crate) fn new(size: usize, method: &'static str, effort: Effort) -> Buffer {
        Buffer {
            size,
            method,
            effort,
            scrambles: Mutex::default(),
            taken: Notify::new(),
            filling: Mutex::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        locked(&self.scrambles).len()
    }

    /// Makes scrambles with an engine from now on, whenever there is room and no other work waits. Needs a Tokio runtime.
    pub(crate) fn fill_with(self: &Arc<Self>, engine: Arc<dyn Engine>, line: &Line) {
        if self.size > 0 {
            let (buffer, line) = (Arc::clone(self), line.clone());
            let job = Job::new(Client::default(), engine, self.effort);
            let task = tokio::spawn(async move { buffer.fill(job, &line).await });
            *locked(&self.filling) = Some(AbortOnDropHandle::new(task));
        }
    }

    async fn fill(&self, mut job: Job, line: &Line) {
        job.lane = Lane::Idle;
        loop {
            if self.len() < self.size {
                let metrics = Arc::clone(line.metrics());
                let made = line.search(None, job.clone(), move |job| job.scramble(&metrics));
                match made.await.0 {
                    Ok(scramble) => {
                        locked(&self.scrambles).push_back(scramble);
                        continue;
                    }
                    Err(error) => tracing::error!(%error, "a scramble in advance failed"),
                }
            }
            // A failure is not repeated before the next request.
            self.taken.notified().await;
        }
    }

    /// The number of scrambles that a job may take, at most `max`: those of its method, for standard scrambles.
    pub(crate) fn available(&self, job: &Job, max: usize) -> usize {
        let is_equal = job.engine.method() == self.method && job.recipe == Recipe::Standard;
        match is_equal && job.effort <= self.effort {
            true => self.len().min(max),
            false => 0,
        }
    }

    /// Takes up to `max` scrambles, the oldest first.
    pub(crate) fn take(&self, max: usize) -> VecDeque<Scramble> {
        let mut scrambles = locked(&self.scrambles);
        let count = scrambles.len().min(max);
        let taken = scrambles.drain(..count).collect();
        drop(scrambles);
        self.taken.notify_one();
        taken
    }

    /// Ends filling, and drops all scrambles.
    pub(crate) fn close(&self) {
        *locked(&self.filling) = None;
        locked(&self.scrambles).clear();
    }
}
