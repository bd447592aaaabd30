//! Having jobs done for as long as a request may take.

use std::time::{Duration, Instant};

use crate::http::problem::ApiError;
use crate::http::state::{AppState, NotReady, Working};
use crate::pool::{JobError, Reply};
use crate::search::{CancelFlag, Limits};

/// Beyond the deadline at which searches hurry, so long may the answer take.
const GRACE: Duration = Duration::from_secs(5);

/// A request that waits for jobs. When this is dropped, its jobs are cancelled.
pub(crate) struct RequestScope {
    pub(crate) working: Working,
    cancel: CancelFlag,
    /// After how long what is still waited for is finished in the quickest way.
    hurry_after: Duration,
}

impl RequestScope {
    /// Begins to work on a request.
    ///
    /// # Errors
    ///
    /// If the service is not ready.
    pub(crate) fn new(state: &AppState) -> Result<RequestScope, NotReady> {
        Ok(RequestScope {
            working: state.readiness.working()?,
            cancel: CancelFlag::default(),
            hurry_after: state.settings.request_deadline,
        })
    }

    /// Limits for jobs that are queued now, and their deadline.
    pub(crate) fn limits(&self) -> (Limits, Instant) {
        let deadline = Instant::now() + self.hurry_after;
        let limits = Limits {
            deadline: Some(deadline),
            cancel: self.cancel.clone(),
        };
        (limits, deadline)
    }

    /// Waits for what a job brings, a while beyond its deadline, or until the service ends.
    pub(crate) async fn answer<T>(
        &self,
        reply: Reply<T>,
        deadline: Instant,
    ) -> Result<T, ApiError> {
        let in_time = tokio::time::timeout_at((deadline + GRACE).into(), reply);
        let result = tokio::select! {
            result = in_time => result.map_err(|_| ApiError::TimedOut)?,
            () = self.working.must_end() => return Err(NotReady::Draining.into()),
        };
        // A worker that is gone has failed.
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
