//! The state that handlers share.

use std::sync::Arc;

use super::connection_limit::ConnectionLimit;
use super::document_memory::DocumentMemory;
use super::metrics::Metrics;
use super::readiness::Readiness;
use super::settings::Settings;

/// The state that handlers share.
#[derive(Clone)]
pub struct AppState {
    /// Whether the service is ready; if so, it has the pool.
    pub readiness: Arc<Readiness>,
    /// Metrics.
    pub metrics: Arc<Metrics>,
    /// The connections to the service's main address.
    pub connections: Arc<ConnectionLimit>,
    /// The memory for competition files and sheets.
    pub document_memory: DocumentMemory,
    /// Limits and defaults of requests.
    pub settings: Arc<Settings>,
}
