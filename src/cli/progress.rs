//! Progress bars.

use std::fmt;
use std::time::Duration;

use cube444::search::TableProgress;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::terminal::{add_bar, eprint};

/// The message while another process builds tables.
pub(super) const WAITING: &str =
    "another process is building tables in this directory; waiting for it";

/// A progress bar on standard error, if that is a terminal.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(activity: &'static str) -> Bar {
        let style = ProgressStyle::with_template(
            "{prefix} {bar:30} {percent:>3} % [{elapsed}{left}] {msg}",
        )
        .expect("the template is well-formed")
        .with_key("left", write_left);
        let bar = ProgressBar::no_length().with_prefix(activity);
        Bar(add_bar(bar.with_style(style)))
    }

    /// Shows that `done` of `total` are done.
    pub(super) fn count(&self, done: u64, total: u64) {
        if self.0.length().is_none() {
            // Time before the first step, such as waiting for another process, must not count for the estimate.
            self.0.reset_elapsed();
        }
        self.0.set_length(total);
        self.0.set_position(done);
    }

    /// Shows that `done` of `total` entries are done, with the current table and distance.
    pub(super) fn show(&self, label: &str, total: u64, done: u64, distance: u8) {
        self.count(done, total);
        self.0.set_message(format!("{label}, distance {distance}"));
    }

    /// Shows the progress of building tables. Each table that is built also gets a line.
    pub(super) fn report(&self, progress: TableProgress<'_>) {
        match progress {
            TableProgress::Waiting => eprint(WAITING),
            TableProgress::Building {
                label,
                done,
                total,
                table,
            } => {
                self.show(label, total, done + table.reached as u64, table.distance);
            }
            TableProgress::Built { header } => {
                let label = &header.identity.label;
                eprint(format_args!(
                    "built table {label} in {:.1} s",
                    header.build_seconds
                ));
            }
        }
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

fn write_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if let Some(left) = left(state.elapsed(), state.fraction()) {
        // The writer is a string and does not fail.
        let _ = write!(out, ", {:#} left", HumanDuration(left));
    }
}

/// The estimated remaining time, if the fraction `done` took `elapsed`; `None` if it is too early to tell.
fn left(elapsed: Duration, done: f32) -> Option<Duration> {
    let enough = elapsed >= Duration::from_secs(1) && done >= 0.02;
    enough.then(|| elapsed.mul_f32((1.0 - done).max(0.0) / done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remaining_time_is_estimated_from_two_percent_and_a_second_on() {
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(10), 0.25), Some(seconds(30)));
        assert_eq!(left(seconds(10), 1.0), Some(seconds(0)));
        assert_eq!(left(seconds(10), 0.01), None);
        assert_eq!(left(Duration::from_millis(900), 0.5), None);
    }
}
