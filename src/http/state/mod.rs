//! The state that routes and layers share: engines, limits, access tokens and metrics. Nothing here
//! depends on requests and responses.

mod document_memory;
mod engines;
mod metrics;
mod tokens;

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use cube444::Effort;
use ipnet::IpNet;
use tokio::sync::{Semaphore, watch};

pub use document_memory::DocumentMemory;
pub use engines::{ActiveRequest, Engines, Progress, Unavailable};
pub use metrics::Metrics;
pub use tokens::{InvalidTokens, Tokens};

pub(super) use document_memory::{
    BYTES_PER_SCRAMBLE, MemoryExhausted, Reservation, TIMEOUT, UNRESERVED,
};
pub(super) use engines::MethodStatus;
pub(super) use metrics::method_label;

/// The state that handlers share.
#[derive(Clone)]
pub struct AppState {
    /// The engines and the pool.
    pub engines: Arc<Engines>,
    /// Metrics.
    pub metrics: Arc<Metrics>,
    /// Permits for further connections to the service's main address.
    pub connections: Arc<Semaphore>,
    /// The memory for competition files and sheets.
    pub document_memory: DocumentMemory,
    /// Limits and defaults of requests.
    pub settings: Arc<Settings>,
}

impl AppState {
    /// All metrics in the text format of Prometheus.
    #[must_use]
    pub fn metrics(&self) -> String {
        let max = self.settings.max_connections;
        let connections = max - self.connections.available_permits();
        self.metrics.render(&self.engines, connections, max)
    }
}

/// Limits and defaults of requests.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Maximum number of scrambles in a response that is not a stream.
    pub max_count: u32,
    /// Maximum number of scrambles in a stream.
    pub max_stream: u32,
    /// Maximum size of a competition file in bytes.
    pub max_competition: usize,
    /// Maximum number of connections to the service's main address.
    pub max_connections: usize,
    /// Effort level of requests that name none.
    pub effort: Effort,
    /// Highest effort level that a request may name.
    pub max_effort: Effort,
    /// Time after which the searches of a request are cut short.
    pub request_deadline: Duration,
    /// The tokens of which requests need one, if any. They may be replaced at any time.
    pub tokens: watch::Receiver<Option<Tokens>>,
    /// Networks of proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may use the service; `*` stands for all.
    pub cors_origins: Vec<HeaderValue>,
    /// Whether the service has the interfaces of TNoodle's server.
    pub tnoodle: bool,
    /// Whether the main address serves `/metrics`, too.
    pub serve_metrics: bool,
}

impl Settings {
    /// The effort level of a request: the one that it names, or the default. Fails if the level does not exist or is
    /// above the maximum.
    pub(crate) fn effort_of<E>(&self, named: Option<Result<Effort, E>>) -> Result<Effort, String> {
        let (level, max) = (named.unwrap_or(Ok(self.effort)), self.max_effort);
        let level = level.ok().filter(|&level| level <= max);
        level.ok_or_else(|| format!("effort must be a whole number from 1 to {max}"))
    }
}
