//! Waiting for jobs, for as long as a request may take.

use std::time::{Duration, Instant};

use super::problem::ApiError;
use crate::pool::{JobError, Reply};

/// Beyond the deadline at which searches hurry, so long may the answer take.
const GRACE: Duration = Duration::from_secs(5);

/// Waits for what a job brings, a while beyond its deadline.
pub(super) async fn answer<T>(reply: Reply<T>, deadline: Instant) -> Result<T, ApiError> {
    let result = tokio::time::timeout_at((deadline + GRACE).into(), reply)
        .await
        .map_err(|_| ApiError::TimedOut)?;
    // A worker that is gone has failed.
    result.unwrap_or(Err(JobError::Failed)).map_err(|error| {
        tracing::error!(%error, "a job failed");
        ApiError::Internal
    })
}
