//! A limit on open connections.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A limit on open connections, and how many are open.
pub struct ConnectionLimit {
    limit: usize,
    permits: Arc<Semaphore>,
}

impl ConnectionLimit {
    /// Allows `limit` connections, or as many as a semaphore can count if that is fewer.
    #[must_use]
    pub fn new(limit: usize) -> ConnectionLimit {
        let limit = limit.min(Semaphore::MAX_PERMITS);
        ConnectionLimit {
            limit,
            permits: Arc::new(Semaphore::new(limit)),
        }
    }

    /// The maximum number of open connections.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The number of open connections.
    #[must_use]
    pub fn open(&self) -> usize {
        self.limit - self.permits.available_permits()
    }

    /// A permit for one more connection, to be held while it is open; `None` at the limit.
    pub(crate) fn try_acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_open_until_their_permit_is_dropped() {
        for (limit, allowed) in [(0, 0), (1, 1), (2, 2), (usize::MAX, 3)] {
            let connections = ConnectionLimit::new(limit);
            let permits = [(); 3].map(|()| connections.try_acquire());
            assert_eq!(permits.iter().flatten().count(), allowed, "{limit}");
            assert_eq!(connections.open(), allowed, "{limit}");
            assert!(connections.limit() >= allowed && connections.limit() <= limit);
            drop(permits);
            assert_eq!(connections.open(), 0, "{limit}");
        }
    }
}
