//! Ends a run of tests that hangs.
//!
//! Tests start in alphabetical order, so the one below starts before all others. Of the tests that hang, libtest
//! has printed by then that they run for more than a minute.

use std::io::{Write, stderr};
use std::process::exit;
use std::thread;
use std::time::Duration;

/// Several times as long as the tests of a binary take on a busy machine.
const LIMIT: Duration = Duration::from_secs(20 * 60);

#[test]
fn starts_first() {
    thread::spawn(|| {
        thread::sleep(LIMIT);
        // `eprintln` would print to the captured output of this test.
        let _ = writeln!(
            stderr(),
            "\nstill running after {LIMIT:?}: a test hangs, one of those that have run for over a minute"
        );
        exit(101);
    });
}
