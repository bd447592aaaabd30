//! What the service allows.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use ipnet::IpNet;

use super::tokens::Access;
use crate::search::{EffortLevel, UnknownEffort};

/// What the service allows.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The most scrambles that one answer may hold, streams aside.
    pub max_count: u32,
    /// The most scrambles of a stream.
    pub max_stream: u32,
    /// The most bytes of a competition.
    pub max_competition: usize,
    /// The level of effort of requests that name none.
    pub effort: EffortLevel,
    /// The greatest level of effort that a request may name.
    pub max_effort: EffortLevel,
    /// After how long what a request still waits for is finished in the quickest way.
    pub request_deadline: Duration,
    /// Who is answered, other than about the service itself.
    pub access: Arc<Access>,
    /// Networks of proxies that are believed in which address a request comes from.
    pub trusted_proxies: Vec<IpNet>,
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
pub(crate) struct EffortRefused {
    greatest: EffortLevel,
}

impl Settings {
    /// The level of effort of a request: the one that it names, or the service's.
    pub(crate) fn effort_of(
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
