//! The life cycle of the service: starting, ready, draining.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;

use super::methods::Methods;
use super::progress::Progress;
use crate::pool::{JobOptions, Pool};

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
    /// The pool is for methods that are ready before the default.
    Starting(Progress, Option<Arc<Pool>>),
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
        aborted(self.abort.clone()).await;
    }
}

/// Waits until requests must be aborted.
async fn aborted(mut abort: watch::Receiver<bool>) {
    if abort.wait_for(|&is_aborted| is_aborted).await.is_err() {
        // The sender is gone, so nothing will abort the request.
        std::future::pending().await
    }
}

impl Readiness {
    /// A service that is starting.
    #[must_use]
    pub fn starting(methods: Methods) -> Readiness {
        Readiness {
            phase: RwLock::new(Phase::Starting(Progress::preparing(), None)),
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
        let mut phase = self.phase.write().unwrap_or_else(PoisonError::into_inner);
        if let Phase::Starting(current, _) = &mut *phase {
            *current = progress;
        }
    }

    /// Accepts requests for methods that are ready, while the default is still being prepared.
    pub fn ready_but_for_default(&self, pool: Pool) {
        self.set(Phase::Starting(Progress::preparing(), Some(Arc::new(pool))));
    }

    /// Makes the service ready. If it has been, new requests get the new pool, and active ones keep theirs.
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

    /// Waits until active requests must be aborted. Meanwhile the service is not idle.
    pub(crate) async fn aborted(&self) {
        aborted(self.abort.subscribe()).await;
    }

    /// Begins a request for any method.
    ///
    /// # Errors
    ///
    /// If the service is not ready.
    pub fn begin_request(&self) -> Result<ActiveRequest, NotReady> {
        self.begin(false)
    }

    /// Begins a request for jobs with some options.
    ///
    /// # Errors
    ///
    /// If the service is not ready. Jobs that do not need the default method may begin earlier.
    pub fn begin_request_for(&self, options: &JobOptions) -> Result<ActiveRequest, NotReady> {
        self.begin(options.has_generator())
    }

    fn begin(&self, is_early: bool) -> Result<ActiveRequest, NotReady> {
        let pool = match &*self.phase.read().unwrap_or_else(PoisonError::into_inner) {
            Phase::Starting(_, Some(pool)) if is_early => Arc::clone(pool),
            Phase::Starting(progress, _) => return Err(NotReady::Starting(progress.clone())),
            Phase::Ready(pool) => Arc::clone(pool),
            Phase::Draining => return Err(NotReady::Draining),
        };
        let abort = self.abort.subscribe();
        Ok(ActiveRequest { pool, abort })
    }
}
