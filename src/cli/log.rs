//! The log of the service.

use std::env::{self, VarError};
use std::io::{self, IsTerminal};

use anyhow::Context;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::config::LogFormat;
use super::terminal::Stderr;

/// What is logged, in the syntax of `EnvFilter`.
pub(super) const VARIABLE: &str = "SCRAMBLE444_LOG";

/// Starts logging to standard error. What is left is written when the guard is dropped.
pub(super) fn start(format: LogFormat) -> anyhow::Result<WorkerGuard> {
    let filter = EnvFilter::builder()
        .parse(directives()?)
        .with_context(|| format!("{VARIABLE} is not a log filter"))?;
    // A thread of its own writes the log: if nobody reads it, lines are dropped, and requests are
    // answered all the same.
    let (stderr, guard) = tracing_appender::non_blocking(Stderr);
    let log = tracing_subscriber::fmt()
        .with_writer(stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_env_filter(filter)
        .log_internal_errors(false);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        // What it says could be anything; where it was is enough to begin with.
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "panicked");
    }));
    Ok(guard)
}

/// Checks that what stands alone is a level: a target of that name would log nothing else, so a level that
/// is misspelt would silence everything.
fn check_levels(directives: &str) -> anyhow::Result<()> {
    for directive in directives.split(',').map(str::trim) {
        let is_alone = !directive.contains(['=', '[', ':']) && !directive.is_empty();
        anyhow::ensure!(
            !is_alone || directive.parse::<LevelFilter>().is_ok(),
            "{VARIABLE} is not a log filter: {directive:?} is no level; the levels are off, error, warn, info, \
             debug and trace, for a target TARGET=LEVEL"
        );
    }
    Ok(())
}

/// What the variable says; `info` if it is not set or empty.
fn directives() -> anyhow::Result<String> {
    match env::var(VARIABLE) {
        Ok(directives) if !directives.is_empty() => {
            check_levels(&directives)?;
            Ok(directives)
        }
        Ok(_) | Err(VarError::NotPresent) => Ok("info".to_owned()),
        Err(error) => Err(error).context(VARIABLE),
    }
}
