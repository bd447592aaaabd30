//! Requests whose jobs are begun in turns.

use std::collections::{HashMap, VecDeque};

use super::job::Job;

/// Jobs that wait, taken one of each request after the other, so that none waits for all of another's.
/// Jobs with the same cancel flag are of one request.
#[derive(Default)]
pub(super) struct Rounds {
    /// The requests by their cancel flags, each with at least one job.
    requests: HashMap<usize, VecDeque<Job>>,
    /// Whose turn it is, and so on.
    turns: VecDeque<usize>,
    length: usize,
}

impl Rounds {
    /// How many jobs wait.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds a job of a request.
    pub(super) fn push(&mut self, job: Job) {
        let request = job.limits.cancel.id();
        let jobs = self.requests.entry(request).or_default();
        if jobs.is_empty() {
            self.turns.push_back(request);
        }
        jobs.push_back(job);
        self.length += 1;
    }

    /// Takes the next job.
    pub(super) fn pop(&mut self) -> Option<Job> {
        let request = self.turns.pop_front()?;
        let jobs = self.requests.get_mut(&request);
        let jobs = jobs.expect("who has a turn has jobs");
        let job = jobs.pop_front();
        if jobs.is_empty() {
            self.requests.remove(&request);
        } else {
            self.turns.push_back(request);
        }
        self.length -= 1;
        job
    }

    /// The jobs of each request.
    pub(super) fn requests(&self) -> impl Iterator<Item = &VecDeque<Job>> {
        self.requests.values()
    }
}
