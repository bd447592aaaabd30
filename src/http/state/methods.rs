//! The methods that requests may name.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::progress::Progress;
use crate::pool::JobOptions;
use cube444::scramble::Engine;
use cube444::search::Effort;

/// How long a request waits for a method that is starting.
const PATIENCE: Duration = Duration::from_secs(2);

/// The default method, which the pool has, and others, which become ready after it.
pub struct Methods {
    default: &'static str,
    others: Vec<Other>,
    /// Wakes requests that wait for a method.
    changed: Notify,
}

struct Other {
    name: &'static str,
    availability: RwLock<Availability>,
}

#[derive(Clone)]
enum Availability {
    Starting(Progress),
    Ready(Arc<dyn Engine>),
    Failed,
}

/// Whether a method is available.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MethodStatus {
    /// Its name.
    name: &'static str,
    /// `ready`, `starting` or `failed`.
    status: &'static str,
    /// The profile of its tables, if it is ready: `pocket`, `compact` or `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<&'static str>,
    /// Progress of the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
}

/// A method is unavailable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum MethodError {
    /// The service has no method of that name.
    #[error("method must be {0}")]
    Unknown(String),
    /// Its tables are being loaded or built.
    #[error("method {method} is being prepared: {progress}")]
    Starting {
        method: &'static str,
        progress: Progress,
    },
    /// Its tables could neither be loaded nor built.
    #[error("method {0} could not be prepared; the reason has been logged")]
    Failed(&'static str),
}

impl Methods {
    /// The default method, and others that are starting.
    #[must_use]
    pub fn new(default: &'static str, others: &[&'static str]) -> Methods {
        let other = |&name: &&'static str| Other {
            name,
            availability: RwLock::new(Availability::Starting(Progress::preparing())),
        };
        Methods {
            default,
            others: others.iter().map(other).collect(),
            changed: Notify::new(),
        }
    }

    /// Sets the availability of a method that is not the default, unless it is ready and `keeps_ready` is set. Returns
    /// whether it was set.
    fn set(&self, method: &str, availability: Availability, keeps_ready: bool) -> bool {
        let Some(other) = self.others.iter().find(|other| other.name == method) else {
            return false;
        };
        let current = other.availability.write();
        let mut current = current.unwrap_or_else(PoisonError::into_inner);
        if keeps_ready && matches!(*current, Availability::Ready(_)) {
            return false;
        }
        *current = availability;
        drop(current);
        self.changed.notify_waiters();
        true
    }

    /// Reports progress in preparing a method that is not the default.
    pub fn progress(&self, method: &str, progress: Progress) {
        self.set(method, Availability::Starting(progress), true);
    }

    /// Makes a method available that is not the default, or replaces its generator.
    pub fn ready(&self, method: &str, generator: Arc<dyn Engine>) {
        self.set(method, Availability::Ready(generator), false);
    }

    /// Makes a method available that is not the default, unless it is. Returns whether it was not.
    pub fn ready_until_opened(&self, method: &str, generator: Arc<dyn Engine>) -> bool {
        self.set(method, Availability::Ready(generator), true)
    }

    /// Reports that a method could not be prepared. A method that is ready stays so.
    pub fn failed(&self, method: &str) {
        self.set(method, Availability::Failed, true);
    }

    /// As [`Methods::job_options_now`], but waits for a method that is starting, up to two seconds.
    pub(crate) async fn job_options(
        &self,
        named: Option<&str>,
        effort: Effort,
    ) -> Result<(&'static str, JobOptions), MethodError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let changed = self.changed.notified();
            let options = self.job_options_now(named, effort);
            let is_starting = matches!(options, Err(MethodError::Starting { .. }));
            if !is_starting || timeout_at(deadline, changed).await.is_err() {
                return options;
            }
        }
    }

    /// The options of jobs for the named method, or for the default, and the method's name.
    pub(crate) fn job_options_now(
        &self,
        named: Option<&str>,
        effort: Effort,
    ) -> Result<(&'static str, JobOptions), MethodError> {
        let named = named.unwrap_or(self.default);
        if named == self.default {
            return Ok((self.default, effort.into()));
        }
        let Some(other) = self.others.iter().find(|other| other.name == named) else {
            let names: Vec<&str> = self.names().collect();
            return Err(MethodError::Unknown(names.join(" or ")));
        };
        match other.availability() {
            Availability::Ready(generator) => Ok((
                other.name,
                JobOptions::from(effort).with_generator(generator),
            )),
            Availability::Starting(progress) => Err(MethodError::Starting {
                method: other.name,
                progress,
            }),
            Availability::Failed => Err(MethodError::Failed(other.name)),
        }
    }

    /// The names that requests may give, the default first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.default).chain(self.others.iter().map(|other| other.name))
    }

    /// The status of all methods in a service that is ready, the default first, whose tables are given.
    pub(crate) fn statuses(&self, tables: &'static str) -> Vec<MethodStatus> {
        let default = MethodStatus {
            name: self.default,
            status: "ready",
            tables: Some(tables),
            progress: None,
        };
        let others = self.others.iter().map(|other| {
            let (status, tables, progress) = match other.availability() {
                Availability::Starting(progress) => ("starting", None, Some(progress)),
                Availability::Ready(generator) => ("ready", Some(generator.tables()), None),
                Availability::Failed => ("failed", None, None),
            };
            MethodStatus {
                name: other.name,
                status,
                tables,
                progress,
            }
        });
        std::iter::once(default).chain(others).collect()
    }
}

impl Other {
    fn availability(&self) -> Availability {
        let availability = self.availability.read();
        availability.unwrap_or_else(PoisonError::into_inner).clone()
    }
}
