//! How many connections there may be.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many connections there may be, and how many there are.
pub struct Connections {
    most: usize,
    free: Arc<Semaphore>,
    open: Arc<AtomicUsize>,
}

impl Connections {
    /// At most so many.
    #[must_use]
    pub fn at_most(most: usize) -> Connections {
        let most = most.min(Semaphore::MAX_PERMITS);
        Connections {
            most,
            free: Arc::new(Semaphore::new(most)),
            open: Arc::default(),
        }
    }

    /// The most that there may be.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }

    /// How many there are.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// A permit for one more; none if there are as many as there may be.
    pub(crate) fn another(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).try_acquire_owned().ok()
    }

    /// One has been opened with a permit.
    pub(crate) fn opened(&self, permit: OwnedSemaphorePermit) -> Opened {
        self.open.fetch_add(1, Ordering::Relaxed);
        Opened {
            _permit: permit,
            open: Arc::clone(&self.open),
        }
    }
}

/// A connection is open until this is dropped.
pub(crate) struct Opened {
    _permit: OwnedSemaphorePermit,
    open: Arc<AtomicUsize>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}
