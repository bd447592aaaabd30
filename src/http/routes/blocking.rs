//! What takes long enough to be in the way of other requests.

use crate::http::problem::ApiError;

/// Does something on a thread where it may take its time. `what` is for the log, if it panics.
pub(super) async fn blocking<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| {
        tracing::error!("{what} panicked");
        ApiError::Internal
    })
}
