//! Waiting jobs, and the time that they should take.

use std::collections::HashMap;
use std::time::Duration;

use super::costs::{Costs, JobKind, times};
use super::job::{Class, Client, Job};
use super::round_robin::{ByClient, JobQueue};

/// Waiting jobs of one priority. Estimating their time does not depend on how many there are.
#[derive(Default)]
pub(super) struct WaitingJobs {
    jobs: ByClient,
    /// The number of jobs of each kind.
    kinds: HashMap<JobKind, usize>,
    /// The number of jobs of streams.
    streamed: usize,
}

impl WaitingJobs {
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    pub(super) fn push(&mut self, job: Job) {
        *self.kinds.entry(job.kind()).or_default() += 1;
        self.streamed += usize::from(job.class == Class::Stream);
        self.jobs.push(job);
    }

    pub(super) fn pop(&mut self) -> Option<Job> {
        let job = self.jobs.pop()?;
        let kind = job.kind();
        let count = self.kinds.get_mut(&kind).expect("`push` has counted it");
        *count -= 1;
        if *count == 0 {
            self.kinds.remove(&kind);
        }
        self.streamed -= usize::from(job.class == Class::Stream);
        Some(job)
    }

    /// The estimated time of all jobs on one worker.
    pub(super) fn time(&self, costs: &Costs) -> Duration {
        let kinds = self.kinds.iter();
        kinds
            .map(|(&kind, &count)| times(costs.estimate(kind), count))
            .sum()
    }

    /// The estimated time, on one worker, of the jobs that would come before the last of `jobs` jobs of a
    /// new request of `client`.
    pub(super) fn time_before(&self, jobs: usize, client: Client, costs: &Costs) -> Duration {
        if self.is_empty() {
            return Duration::ZERO;
        }
        // Each of `groups` other groups has a turn before each of `jobs` jobs. Together they use no more turns
        // than they have jobs, unless streams keep adding jobs.
        let turns = |groups: usize, jobs: usize, waiting: usize| match self.streamed {
            0 => (groups * jobs).min(waiting),
            _ => groups * jobs,
        };
        let (requests, waiting) = self.jobs.of(client);
        let same_client = turns(requests, jobs, waiting);
        let other_clients = self.jobs.groups() - usize::from(requests > 0);
        let before = same_client + turns(other_clients, jobs + same_client, self.len() - waiting);
        self.time(costs).mul_f64(before as f64 / self.len() as f64)
    }
}
