//! The methods that a request may name, each ready for itself.

use std::sync::{Arc, PoisonError, RwLock};

use serde::Serialize;
use utoipa::ToSchema;

use super::progress::Progress;
use crate::pool::Order;
use crate::scramble::Generate;
use crate::search::EffortLevel;

/// The service's own method, and others that are prepared after it.
pub struct Methods {
    own: &'static str,
    others: Vec<Other>,
}

struct Other {
    name: &'static str,
    state: RwLock<Availability>,
}

#[derive(Clone)]
enum Availability {
    Starting(Progress),
    Ready(Arc<dyn Generate>),
    Failed,
}

/// How a method is.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct MethodStatus {
    /// Its name.
    name: &'static str,
    /// `ready`, `starting` or `failed`.
    status: &'static str,
    /// How far the start is.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
}

/// Why a method cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum MethodRefused {
    /// There is none of that name.
    #[error("method must be {0}")]
    Unknown(String),
    /// Its tables are being loaded or built.
    #[error("method {method} is being prepared: {progress}")]
    Starting {
        method: &'static str,
        progress: Progress,
    },
    /// Its tables cannot be had.
    #[error("method {0} could not be prepared; the reason has been logged")]
    Failed(&'static str),
}

impl Methods {
    /// The service's own method and the others, all of which are starting.
    #[must_use]
    pub fn new(own: &'static str, others: &[&'static str]) -> Methods {
        let other = |&name: &&'static str| Other {
            name,
            state: RwLock::new(Availability::Starting(Progress::nothing())),
        };
        Methods {
            own,
            others: others.iter().map(other).collect(),
        }
    }

    fn set(&self, method: &str, state: Availability) {
        if let Some(other) = self.others.iter().find(|other| other.name == method) {
            *other.state.write().unwrap_or_else(PoisonError::into_inner) = state;
        }
    }

    /// Reports progress in preparing another method than the service's own.
    pub fn progress(&self, method: &str, progress: Progress) {
        self.set(method, Availability::Starting(progress));
    }

    /// Another method is ready.
    pub fn ready(&self, method: &str, generator: Arc<dyn Generate>) {
        self.set(method, Availability::Ready(generator));
    }

    /// Another method cannot be had.
    pub fn failed(&self, method: &str) {
        self.set(method, Availability::Failed);
    }

    /// How to order something that is made by the method of a name, or by the service's own; with the
    /// method's name.
    pub(crate) fn order(
        &self,
        named: Option<&str>,
        effort: EffortLevel,
    ) -> Result<(&'static str, Order), MethodRefused> {
        let named = named.unwrap_or(self.own);
        if named == self.own {
            return Ok((self.own, effort.into()));
        }
        let Some(other) = self.others.iter().find(|other| other.name == named) else {
            let names: Vec<&str> = self.names().collect();
            return Err(MethodRefused::Unknown(names.join(" or ")));
        };
        match other.state() {
            Availability::Ready(generator) => Ok((other.name, Order::from(effort).by(generator))),
            Availability::Starting(progress) => Err(MethodRefused::Starting {
                method: other.name,
                progress,
            }),
            Availability::Failed => Err(MethodRefused::Failed(other.name)),
        }
    }

    /// The names that requests may give, the service's own method first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.own).chain(self.others.iter().map(|other| other.name))
    }

    /// How all methods are, in a service whose own is ready.
    pub(crate) fn statuses(&self) -> Vec<MethodStatus> {
        let own = MethodStatus {
            name: self.own,
            status: "ready",
            progress: None,
        };
        let others = self.others.iter().map(|other| {
            let (status, progress) = match other.state() {
                Availability::Starting(progress) => ("starting", Some(progress)),
                Availability::Ready(_) => ("ready", None),
                Availability::Failed => ("failed", None),
            };
            MethodStatus {
                name: other.name,
                status,
                progress,
            }
        });
        std::iter::once(own).chain(others).collect()
    }
}

impl Other {
    fn state(&self) -> Availability {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.clone()
    }
}
