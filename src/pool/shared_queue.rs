//! The queue and its lock.

use std::sync::PoisonError;

#[cfg(all(test, feature = "explore"))]
use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(all(test, feature = "explore")))]
use std::sync::{Condvar, Mutex, MutexGuard};

use super::job::Work;
use super::queue::Queue;

/// The queue that the pool and its workers share.
pub(super) struct SharedQueue {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl SharedQueue {
    pub(super) fn new(queue: Queue) -> SharedQueue {
        SharedQueue {
            queue: Mutex::new(queue),
            changed: Condvar::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Queue> {
        // The queue panics only if one of its counts is impossible, so poisoning is ignored.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds work for at most `jobs` workers to the queue, and wakes that many.
    pub(super) fn add<T>(&self, jobs: usize, add: impl FnOnce(&mut Queue) -> T) -> T {
        let added = add(&mut self.lock());
        for _ in 0..jobs {
            self.changed.notify_one();
        }
        added
    }

    /// Closes the queue and wakes all workers.
    pub(super) fn close(&self) {
        self.lock().close();
        self.changed.notify_all();
    }

    /// Waits for work; `None` if the queue is closed and empty.
    pub(super) fn next(&self) -> Option<Work> {
        let mut queue = self.lock();
        loop {
            if let Some(work) = queue.next() {
                return Some(work);
            }
            if queue.closed {
                return None;
            }
            let woken = self.changed.wait(queue);
            queue = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(all(test, feature = "explore"))]
mod explored;
