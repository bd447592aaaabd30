//! Waiting for what other threads and processes do.

use std::time::{Duration, Instant};

/// Waits for something that will happen; five minutes is far more than it takes.
pub(crate) fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let began = Instant::now();
    while !happened() {
        assert!(
            began.elapsed() < Duration::from_secs(300),
            "{what}: not yet"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}
