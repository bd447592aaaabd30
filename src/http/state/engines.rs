//! The engines by method, the line for their work, and the life cycle of the service: starting, ready, stopping, draining.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cube444::scramble::Engine;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::http::line::{Buffer, Line};

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

/// The engines that requests may name, the default first, and the line for their work.
pub struct Engines {
    methods: watch::Sender<Box<Methods>>,
    /// Those that could not be prepared. They may be ready with small tables.
    failures: Mutex<HashSet<&'static str>>,
    line: Line,
    buffer: Arc<Buffer>,
    is_stopping: AtomicBool,
    /// The requests in progress. Closed while the service is draining.
    active: TaskTracker,
    /// Cancelled when the requests in progress must be aborted.
    abort: CancellationToken,
}

impl Engines {
    /// Methods that are starting, the default first.
    ///
    /// # Panics
    ///
    /// If there are no methods.
    pub(super) fn starting(methods: &[&'static str], line: Line, buffer: Buffer) -> Engines {
        assert!(!methods.is_empty(), "a service has a default method");
        let starting = |&name| {
            let step = "preparing".to_owned();
            let progress = Progress { step, done: 0.0 };
            let method = (name != methods[0]).then_some(name);
            (name, Err(Unavailable::Starting { method, progress }))
        };
        Engines {
            methods: watch::Sender::new(methods.iter().map(starting).collect()),
            failures: Mutex::default(),
            line,
            buffer: Arc::new(buffer),
            is_stopping: AtomicBool::new(false),
            active: TaskTracker::new(),
            abort: CancellationToken::new(),
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

    /// Makes a method available, or replaces its engine. Its buffer, if it is the default, needs a
    /// Tokio runtime.
    pub fn ready(&self, engine: Arc<dyn Engine>) {
        let method = engine.method();
        if method == self.names()[0] && !self.active.is_closed() {
            self.buffer.fill_with(Arc::clone(&engine), &self.line);
        }
        self.failures().remove(method);
        self.set(method, Ok(engine));
    }

    fn failures(&self) -> MutexGuard<'_, HashSet<&'static str>> {
        let failures = self.failures.lock();
        failures.unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports that a method could not be prepared. A method that is ready stays so.
    pub fn failed(&self, method: &'static str) {
        self.failures().insert(method);
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
        match find(&self.methods.borrow(), named) {
            Err(unknown @ Unavailable::Unknown(_)) => Err(unknown),
            _ if self.active.is_closed() => Err(Unavailable::Draining),
            engine => engine,
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
        let failures = self.failures();
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
                has_failed: engine.is_ok() && failures.contains(name),
                progress,
            }
        };
        self.methods.borrow().iter().map(status).collect()
    }

    /// The line for work.
    pub(crate) fn line(&self) -> &Line {
        &self.line
    }

    /// The scrambles that were made in advance, of the default method.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Begins a request, which is in progress until the token is dropped.
    ///
    /// # Errors
    ///
    /// If the service is draining.
    pub(crate) fn begin(&self) -> Result<TaskTrackerToken, Unavailable> {
        match self.active.is_closed() {
            true => Err(Unavailable::Draining),
            false => Ok(self.hold()),
        }
    }

    /// As [`Engines::begin`], for a request that may turn out to need no work, also while the service is draining.
    pub(crate) fn hold(&self) -> TaskTrackerToken {
        self.active.token()
    }

    /// Waits until the requests in progress must be aborted.
    pub(crate) async fn aborted(&self) {
        self.abort.cancelled().await;
    }

    /// Announces that the service is going to refuse requests: `/readyz` fails, and responses close their connections.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the service is stopping or draining.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Refuses requests from now on, and drops the scrambles that were made in advance.
    pub fn drain(&self) {
        self.stop();
        self.active.close();
        self.buffer.close();
    }

    /// Waits until there are no active requests.
    pub async fn ended(&self) {
        self.active.wait().await;
    }

    /// Aborts the active requests. They fail because the service is shutting down.
    pub fn abort_requests(&self) {
        self.abort.cancel();
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
    pub(crate) name: &'static str,
    /// `ready`, `starting` or `failed`.
    status: &'static str,
    /// The profile of its tables, if it is ready: `pocket`, `compact` or `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tables: Option<&'static str>,
    /// Whether small tables serve, as its own could not be opened or built.
    #[serde(default, rename = "failed", skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_failed: bool,
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
