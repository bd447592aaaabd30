//! The engines by method, the pool, and the life cycle of the service: starting, ready, stopping, draining.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cube444::scramble::Engine;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::pool::Pool;

/// How long a request waits for a method that is starting and is not the default.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why there is no engine for a request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unavailable {
    /// The tables of a method are being loaded or built.
    #[error("{}: {progress}", starting(*method))]
    Starting {
        /// The method, unless it is the default.
        method: Option<&'static str>,
        /// The progress.
        progress: Progress,
    },
    /// The service is shutting down.
    #[error("the service is shutting down")]
    Draining,
    /// The service has no method of that name.
    #[error("method must be {0}")]
    Unknown(String),
    /// The tables of a method could neither be loaded nor built.
    #[error("method {0} could not be prepared; the reason has been logged")]
    Failed(&'static str),
}

/// Methods, the default first, with their engines or why there is none.
type Methods = [(&'static str, EngineResult)];

/// The engine of a method, or why there is none.
type EngineResult = Result<Arc<dyn Engine>, Unavailable>;

/// The engines that requests may name, the default first, and the pool that works for them.
pub struct Engines {
    methods: watch::Sender<Box<Methods>>,
    /// `None` while the service is draining.
    pool: watch::Sender<Option<Arc<Pool>>>,
    is_stopping: AtomicBool,
    /// Becomes true when active requests must be aborted. Each of them has a receiver.
    abort: watch::Sender<bool>,
}

/// A request in progress. It keeps the pool alive.
pub struct ActiveRequest {
    /// The pool.
    pub pool: Arc<Pool>,
    abort: watch::Receiver<bool>,
}

impl ActiveRequest {
    /// Waits until the request must be aborted.
    pub async fn aborted(&self) {
        // If the sender is gone, so is the service.
        let _ = self.abort.clone().wait_for(|&is_aborted| is_aborted).await;
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
        let starting = |&name| {
            let step = "preparing".to_owned();
            let progress = Progress { step, done: 0.0 };
            let method = (name != methods[0]).then_some(name);
            (name, Err(Unavailable::Starting { method, progress }))
        };
        Engines {
            methods: watch::Sender::new(methods.iter().map(starting).collect()),
            pool: watch::Sender::new(Some(Arc::new(pool))),
            is_stopping: AtomicBool::new(false),
            abort: watch::Sender::new(false),
        }
    }

    /// Sets the engine of a method, or why there is none, unless it is ready.
    fn set(&self, method: &str, engine: EngineResult) {
        self.methods.send_if_modified(|methods| {
            let named = methods.iter_mut().find(|(name, _)| *name == method);
            let replaced = named.filter(|(_, current)| engine.is_ok() || current.is_err());
            replaced.map(|(_, current)| *current = engine).is_some()
        });
    }

    /// Reports progress in preparing a method.
    pub fn progress(&self, name: &'static str, progress: Progress) {
        let method = (name != self.names()[0]).then_some(name);
        self.set(name, Err(Unavailable::Starting { method, progress }));
    }

    /// Makes a method available, or replaces its engine. The buffer is for the default method.
    pub fn ready(&self, engine: Arc<dyn Engine>) {
        let method = engine.method();
        if method == self.names()[0]
            && let Some(pool) = self.pool()
        {
            pool.fill_buffer(Arc::clone(&engine));
        }
        self.set(method, Ok(engine));
    }

    /// Reports that a method could not be prepared. A method that is ready stays so.
    pub fn failed(&self, method: &'static str) {
        self.set(method, Err(Unavailable::Failed(method)));
    }

    /// The engine of the named method, or of the default. Waits up to two seconds for a method that is starting,
    /// unless it is the default.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn get(&self, named: Option<&str>) -> Result<Arc<dyn Engine>, Unavailable> {
        let mut methods = self.methods.subscribe();
        let is_settled = methods.wait_for(|methods| match find(methods, named) {
            Err(Unavailable::Starting { method, .. }) => method.is_none(),
            _ => true,
        });
        // Afterwards the error is that the method is starting.
        let _ = timeout(PATIENCE, is_settled).await;
        self.get_now(named)
    }

    /// The engine of the named method, or of the default, if it is ready.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_now(&self, named: Option<&str>) -> Result<Arc<dyn Engine>, Unavailable> {
        let engine = find(&self.methods.borrow(), named);
        match (engine, self.pool()) {
            (Err(unknown @ Unavailable::Unknown(_)), _) => Err(unknown),
            (_, None) => Err(Unavailable::Draining),
            (engine, Some(_)) => engine,
        }
    }

    /// The engine of the default method, if the service is ready.
    ///
    /// # Errors
    ///
    /// If it is starting or stopping, or could not start.
    pub(crate) fn default_if_ready(&self) -> Result<Arc<dyn Engine>, Unavailable> {
        if self.is_stopping() {
            return Err(Unavailable::Draining);
        }
        self.get_now(None)
    }

    /// The tables of the default method; `none` until it is ready for the first time.
    pub(crate) fn tables(&self) -> &'static str {
        let engine = find(&self.methods.borrow(), None);
        engine.map_or("none", |engine| engine.tables())
    }

    /// The names that requests may give, the default first.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        names(&self.methods.borrow())
    }

    /// The status of all methods, the default first.
    pub(crate) fn statuses(&self) -> Vec<MethodStatus> {
        let status = |&(name, ref engine): &(&'static str, EngineResult)| {
            let (status, tables, progress) = match engine {
                Ok(engine) => ("ready", Some(engine.tables()), None),
                Err(Unavailable::Starting { progress, .. }) => {
                    ("starting", None, Some(progress.clone()))
                }
                Err(_) => ("failed", None, None),
            };
            MethodStatus {
                name,
                status,
                tables,
                progress,
            }
        };
        self.methods.borrow().iter().map(status).collect()
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
        self.pool.borrow().clone()
    }

    /// Announces that the service is going to refuse requests: `/readyz` fails, and responses close their connections.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the service is stopping or draining.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Refuses requests from now on. The pool and its buffer are dropped after the last active request.
    pub fn drain(&self) {
        self.stop();
        self.pool.send_replace(None);
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
        let mut abort = self.abort.subscribe();
        let _ = abort.wait_for(|&is_aborted| is_aborted).await;
    }
}

/// What is starting: the service, or a method that is not its default.
fn starting(method: Option<&str>) -> String {
    method.map_or_else(
        || "the service is starting".to_owned(),
        |method| format!("method {method} is being prepared"),
    )
}

/// The engine of the named method, or of the default.
fn find(methods: &Methods, named: Option<&str>) -> EngineResult {
    let named = named.unwrap_or(methods[0].0);
    let found = methods.iter().find(|(name, _)| *name == named);
    let unknown = || Err(Unavailable::Unknown(names(methods).join(" or ")));
    found.map_or_else(unknown, |(_, engine)| engine.clone())
}

fn names(methods: &Methods) -> Vec<&'static str> {
    methods.iter().map(|&(name, _)| name).collect()
}

/// Whether a method is available.
#[derive(JsonSchema, Serialize)]
pub(crate) struct MethodStatus {
    /// Its name.
    name: &'static str,
    /// `ready`, `starting` or `failed`.
    status: &'static str,
    /// The profile of its tables, if it is ready: `pocket`, `compact` or `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<&'static str>,
    /// Progress of the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
}

/// Progress of the start.
#[derive(Clone, Debug, derive_more::Display, JsonSchema, PartialEq, Serialize)]
#[display("{step} ({:.0} % done)", 100.0 * done)]
pub struct Progress {
    /// The current step.
    pub step: String,
    /// The fraction that is done, from 0 to 1.
    pub done: f64,
}
