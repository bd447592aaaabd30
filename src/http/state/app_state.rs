//! What handlers share: whether the service is ready, what it measures and what it allows.

use std::sync::Arc;

use super::connection_limit::Connections;
use super::documents::Documents;
use super::metrics::Metrics;
use super::readiness::Readiness;
use super::settings::Settings;

/// What handlers share.
#[derive(Clone)]
pub struct AppState {
    /// Whether the service is ready, and the pool if so.
    pub readiness: Arc<Readiness>,
    /// Measurements.
    pub metrics: Arc<Metrics>,
    /// The connections of the service's main address.
    pub connections: Arc<Connections>,
    /// The memory that documents may take.
    pub documents: Documents,
    /// What the service allows.
    pub settings: Arc<Settings>,
}
