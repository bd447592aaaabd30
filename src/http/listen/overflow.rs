//! Connections beyond the limit.

use std::collections::VecDeque;
use std::future::Future;
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;

/// Maximum number of connections beyond the limit.
pub(crate) const MAX_OVERFLOW: usize = 8;

/// Minimum time between two warnings in the log.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// Serves a few connections beyond the limit, so that probes get through when all others are taken. Their
/// responses close them. At most eight are open: a new one replaces the oldest, which has sent no request
/// yet.
pub(super) struct Overflow {
    /// The limit that is exceeded, for the log.
    limit: usize,
    open: VecDeque<AbortHandle>,
    warned: Option<Instant>,
}

impl Overflow {
    pub(super) fn new(limit: usize) -> Overflow {
        Overflow {
            limit,
            open: VecDeque::with_capacity(MAX_OVERFLOW),
            warned: None,
        }
    }

    /// Serves a connection.
    pub(super) fn serve(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        if self.warned.is_none_or(|at| at.elapsed() > WARNING_INTERVAL) {
            self.warned = Some(Instant::now());
            tracing::warn!(
                connections = self.limit,
                "the connection limit (--max-connections) is reached; further connections are only \
                 for probes"
            );
        }
        self.open.retain(|connection| !connection.is_finished());
        if self.open.len() == MAX_OVERFLOW
            && let Some(oldest) = self.open.pop_front()
        {
            oldest.abort();
        }
        self.open.push_back(tokio::spawn(connection).abort_handle());
    }
}
