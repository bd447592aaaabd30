//! Waiting jobs, and the time that they should take.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use hashlink::LinkedHashMap;

use super::costs::{Costs, times};
use super::job::{Client, Job, JobKind};

/// The waiting jobs of a client.
#[derive(Default)]
struct ClientJobs {
    /// By the number of their request, in the order of the requests' turns. All requests have jobs.
    requests: LinkedHashMap<u64, VecDeque<Job>>,
    len: usize,
}

/// Waiting jobs of one priority. Clients take turns, and the requests of each client take the client's turns in turn.
/// Estimating their time does not depend on how many there are.
#[derive(Default)]
pub(super) struct WaitingJobs {
    /// In the order of the clients' turns. All clients have jobs.
    clients: LinkedHashMap<Client, ClientJobs>,
    /// The number of jobs of each kind, of which there are few.
    kinds: HashMap<JobKind, usize>,
    /// The number of jobs of streams.
    streamed: usize,
}

impl WaitingJobs {
    pub(super) fn len(&self) -> usize {
        self.kinds.values().sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    pub(super) fn push(&mut self, job: Job) {
        *self.kinds.entry(job.options.kind()).or_default() += 1;
        self.streamed += usize::from(job.options.class.is_stream());
        let client = self.clients.entry(job.options.client);
        let client = client.or_insert_with(ClientJobs::default);
        client.len += 1;
        let jobs = client.requests.entry(job.options.request);
        jobs.or_insert_with(VecDeque::new).push_back(job);
    }

    /// Removes the next job. Its client and request have their next turns after all others.
    pub(super) fn pop(&mut self) -> Option<Job> {
        let (name, mut client) = self.clients.pop_front()?;
        let (request, mut jobs) = client.requests.pop_front()?;
        let job = jobs.pop_front()?;
        if !jobs.is_empty() {
            client.requests.insert(request, jobs);
        }
        client.len -= 1;
        if client.len > 0 {
            self.clients.insert(name, client);
        }
        let kind = job.options.kind();
        let count = self.kinds.get_mut(&kind).expect("`push` has counted it");
        *count -= 1;
        self.streamed -= usize::from(job.options.class.is_stream());
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
        let same = self.clients.get(&client);
        let (requests, waiting) = same.map_or((0, 0), |same| (same.requests.len(), same.len));
        let same_client = turns(requests, jobs, waiting);
        let other_clients = self.clients.len() - usize::from(requests > 0);
        let before = same_client + turns(other_clients, jobs + same_client, self.len() - waiting);
        self.time(costs).mul_f64(before as f64 / self.len() as f64)
    }
}
