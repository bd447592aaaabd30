//! Whether the service is ready.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;

use super::methods::Methods;
use super::progress::Progress;
use crate::pool::Pool;

/// Why the service takes no work.
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

/// The service's state of readiness: starting, then ready, then draining.
pub struct Readiness {
    state: RwLock<Phase>,
    /// Whether the requests under way must end.
    ending: watch::Sender<bool>,
    /// The methods that requests may name.
    pub methods: Methods,
}

/// A request that is being worked on. The pool lives until the last one ends.
pub struct Working {
    pool: Arc<Pool>,
    ending: watch::Receiver<bool>,
}

impl Working {
    /// The pool.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Waits until the request must end, whatever has been done of it.
    pub async fn must_end(&self) {
        let mut ending = self.ending.clone();
        if ending.wait_for(|&is_ending| is_ending).await.is_err() {
            // Nobody is left who could say so.
            std::future::pending().await
        }
    }
}

impl Readiness {
    /// A service that is starting.
    #[must_use]
    pub fn starting(methods: Methods) -> Readiness {
        Readiness {
            state: RwLock::new(Phase::Starting(Progress::nothing())),
            ending: watch::Sender::new(false),
            methods,
        }
    }

    fn set(&self, next: Phase) -> Phase {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // Draining is final.
        if matches!(*state, Phase::Draining) {
            return next;
        }
        std::mem::replace(&mut state, next)
    }

    /// Reports progress of the start.
    pub fn progress(&self, progress: Progress) {
        self.set(Phase::Starting(progress));
    }

    /// Ready from now on.
    pub fn ready(&self, pool: Pool) {
        self.set(Phase::Ready(Arc::new(pool)));
    }

    /// Takes no more work from now on. Scrambles that are ready are dropped with the pool, when no
    /// request is being worked on any more.
    pub fn drain(&self) {
        self.set(Phase::Draining);
    }

    /// Waits until no request is being worked on.
    pub async fn idle(&self) {
        // Each of them can be told to end.
        self.ending.closed().await;
    }

    /// Ends the requests under way: they are told that the service is shutting down.
    pub fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Begins to work on a request.
    ///
    /// # Errors
    ///
    /// If the service is not ready.
    pub fn working(&self) -> Result<Working, NotReady> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            Phase::Starting(progress) => Err(NotReady::Starting(progress.clone())),
            Phase::Ready(pool) => Ok(Working {
                pool: Arc::clone(pool),
                ending: self.ending.subscribe(),
            }),
            Phase::Draining => Err(NotReady::Draining),
        }
    }
}
