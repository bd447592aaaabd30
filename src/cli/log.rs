//! The log of the service.

use std::env::{self, VarError};
use std::io::{self, IsTerminal};

use anyhow::Context;
use clap::ValueEnum;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::terminal::Stderr;

/// Format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Plain text.
    Text,
    /// One JSON object per line.
    Json,
}

/// The variable with a filter: levels, and levels of targets.
pub(super) const VARIABLE: &str = "SCRAMBLE444_LOG";

/// Starts logging to standard error. Dropping the guard writes the remaining lines.
pub(super) fn start(format: LogFormat) -> anyhow::Result<WorkerGuard> {
    let filter: Targets = directives()?
        .parse()
        .with_context(|| format!("{VARIABLE} is not a log filter"))?;
    // A separate thread writes the log. If its reader stalls, lines are dropped and requests do not wait.
    let (stderr, guard) = tracing_appender::non_blocking(Stderr);
    let log = tracing_subscriber::fmt()
        .with_writer(stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_max_level(LevelFilter::TRACE)
        .log_internal_errors(false);
    match format {
        LogFormat::Text => log.finish().with(filter).init(),
        // The list would repeat the only span.
        LogFormat::Json => log
            .json()
            .with_span_list(false)
            .finish()
            .with(filter)
            .init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        // The message could hold secrets, so only the location is logged.
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "panicked");
    }));
    Ok(guard)
}

/// The filter of the variable; `info` if it is unset or empty.
fn directives() -> anyhow::Result<String> {
    let filter = match env::var(VARIABLE) {
        Err(VarError::NotPresent) => String::new(),
        filter => filter.context(VARIABLE)?,
    };
    // `Targets` takes a level after a space for a target.
    let directives = filter.split(',').map(str::trim);
    let directives: Vec<&str> = directives.filter(|it| !it.is_empty()).collect();
    if directives.is_empty() {
        return Ok("info".to_owned());
    }
    // Directives of a single word must be levels. `Targets` takes a misspelt level for a target, and would
    // then log nothing.
    for directive in &directives {
        let is_word = !directive.contains(['=', '[', ':']);
        anyhow::ensure!(
            !is_word || directive.parse::<LevelFilter>().is_ok(),
            "{VARIABLE} is not a log filter: {directive:?} is not a level; the levels are off, error, warn, \
             info, debug and trace, for a target TARGET=LEVEL"
        );
    }
    Ok(directives.join(","))
}
