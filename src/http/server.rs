//! Listening, and shutting down.

use std::future::Future;
use std::time::Duration;

use tokio::net::TcpListener;

use super::{AppState, router};

/// Serves until `stop` resolves, then lets requests in flight finish for at most `deadline`.
///
/// # Errors
///
/// If the listener fails.
pub async fn serve(
    listener: TcpListener,
    state: AppState,
    stop: impl Future<Output = ()> + Send + 'static,
    deadline: Duration,
) -> std::io::Result<()> {
    let readiness = state.readiness.clone();
    let (draining, drained) = tokio::sync::oneshot::channel();
    let stopping = async move {
        stop.await;
        readiness.drain();
        let _ = draining.send(());
    };
    let server = axum::serve(listener, router(state)).with_graceful_shutdown(stopping);
    let overdue = async {
        // Never, unless draining has begun.
        if drained.await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(deadline).await;
    };
    tokio::select! {
        result = server.into_future() => result,
        () = overdue => {
            tracing::warn!("requests still in flight at the shutdown deadline were cut off");
            Ok(())
        }
    }
}
