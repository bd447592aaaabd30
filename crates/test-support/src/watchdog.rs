//! Ends a run of tests that hangs.

use std::io::{Write, stderr};
use std::process::exit;
use std::thread;
use std::time::Duration;

/// Several times as long as the tests of a binary take on a busy machine.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// Declares a test that starts before all others, since tests start in alphabetical order.
#[macro_export]
macro_rules! watchdog {
    () => {
        #[test]
        fn _watchdog() {
            $crate::watchdog::start();
        }
    };
}

/// Ends the process with a failure if it still runs after twenty minutes.
///
/// Of the tests that hang, libtest has printed by then that they run for more than a minute.
pub fn start() {
    thread::spawn(|| {
        thread::sleep(LIMIT);
        // `eprintln` would print to the captured output of the test.
        let _ = writeln!(
            stderr(),
            "\nstill running after {LIMIT:?}: a test hangs, one of those that have run for over a minute"
        );
        exit(101);
    });
}
