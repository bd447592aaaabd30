//! Work that would block other requests.

use crate::http::problem::ApiError;

/// Runs `work` on a thread that may block. `what` names it in the log if it panics.
pub(super) async fn blocking<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let result = tokio::task::spawn_blocking(work).await;
    result.map_err(|_| {
        tracing::error!("{what} panicked");
        ApiError::Internal
    })
}
