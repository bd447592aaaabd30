//! Waiting for other threads and processes.

use std::time::{Duration, Instant};

/// Waits until `happened` returns true, for a minute at most.
pub(crate) fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let began = Instant::now();
    while !happened() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: not yet");
        std::thread::sleep(Duration::from_millis(1));
    }
}
