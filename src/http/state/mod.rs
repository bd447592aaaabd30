//! The state that routes and layers share: engines, settings, access tokens and metrics. Nothing here depends on requests
//! and responses.

mod engines;
mod memory;
mod tokens;

use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

pub use engines::{Engines, Progress, Unavailable};
pub use memory::DOCUMENT_MEMORY;
pub use tokens::{InvalidTokens, Tokens};

pub(super) use engines::MethodStatus;
pub(super) use memory::{
    BYTES_PER_SCRAMBLE, DocumentMemory, MAX_COMPETITION, Reservation, TIMEOUT, UNRESERVED,
};

use super::line::{Buffer, Line};
use super::metrics::Metrics;
use crate::settings::Settings;

/// The state that handlers share.
#[derive(Clone)]
pub struct AppState {
    /// The engines.
    pub engines: Arc<Engines>,
    pub(crate) metrics: Arc<Metrics>,
    /// Permits for further connections to the service's main address.
    pub connections: Arc<Semaphore>,
    /// The number of all permits. The limit of open files may change later.
    max_connections: usize,
    pub(crate) memory: DocumentMemory,
    pub(crate) settings: Arc<Settings>,
    /// The tokens of which requests need one, if any. They may be replaced at any time.
    pub(crate) tokens: watch::Receiver<Option<Tokens>>,
}

impl AppState {
    /// A service whose methods, the default first, are starting.
    ///
    /// # Panics
    ///
    /// If there are no methods.
    #[must_use]
    pub fn new(
        settings: Settings,
        methods: &[&'static str],
        tokens: watch::Receiver<Option<Tokens>>,
    ) -> AppState {
        let metrics = Arc::new(Metrics::default());
        // The other half is for the last request that is admitted.
        let max_time = settings.request_deadline / 2;
        let line = Line::new(
            settings.worker_count(),
            settings.max_per_client,
            max_time,
            Arc::clone(&metrics),
        );
        let buffer = Buffer::new(settings.buffer as usize, methods[0], settings.effort);
        let max_connections = settings.connections();
        AppState {
            engines: Arc::new(Engines::starting(methods, line, buffer)),
            metrics,
            connections: Arc::new(Semaphore::new(max_connections)),
            max_connections,
            memory: DocumentMemory::default(),
            settings: Arc::new(settings),
            tokens,
        }
    }

    /// All metrics in the text format of Prometheus.
    pub(crate) fn metrics(&self) -> String {
        let max = self.max_connections;
        let engines = &self.engines;
        let [jobs, streamed, capacity] = engines.line().load();
        self.metrics.render(
            &[
                (
                    "queue_jobs",
                    "Jobs waiting or running, without those of streams",
                    jobs,
                ),
                ("queue_capacity", "Maximum of queue_jobs", capacity),
                (
                    "queue_streamed_jobs",
                    "Jobs of streams, waiting or running",
                    streamed,
                ),
                (
                    "connections",
                    "Open connections",
                    max - self.connections.available_permits(),
                ),
                (
                    "connections_capacity",
                    "Maximum number of open connections",
                    max,
                ),
                (
                    "buffer_scrambles",
                    "Scrambles in the buffer",
                    engines.buffer().len(),
                ),
                (
                    "buffer_capacity",
                    "Size of the buffer in scrambles",
                    self.settings.buffer as usize,
                ),
                (
                    "ready",
                    "1 if the service is ready, otherwise 0",
                    engines.default_if_ready().is_ok().into(),
                ),
            ],
            engines
                .statuses()
                .into_iter()
                .map(|method| (method.name, method.tables, method.has_failed)),
            engines.tables(),
        )
    }
}
