//! Waiting for jobs, for as long as a request may take.

use std::time::{Duration, Instant};

use super::AppState;
use super::error::ApiError;
use crate::pool::{JobError, Reply};
use crate::search::{CancelFlag, Limits};

/// Cancels a request's jobs when its client leaves and what waits for them is dropped.
pub(super) struct CancelOnDrop(CancelFlag);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Beyond the deadline at which searches hurry, so long may the answer take.
pub(super) const GRACE: Duration = Duration::from_secs(5);

impl AppState {
    /// Limits for a request that begins now, and what cancels its jobs when it is dropped.
    pub(super) fn limits(&self) -> (Limits, CancelOnDrop) {
        let limits = Limits {
            deadline: Some(Instant::now() + self.settings.request_deadline),
            cancel: CancelFlag::default(),
        };
        let cancel = CancelOnDrop(limits.cancel.clone());
        (limits, cancel)
    }
}

/// Waits for a job that has been queued with some limits.
pub(super) async fn answer<T>(reply: Reply<T>, limits: &Limits) -> Result<T, ApiError> {
    let overdue = limits
        .deadline
        .map_or_else(Instant::now, |deadline| deadline + GRACE);
    match tokio::time::timeout_at(overdue.into(), reply).await {
        Ok(Ok(result)) => Ok(result?),
        Ok(Err(_)) => Err(JobError::Failed.into()),
        Err(_) => Err(ApiError::TimedOut),
    }
}
