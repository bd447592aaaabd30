//! Standard output, standard error, and progress bars on the same terminal.

use std::fmt::{self, Display};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::Context;
use cube444::search::TableProgress;
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressState, ProgressStyle};

/// All bars. They are drawn on standard error if it is a terminal.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// The reader of standard output has closed it, like `head`.
#[derive(Debug, thiserror::Error)]
#[error("standard output is closed")]
pub(super) struct Closed;

/// Writes to standard output and flushes it. The error is [`Closed`] if its reader has closed it.
pub(super) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let write = || {
        let mut out = BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        out.flush()
    };
    // Otherwise a blocking pipe would suspend the bars.
    let written = if io::stdout().is_terminal() {
        without_bars(write)
    } else {
        write()
    };
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Closed.into()),
        written => written.context("cannot write to standard output"),
    }
}

/// Writes a message to standard error.
pub(super) fn eprint(line: impl Display) {
    // In one write, so that no bar is drawn within a line. Errors are ignored: a closed standard error is no
    // reason to stop.
    let _ = Stderr.write_all(format!("scramble444: {line}\n").as_bytes());
}

/// Writes a note to standard error.
pub(super) fn print_note(note: impl Display) {
    eprint(format_args!("note: {note}"));
}

/// Standard error, for whole lines. Each write hides the bars.
pub(super) struct Stderr;

impl Write for Stderr {
    /// Writes all of it.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        without_bars(|| io::stderr().write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Hides the bars while `write` writes.
fn without_bars<T>(write: impl FnOnce() -> T) -> T {
    // Hiding locks the bars. Without a terminal there are none, and reporting progress must not wait for a
    // stalled reader of the log.
    if BARS.is_hidden() {
        write()
    } else {
        BARS.suspend(write)
    }
}

/// The message while another process builds tables.
pub(super) const WAITING: &str =
    "another process is building tables in this directory; waiting for it";

/// A progress bar on standard error, if that is a terminal. Dropping it clears it.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(activity: &'static str) -> Bar {
        let style = ProgressStyle::with_template(
            "{prefix} {bar:30} {percent:>3} % [{elapsed}{left}] {msg}",
        )
        .expect("the template is well-formed")
        .with_key("left", write_left);
        let bar = ProgressBar::no_length().with_prefix(activity);
        Bar(BARS.add(bar.with_style(style)))
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

    /// The part that is done, from 0 to 1.
    pub(super) fn fraction(&self) -> f64 {
        let total = self.0.length().unwrap_or_default().max(1);
        self.0.position() as f64 / total as f64
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
                self.count(done + table.reached as u64, total);
                self.0
                    .set_message(format!("{label}, distance {}", table.distance));
            }
            TableProgress::Built { header } => {
                let (label, seconds) = (&header.identity.label, header.build_seconds);
                eprint(format_args!("built table {label} in {seconds:.1} s"));
            }
        }
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

    /// The time of a bar before and after its first and its second step.
    #[test]
    fn time_before_the_first_step_does_not_count() {
        let is_reset = || {
            let bar = Bar::new("working");
            let wait = || std::thread::sleep(Duration::from_millis(20));
            wait();
            let before = bar.0.elapsed();
            bar.count(0, 2);
            let first = bar.0.elapsed();
            wait();
            bar.count(1, 2);
            assert_eq!(bar.fraction(), 0.5);
            assert!(bar.0.elapsed() >= Duration::from_millis(20));
            first < before
        };
        // A busy machine may take longer than the wait.
        assert!((0..50).any(|_| is_reset()));
    }

    #[test]
    fn the_remaining_time_is_estimated_from_two_percent_and_a_second_on() {
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(10), 0.25), Some(seconds(30)));
        assert_eq!(left(seconds(10), 1.0), Some(seconds(0)));
        assert_eq!(left(seconds(10), 0.01), None);
        assert_eq!(left(Duration::from_millis(900), 0.5), None);
    }
}
