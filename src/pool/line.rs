//! Jobs of one sort that wait, and how long they should take.

use std::collections::HashMap;
use std::time::Duration;

use super::client::Client;
use super::costs::{Costs, Kind, times};
use super::job::{Class, Job};
use super::turns::{ByClient, Waiting};

/// Jobs that wait. It costs the same to say how long they should take, however many there are.
#[derive(Default)]
pub(super) struct Line {
    jobs: ByClient,
    /// How many jobs there are of each kind.
    kinds: HashMap<Kind, usize>,
    /// How many jobs are of streams.
    streamed: usize,
}

impl Line {
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
        let left = self.kinds.get_mut(&kind).expect("it was counted");
        *left -= 1;
        if *left == 0 {
            self.kinds.remove(&kind);
        }
        self.streamed -= usize::from(job.class == Class::Stream);
        Some(job)
    }

    /// How long one worker should take for all jobs.
    pub(super) fn time(&self, costs: &Costs) -> Duration {
        let each = self.kinds.iter();
        each.map(|(&kind, &count)| times(costs.of(kind), count))
            .sum()
    }

    /// How long one worker should take for the jobs that are done before the last of `jobs` new ones of a
    /// client's new request.
    pub(super) fn time_before(&self, jobs: usize, client: Client, costs: &Costs) -> Duration {
        if self.is_empty() {
            return Duration::ZERO;
        }
        // Whoever takes turns with so many jobs gets no more turns than it has jobs; but streams go on.
        let turns = |takers: usize, jobs: usize, waiting: usize| match self.streamed {
            0 => (takers * jobs).min(waiting),
            _ => takers * jobs,
        };
        let (requests, waiting) = self.jobs.of(client);
        let own = turns(requests, jobs, waiting);
        let others = self.jobs.groups() - usize::from(requests > 0);
        let before = own + turns(others, jobs + own, self.len() - waiting);
        self.time(costs).mul_f64(before as f64 / self.len() as f64)
    }
}
