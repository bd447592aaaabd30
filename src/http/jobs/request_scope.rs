//! Jobs that last no longer than their request.

use std::time::{Duration, Instant};

use cube444::search::{CancelFlag, Limits};

use crate::http::problem::ApiError;
use crate::http::state::{ActiveRequest, AppState, Unavailable};
use crate::pool::{JobError, Reply};

/// Time after the search deadline until a request fails.
const GRACE: Duration = Duration::from_secs(5);

/// A request that waits for jobs. Dropping this cancels them.
pub(crate) struct RequestScope {
    pub(crate) active: ActiveRequest,
    cancel: CancelFlag,
    /// Time after which searches are cut short.
    search_time: Duration,
}

impl RequestScope {
    /// Begins a request.
    ///
    /// # Errors
    ///
    /// If the service is draining.
    pub(crate) fn new(state: &AppState) -> Result<RequestScope, Unavailable> {
        Ok(RequestScope {
            active: state.engines.begin()?,
            cancel: CancelFlag::default(),
            search_time: state.settings.request_deadline,
        })
    }

    /// Limits for jobs that are queued now, and their deadline.
    pub(crate) fn limits(&self) -> (Limits, Instant) {
        let deadline = Instant::now() + self.search_time;
        let limits = Limits {
            deadline: Some(deadline),
            cancel: self.cancel.clone(),
        };
        (limits, deadline)
    }

    /// Waits for the result of a job, at most until [`GRACE`] after its deadline.
    ///
    /// # Errors
    ///
    /// If the job failed or was not done in time, or if the request is aborted.
    pub(crate) async fn result<T>(
        &self,
        reply: Reply<T>,
        deadline: Instant,
    ) -> Result<T, ApiError> {
        let in_time = tokio::time::timeout_at((deadline + GRACE).into(), reply);
        let result = tokio::select! {
            result = in_time => result.map_err(|_| ApiError::TimedOut)?,
            () = self.active.aborted() => return Err(Unavailable::Draining.into()),
        };
        // The sender is dropped without a result only if the worker fails.
        result.unwrap_or(Err(JobError::Failed)).map_err(|error| {
            tracing::error!(%error, "a job failed");
            ApiError::Internal
        })
    }
}

impl Drop for RequestScope {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
