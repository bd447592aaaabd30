//! The state that handlers share.

use std::sync::Arc;

use super::connection_limit::ConnectionLimit;
use super::document_memory::DocumentMemory;
use super::engines::{Engines, Unavailable};
use super::metrics::Metrics;
use super::settings::Settings;
use crate::pool::JobOptions;

/// The state that handlers share.
#[derive(Clone)]
pub struct AppState {
    /// The engines and the pool.
    pub engines: Arc<Engines>,
    /// Metrics.
    pub metrics: Arc<Metrics>,
    /// The connections to the service's main address.
    pub connections: Arc<ConnectionLimit>,
    /// The memory for competition files and sheets.
    pub document_memory: DocumentMemory,
    /// Limits and defaults of requests.
    pub settings: Arc<Settings>,
}

impl AppState {
    /// Options of jobs for the default method with the default effort.
    pub(crate) fn default_options(&self) -> Result<JobOptions, Unavailable> {
        Ok(JobOptions::new(
            self.engines.get_now(None)?,
            self.settings.effort,
        ))
    }
}
