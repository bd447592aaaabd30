//! Waiting for other threads and processes.

use std::time::{Duration, Instant};

/// How long tests wait for what should happen. No test passes sooner with a smaller value, and a busy machine
/// may need minutes.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Waits until `happened` returns true, for [`PATIENCE`] at most.
pub fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let began = Instant::now();
    while !happened() {
        assert!(began.elapsed() < PATIENCE, "{what}: not yet");
        std::thread::sleep(Duration::from_millis(1));
    }
}
