//! What handlers share: whether the service is ready, what it measures and what it allows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::HeaderValue;

use super::connections::Connections;
use super::metrics::Metrics;
use super::readiness::Readiness;
use super::tokens::Access;
use crate::search::{CancelFlag, Limits};
use crate::search::{EffortLevel, UnknownEffort};

/// What the service allows.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The most scrambles that one answer may hold, streams aside.
    pub max_count: u32,
    /// The most scrambles of a stream.
    pub max_stream: u32,
    /// The level of effort of requests that name none.
    pub effort: EffortLevel,
    /// The greatest level of effort that a request may name.
    pub max_effort: EffortLevel,
    /// After how long what a request still waits for is finished in the quickest way.
    pub request_deadline: Duration,
    /// Who is answered, other than about the service itself.
    pub access: Arc<Access>,
    /// Origins whose web pages may ask; `*` stands for all.
    pub cors_origins: Vec<HeaderValue>,
    /// Whether the service also has the interfaces of TNoodle's server.
    pub tnoodle: bool,
    /// Whether `/metrics` is here, and not on a port of its own.
    pub metrics_here: bool,
}

/// A request names a level of effort that it may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("effort must be a whole number from 1 to {greatest}")]
pub(super) struct EffortRefused {
    greatest: EffortLevel,
}

impl Settings {
    /// The level of effort of a request: the one that it names, or the service's.
    pub(super) fn effort_of(
        &self,
        named: Option<Result<EffortLevel, UnknownEffort>>,
    ) -> Result<EffortLevel, EffortRefused> {
        match named {
            None => Ok(self.effort),
            Some(Ok(level)) if level <= self.max_effort => Ok(level),
            Some(_) => Err(EffortRefused {
                greatest: self.max_effort,
            }),
        }
    }
}

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
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.settings.request_deadline
    }
}

/// A client that waits for jobs. It leaves when this is dropped, and its jobs are cancelled.
#[derive(Default)]
pub(super) struct Client(CancelFlag);

impl Client {
    /// Limits for jobs of this client.
    pub(super) fn limits(&self, deadline: Instant) -> Limits {
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
