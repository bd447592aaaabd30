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

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Arc;

    use super::*;

    /// Lets spawned tasks run until they wait.
    async fn settle() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_replaces_the_oldest_of_eight() {
        let mut overflow = Overflow::new(1);
        let connections: Vec<Arc<()>> = (0..20).map(|_| Arc::default()).collect();
        for (number, connection) in connections.iter().enumerate() {
            let open = Arc::clone(connection);
            overflow.serve(async move {
                let _open = open;
                pending().await
            });
            settle().await;
            let is_open = connections.iter().map(|one| Arc::strong_count(one) > 1);
            let expected = (0..20).map(|other| other <= number && number < other + MAX_OVERFLOW);
            assert!(is_open.eq(expected), "{number}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_have_ended_do_not_count() {
        let mut overflow = Overflow::new(1);
        let open = Arc::new(());
        for _ in 0..MAX_OVERFLOW - 1 {
            let open = Arc::clone(&open);
            overflow.serve(async move {
                let _open = open;
                pending().await
            });
        }
        for _ in 0..20 {
            overflow.serve(async {});
            settle().await;
            assert_eq!(Arc::strong_count(&open), MAX_OVERFLOW);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_warning_is_logged_at_most_once_a_minute() {
        let mut overflow = Overflow::new(1);
        let mut warned = Vec::new();
        let began = Instant::now();
        // A connection every seven seconds.
        for _ in 0..20 {
            overflow.serve(async {});
            warned.extend(overflow.warned.map(|at| at - began));
            tokio::time::advance(Duration::from_secs(7)).await;
        }
        warned.dedup();
        assert_eq!(warned, [0, 63, 126].map(Duration::from_secs));
    }
}
