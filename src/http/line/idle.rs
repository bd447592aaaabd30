//! Scrambles that idle workers make in advance.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cube444::Effort;
use cube444::scramble::{Engine, Recipe, Scramble};
use tokio::sync::Notify;

use super::client::Client;
use super::job::Job;
use super::queue::Line;
use super::turns::Lane;

/// Scrambles of the default method, each of which is taken once.
pub(crate) struct Idle {
    size: usize,
    effort: Effort,
    scrambles: Mutex<VecDeque<Scramble>>,
    taken: Notify,
}

impl Idle {
    /// Room for `size` scrambles with an effort level.
    pub(crate) fn new(size: usize, effort: Effort) -> Idle {
        Idle {
            size,
            effort,
            scrambles: Mutex::default(),
            taken: Notify::new(),
        }
    }

    fn scrambles(&self) -> MutexGuard<'_, VecDeque<Scramble>> {
        self.scrambles
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether scrambles are made in advance.
    pub(crate) fn is_used(&self) -> bool {
        self.size > 0
    }

    pub(crate) fn len(&self) -> usize {
        self.scrambles().len()
    }

    /// Makes a scramble whenever there is room and no other work waits. Does not end.
    pub(crate) async fn fill(&self, line: &Line, engine: Arc<dyn Engine>) {
        let mut job = Job::new(Client::default(), engine, self.effort);
        job.lane = Lane::Idle;
        loop {
            if self.len() < self.size {
                let metrics = Arc::clone(line.metrics());
                let made = line.search(None, job.clone(), move |job| job.scramble(&metrics));
                match made.await.0 {
                    Ok(scramble) => {
                        self.scrambles().push_back(scramble);
                        continue;
                    }
                    Err(error) => tracing::error!(%error, "a scramble in advance failed"),
                }
            }
            // A failure is not repeated before a request takes a scramble.
            self.taken.notified().await;
        }
    }

    /// Takes up to `max` scrambles for a job of the same method, the oldest first.
    pub(crate) fn take(&self, job: &Job, max: usize) -> VecDeque<Scramble> {
        self.taken.notify_one();
        if job.recipe != Recipe::Standard || job.effort > self.effort {
            return VecDeque::new();
        }
        let mut scrambles = self.scrambles();
        let count = scrambles.len().min(max);
        scrambles.drain(..count).collect()
    }

    /// Drops all scrambles.
    pub(crate) fn clear(&self) {
        self.scrambles().clear();
    }
}
