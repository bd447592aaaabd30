//! Round-robin scheduling of jobs.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::job::{Client, Job};

/// A queue of jobs.
pub(super) trait JobQueue: Default {
    /// Adds a job.
    fn push(&mut self, job: Job);
    /// Removes the next job.
    fn pop(&mut self) -> Option<Job>;
    /// The number of jobs.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// First in, first out.
impl JobQueue for VecDeque<Job> {
    fn push(&mut self, job: Job) {
        self.push_back(job);
    }

    fn pop(&mut self) -> Option<Job> {
        self.pop_front()
    }

    fn len(&self) -> usize {
        self.len()
    }
}

/// A property by which jobs are grouped.
pub(super) trait Key: Copy + Eq + Hash {
    fn of(job: &Job) -> Self;
}

impl Key for Client {
    fn of(job: &Job) -> Client {
        job.request.client
    }
}

/// The number of a request.
impl Key for u64 {
    fn of(job: &Job) -> u64 {
        job.request.number
    }
}

/// A queue that takes one job of each group in turn.
pub(super) struct RoundRobin<K, Q> {
    /// Groups with at least one job.
    groups: HashMap<K, Q>,
    /// The same groups in the order of their turns.
    turns: VecDeque<K>,
    len: usize,
}

/// Clients take turns, and the requests of each client take the client's turns in turn.
pub(super) type ByClient = RoundRobin<Client, RoundRobin<u64, VecDeque<Job>>>;

impl<K, Q> Default for RoundRobin<K, Q> {
    fn default() -> RoundRobin<K, Q> {
        RoundRobin {
            groups: HashMap::new(),
            turns: VecDeque::new(),
            len: 0,
        }
    }
}

impl<K: Key, Q: JobQueue> RoundRobin<K, Q> {
    /// The number of groups with jobs.
    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }
}

impl ByClient {
    /// The number of a client's requests with jobs, and the number of these jobs.
    pub(super) fn of(&self, client: Client) -> (usize, usize) {
        let requests = self.groups.get(&client);
        requests.map_or((0, 0), |requests| (requests.groups(), requests.len()))
    }
}

impl<K: Key, Q: JobQueue> JobQueue for RoundRobin<K, Q> {
    fn push(&mut self, job: Job) {
        let key = K::of(&job);
        let group = self.groups.entry(key).or_default();
        if group.is_empty() {
            self.turns.push_back(key);
        }
        group.push(job);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<Job> {
        let key = self.turns.pop_front()?;
        let group = self.groups.get_mut(&key);
        let group = group.expect("a group with a turn has jobs");
        let job = group.pop();
        if group.is_empty() {
            self.groups.remove(&key);
        } else {
            self.turns.push_back(key);
        }
        self.len -= 1;
        job
    }

    fn len(&self) -> usize {
        self.len
    }
}
