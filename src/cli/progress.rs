//! What building tables and other long work shows.

use std::io::Write;

use indicatif::{ProgressBar, ProgressStyle};

use crate::stage::TableProgress;

/// Shows progress, on a terminal as a bar; what is finished gets a line in any case.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(activity: &'static str) -> Bar {
        let style = ProgressStyle::with_template(
            "{prefix} {bar:30} {percent:>3} % [{elapsed}, {eta} left] {msg}",
        )
        .unwrap_or_else(|_| ProgressStyle::default_bar());
        Bar(ProgressBar::no_length()
            .with_style(style)
            .with_prefix(activity))
    }

    /// Shows how many of `total` things are done.
    pub(super) fn count(&self, total: usize, done: usize) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
    }

    /// Shows how many of `total` entries are done, and at which table and distance.
    pub(super) fn show(&self, label: &str, total: u64, done: u64, distance: u8) {
        self.0.set_length(total);
        self.0.set_position(done);
        self.0.set_message(format!("{label}, distance {distance}"));
    }

    pub(super) fn report(&self, progress: TableProgress<'_>) {
        match progress {
            TableProgress::Waiting => {
                self.say("another process is building tables in this directory; waiting for it");
            }
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
                self.say(&format!(
                    "built table {label} in {:.1} s",
                    header.build_seconds
                ));
            }
        }
    }

    fn say(&self, line: &str) {
        self.0.suspend(|| {
            // A standard error that is closed is no reason to stop building.
            let _ = writeln!(std::io::stderr(), "scramble444: {line}");
        });
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
