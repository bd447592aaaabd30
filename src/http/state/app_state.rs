//! What handlers share: whether the service is ready, what it measures and what it allows.

use std::sync::Arc;
use std::time::Instant;

use super::connection_limit::Connections;
use super::metrics::Metrics;
use super::readiness::Readiness;
use super::settings::Settings;
use crate::search::{CancelFlag, Limits};

/// What handlers share.
#[derive(Clone)]
pub struct AppState {
    /// Whether the service is ready, and the pool if so.
    pub readiness: Arc<Readiness>,
    /// Measurements.
    pub metrics: Arc<Metrics>,
    /// The connections of the service's main address.
    pub connections: Arc<Connections>,
    /// What the service allows.
    pub settings: Arc<Settings>,
}

impl AppState {
    /// When what a request that begins now still waits for is to be finished in the quickest way.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.settings.request_deadline
    }
}

/// A client that waits for jobs. It leaves when this is dropped, and its jobs are cancelled.
#[derive(Default)]
pub(crate) struct Client(CancelFlag);

impl Client {
    /// Limits for jobs of this client.
    pub(crate) fn limits(&self, deadline: Instant) -> Limits {
        Limits {
            deadline: Some(deadline),
            cancel: self.0.clone(),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
