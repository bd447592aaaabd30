//! The engines by method, the pool, and the life cycle of the service: starting, ready, draining.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use cube444::scramble::Engine;
use serde::Serialize;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

use crate::pool::Pool;

/// How long a request waits for a method that is starting and is not the default.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why there is no engine for a request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unavailable {
    /// The tables of the default method are being loaded or built.
    #[error("the service is starting: {0}")]
    Starting(Progress),
    /// The service is shutting down.
    #[error("the service is shutting down")]
    Draining,
    /// The service has no method of that name.
    #[error("method must be {0}")]
    Unknown(String),
    /// The tables of a method that is not the default are being loaded or built.
    #[error("method {method} is being prepared: {progress}")]
    MethodStarting {
        /// The method.
        method: &'static str,
        /// The progress.
        progress: Progress,
    },
    /// The tables of a method could neither be loaded nor built.
    #[error("method {0} could not be prepared; the reason has been logged")]
    Failed(&'static str),
}

/// An engine, if it is ready.
#[derive(Clone)]
enum Availability {
    Starting(Progress),
    Ready(Arc<dyn Engine>),
    Failed,
}

/// Whether a method is available.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MethodStatus {
    name: &'static str,
    /// `ready`, `starting` or `failed`.
    status: &'static str,
    /// The profile of its tables, if it is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
}

/// The engines that requests may name, the default first, and the pool that works for them.
pub struct Engines {
    methods: Vec<(&'static str, RwLock<Availability>)>,
    /// Wakes requests that wait for a method.
    changed: Notify,
    /// `None` while the service is draining.
    pool: RwLock<Option<Arc<Pool>>>,
    /// Becomes true when active requests must be aborted. Each of them has a receiver.
    abort: watch::Sender<bool>,
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

impl Engines {
    /// Methods that are starting, the default first.
    ///
    /// # Panics
    ///
    /// If there are no methods.
    #[must_use]
    pub fn starting(pool: Pool, methods: &[&'static str]) -> Engines {
        assert!(!methods.is_empty(), "a service has a default method");
        let starting = || RwLock::new(Availability::Starting(Progress::preparing()));
        Engines {
            methods: methods.iter().map(|&name| (name, starting())).collect(),
            changed: Notify::new(),
            pool: RwLock::new(Some(Arc::new(pool))),
            abort: watch::Sender::new(false),
        }
    }

    /// Sets the availability of a method, unless it is ready and `keeps_ready` is set. Returns whether it was set.
    fn set(&self, method: &str, availability: Availability, keeps_ready: bool) -> bool {
        let Some((_, current)) = self.methods.iter().find(|(name, _)| *name == method) else {
            return false;
        };
        let mut current = current.write().unwrap_or_else(PoisonError::into_inner);
        if keeps_ready && matches!(*current, Availability::Ready(_)) {
            return false;
        }
        *current = availability;
        drop(current);
        self.changed.notify_waiters();
        true
    }

    /// Reports progress in preparing a method.
    pub fn progress(&self, method: &str, progress: Progress) {
        self.set(method, Availability::Starting(progress), true);
    }

    /// Makes a method available, or replaces its engine. The buffer is for the default method.
    pub fn ready(&self, engine: Arc<dyn Engine>) {
        let method = engine.method();
        if method == self.methods[0].0
            && let Some(pool) = self.pool()
        {
            pool.fill_buffer(Arc::clone(&engine));
        }
        self.set(method, Availability::Ready(engine), false);
    }

    /// Makes a method available that is not the default, unless it is. Returns whether it was not.
    pub fn ready_until_opened(&self, engine: Arc<dyn Engine>) -> bool {
        self.set(engine.method(), Availability::Ready(engine), true)
    }

    /// Reports that a method could not be prepared. A method that is ready stays so.
    pub fn failed(&self, method: &str) {
        self.set(method, Availability::Failed, true);
    }

    /// The engine of the named method, or of the default. Waits up to two seconds for a method that is starting,
    /// unless it is the default.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn get(&self, named: Option<&str>) -> Result<Arc<dyn Engine>, Unavailable> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let changed = self.changed.notified();
            let engine = self.get_now(named);
            let is_starting = matches!(engine, Err(Unavailable::MethodStarting { .. }));
            if !is_starting || timeout_at(deadline, changed).await.is_err() {
                return engine;
            }
        }
    }

    /// The engine of the named method, or of the default, if it is ready.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_now(&self, named: Option<&str>) -> Result<Arc<dyn Engine>, Unavailable> {
        let default = self.methods[0].0;
        let named = named.unwrap_or(default);
        let Some((method, availability)) = self.methods.iter().find(|(name, _)| *name == named)
        else {
            return Err(Unavailable::Unknown(
                self.names().collect::<Vec<_>>().join(" or "),
            ));
        };
        self.pool().ok_or(Unavailable::Draining)?;
        match read(availability) {
            Availability::Ready(engine) => Ok(engine),
            Availability::Starting(progress) if *method == default => {
                Err(Unavailable::Starting(progress))
            }
            Availability::Starting(progress) => {
                Err(Unavailable::MethodStarting { method, progress })
            }
            Availability::Failed => Err(Unavailable::Failed(method)),
        }
    }

    /// The names that requests may give, the default first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.methods.iter().map(|&(name, _)| name)
    }

    /// The status of all methods, the default first.
    pub(crate) fn statuses(&self) -> Vec<MethodStatus> {
        let status = |(name, availability): &(&'static str, RwLock<Availability>)| {
            let (status, tables, progress) = match read(availability) {
                Availability::Starting(progress) => ("starting", None, Some(progress)),
                Availability::Ready(engine) => ("ready", Some(engine.tables()), None),
                Availability::Failed => ("failed", None, None),
            };
            MethodStatus {
                name,
                status,
                tables,
                progress,
            }
        };
        self.methods.iter().map(status).collect()
    }

    /// Begins a request.
    ///
    /// # Errors
    ///
    /// If the service is draining.
    pub fn begin(&self) -> Result<ActiveRequest, Unavailable> {
        let pool = self.pool().ok_or(Unavailable::Draining)?;
        let abort = self.abort.subscribe();
        Ok(ActiveRequest { pool, abort })
    }

    fn pool(&self) -> Option<Arc<Pool>> {
        let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
        pool.clone()
    }

    /// Refuses requests from now on. The pool and its buffer are dropped after the last active request.
    pub fn drain(&self) {
        let pool = self
            .pool
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // Without the lock.
        drop(pool);
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
}

fn read(availability: &RwLock<Availability>) -> Availability {
    let availability = availability.read();
    availability.unwrap_or_else(PoisonError::into_inner).clone()
}

/// Progress of the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// The current step.
    pub step: String,
    /// The fraction that is done, from 0 to 1.
    pub done: f64,
}

impl Progress {
    /// The first step, of which nothing is done.
    pub(crate) fn preparing() -> Progress {
        Progress {
            step: "preparing".to_owned(),
            done: 0.0,
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.0} % done)", self.step, 100.0 * self.done)
    }
}
