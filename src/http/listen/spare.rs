//! Connections beyond those that there may be.

use std::collections::VecDeque;
use std::future::Future;
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;

/// How many there may be.
const MOST: usize = 8;

/// The log is not told more often.
const PAUSE: Duration = Duration::from_secs(60);

/// Connections of which each is answered at once and closed, so that probes get through when there are as
/// many others as there may be. A new one takes the place of the oldest, which has asked nothing yet.
pub(super) struct Spare {
    /// How many others there may be.
    others: usize,
    taken: VecDeque<AbortHandle>,
    told: Option<Instant>,
}

impl Spare {
    pub(super) fn new(others: usize) -> Spare {
        Spare {
            others,
            taken: VecDeque::with_capacity(MOST),
            told: None,
        }
    }

    /// Serves a connection.
    pub(super) fn take(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        if self.told.is_none_or(|told| told.elapsed() > PAUSE) {
            self.told = Some(Instant::now());
            let connections = self.others;
            tracing::warn!(
                connections,
                "as many connections are open as there may be (--max-connections); beyond them, only \
                 probes are answered"
            );
        }
        self.taken.retain(|connection| !connection.is_finished());
        if self.taken.len() == MOST
            && let Some(oldest) = self.taken.pop_front()
        {
            oldest.abort();
        }
        self.taken
            .push_back(tokio::spawn(connection).abort_handle());
    }
}
