//! A progress bar for building tables, on terminals.

use indicatif::{ProgressBar, ProgressStyle};

use crate::cube::Metric;
use crate::scramble::Scrambler;
use crate::search::Solver;
use crate::stage::{Chain, Profile, TableProgress, TableSet};
use crate::table::Store;

/// Shows what building tables reports, on a terminal as a bar, else as a line a table.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new() -> Bar {
        let style = ProgressStyle::with_template(
            "building tables {bar:30} {percent:>3} % [{elapsed}, {eta} left] {msg}",
        )
        .unwrap_or_else(|_| ProgressStyle::default_bar());
        Bar(ProgressBar::no_length().with_style(style))
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
                self.0.set_length(total);
                self.0.set_position(done + table.reached as u64);
                self.0
                    .set_message(format!("{label}, distance {}", table.distance));
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
        self.0.suspend(|| eprintln!("scramble444: {line}"));
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Opens or builds the tables, checks them, and makes a scrambler of them.
pub(super) fn scrambler(
    store: &Store,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
) -> anyhow::Result<Scrambler> {
    let chain = Chain::five_stages(Metric::Obtm)?;
    let tables = TableSet::open_or_build(&chain, store, Profile::Compact, false, progress)?;
    tables.verify()?;
    Ok(Scrambler::new(Solver::new(chain, tables)))
}
