//! Limits and defaults of requests.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use cube444::search::{Effort, UnknownEffort};
use ipnet::IpNet;

use super::tokens::Access;

/// Limits and defaults of requests.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Maximum number of scrambles in a response that is not a stream.
    pub max_count: u32,
    /// Maximum number of scrambles in a stream.
    pub max_stream: u32,
    /// Maximum size of a competition file in bytes.
    pub max_competition: usize,
    /// Effort level of requests that name none.
    pub effort: Effort,
    /// Highest effort level that a request may name.
    pub max_effort: Effort,
    /// Time after which the searches of a request are cut short.
    pub request_deadline: Duration,
    /// The tokens that requests need, if any.
    pub access: Arc<Access>,
    /// Networks of proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may use the service; `*` stands for all.
    pub cors_origins: Vec<HeaderValue>,
    /// Whether the service has the interfaces of TNoodle's server.
    pub tnoodle: bool,
    /// Whether the main address serves `/metrics`, too.
    pub serve_metrics: bool,
}

/// A request names an effort level that does not exist or is above the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("effort must be a whole number from 1 to {max}")]
pub(crate) struct EffortOutOfRange {
    max: Effort,
}

impl Settings {
    /// The effort level of a request: the one that it names, or the default.
    pub(crate) fn effort_of(
        &self,
        named: Option<Result<Effort, UnknownEffort>>,
    ) -> Result<Effort, EffortOutOfRange> {
        match named {
            None => Ok(self.effort),
            Some(Ok(level)) if level <= self.max_effort => Ok(level),
            Some(_) => Err(EffortOutOfRange {
                max: self.max_effort,
            }),
        }
    }
}
