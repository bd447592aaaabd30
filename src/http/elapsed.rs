//! The time that a request may take.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Extensions;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Since when the service has been at work on a request: since its head arrived or, if it has a body, since that did. `None`
/// while the body arrives.
#[derive(Clone)]
pub(crate) struct Began(Arc<watch::Sender<Option<Instant>>>);

impl Began {
    /// A request that begins now, if it has not begun.
    pub(crate) fn of(request: &mut Extensions) -> Began {
        let now = || Began(Arc::new(watch::Sender::new(Some(Instant::now()))));
        request.get_or_insert_with(now).clone()
    }

    /// Stops counting until the body has arrived.
    pub(crate) fn wait_for_body(&self) {
        self.0.send_replace(None);
    }

    /// Begins to count.
    pub(crate) fn begin(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    /// When the request began.
    pub(crate) fn at(&self) -> Instant {
        self.0.borrow().unwrap_or_else(Instant::now)
    }

    /// Waits until the request has taken a time.
    pub(crate) async fn has_taken(&self, time: Duration) {
        let mut began = self.0.subscribe();
        loop {
            let at = *began.borrow_and_update();
            let passed = async {
                match at {
                    Some(at) => sleep_until(at + time).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                () = passed => return,
                _ = began.changed() => {}
            }
        }
    }
}
