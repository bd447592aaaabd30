//! Waiting for jobs, for as long as a request may take.

use std::time::{Duration, Instant};

use crate::http::problem::ApiError;
use crate::http::state::{NotReady, Working};
use crate::pool::{JobError, Reply};

/// Beyond the deadline at which searches hurry, so long may the answer take.
const GRACE: Duration = Duration::from_secs(5);

/// Waits for what a job of a request brings, a while beyond its deadline, or until the service ends.
pub(crate) async fn answer<T>(
    working: &Working,
    reply: Reply<T>,
    deadline: Instant,
) -> Result<T, ApiError> {
    let in_time = tokio::time::timeout_at((deadline + GRACE).into(), reply);
    let result = tokio::select! {
        result = in_time => result.map_err(|_| ApiError::TimedOut)?,
        () = working.must_end() => return Err(NotReady::Draining.into()),
    };
    // A worker that is gone has failed.
    result.unwrap_or(Err(JobError::Failed)).map_err(|error| {
        tracing::error!(%error, "a job failed");
        ApiError::Internal
    })
}
