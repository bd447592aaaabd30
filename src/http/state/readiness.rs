//! The life cycle of the service: starting, ready, draining.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;

use super::methods::Methods;
use super::progress::Progress;
use crate::pool::Pool;

/// Why the service accepts no requests.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotReady {
    /// Tables are being loaded or built.
    #[error("the service is starting: {0}")]
    Starting(Progress),
    /// The service is shutting down.
    #[error("the service is shutting down")]
    Draining,
}

enum Phase {
    Starting(Progress),
    Ready(Arc<Pool>),
    Draining,
}

/// Whether the service is starting, ready or draining.
pub struct Readiness {
    phase: RwLock<Phase>,
    /// Becomes true when active requests must be aborted. Each of them has a receiver.
    abort: watch::Sender<bool>,
    /// The methods that requests may name.
    pub methods: Methods,
}

/// A request in progress. It keeps the pool alive.
pub struct ActiveRequest {
    pool: Arc<Pool>,
    abort: watch::Receiver<bool>,
}

impl ActiveRequest {
    /// The pool.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Waits until the request must be aborted.
    pub async fn aborted(&self) {
        let mut abort = self.abort.clone();
        if abort.wait_for(|&is_aborted| is_aborted).await.is_err() {
            // The sender is gone, so nothing will abort the request.
            std::future::pending().await
        }
    }
}

impl Readiness {
    /// A service that is starting.
    #[must_use]
    pub fn starting(methods: Methods) -> Readiness {
        Readiness {
            phase: RwLock::new(Phase::Starting(Progress::preparing())),
            abort: watch::Sender::new(false),
            methods,
        }
    }

    /// Enters a phase, and returns the one before so that the caller drops it without the lock.
    fn set(&self, next: Phase) -> Phase {
        let mut phase = self.phase.write().unwrap_or_else(PoisonError::into_inner);
        // Draining is final.
        if matches!(*phase, Phase::Draining) {
            return next;
        }
        std::mem::replace(&mut phase, next)
    }

    /// Reports progress of the start.
    pub fn progress(&self, progress: Progress) {
        self.set(Phase::Starting(progress));
    }

    /// Makes the service ready.
    pub fn ready(&self, pool: Pool) {
        self.set(Phase::Ready(Arc::new(pool)));
    }

    /// Refuses requests from now on. The pool and its buffer are dropped after the last active request.
    pub fn drain(&self) {
        self.set(Phase::Draining);
    }

    /// Waits until there are no active requests.
    pub async fn idle(&self) {
        self.abort.closed().await;
    }

    /// Aborts the active requests. They fail because the service is shutting down.
    pub fn abort_requests(&self) {
        self.abort.send_replace(true);
    }

    /// Begins a request.
    ///
    /// # Errors
    ///
    /// If the service is not ready.
    pub fn begin_request(&self) -> Result<ActiveRequest, NotReady> {
        match &*self.phase.read().unwrap_or_else(PoisonError::into_inner) {
            Phase::Starting(progress) => Err(NotReady::Starting(progress.clone())),
            Phase::Ready(pool) => Ok(ActiveRequest {
                pool: Arc::clone(pool),
                abort: self.abort.subscribe(),
            }),
            Phase::Draining => Err(NotReady::Draining),
        }
    }
}
