//! Jobs that take turns.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::client::Client;
use super::job::Job;

/// Jobs that wait, in some order.
pub(super) trait Waiting: Default {
    /// Adds a job.
    fn push(&mut self, job: Job);
    /// Takes the next job.
    fn pop(&mut self) -> Option<Job>;
    /// How many jobs wait.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// First come, first served.
impl Waiting for VecDeque<Job> {
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

/// By what jobs are grouped.
pub(super) trait Key: Copy + Eq + Hash {
    fn of(job: &Job) -> Self;
}

impl Key for Client {
    fn of(job: &Job) -> Client {
        job.requester.client
    }
}

/// The number of a request.
impl Key for u64 {
    fn of(job: &Job) -> u64 {
        job.requester.request
    }
}

/// Groups of jobs that take turns, so that none waits for all jobs of another.
pub(super) struct Turns<K, W> {
    /// Each with at least one job.
    groups: HashMap<K, W>,
    /// Whose turn it is, and so on.
    turns: VecDeque<K>,
    len: usize,
}

/// Clients take turns, and then a client's requests.
pub(super) type ByClient = Turns<Client, Turns<u64, VecDeque<Job>>>;

impl<K, W> Default for Turns<K, W> {
    fn default() -> Turns<K, W> {
        Turns {
            groups: HashMap::new(),
            turns: VecDeque::new(),
            len: 0,
        }
    }
}

impl<K: Key, W: Waiting> Turns<K, W> {
    /// How many groups wait.
    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }
}

impl ByClient {
    /// How many requests of a client wait, and with how many jobs.
    pub(super) fn of(&self, client: Client) -> (usize, usize) {
        let requests = self.groups.get(&client);
        requests.map_or((0, 0), |requests| (requests.groups(), requests.len()))
    }
}

impl<K: Key, W: Waiting> Waiting for Turns<K, W> {
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
        let group = group.expect("whose turn it is has jobs");
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
