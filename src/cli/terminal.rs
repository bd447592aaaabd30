//! Standard output and standard error, coordinated with progress bars on the same terminal.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::LazyLock;

use indicatif::{MultiProgress, ProgressBar};

/// All bars. They are drawn on standard error if it is a terminal.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Writing to standard output failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutputError {
    /// The reader has closed it, like `head`.
    #[error("standard output is closed")]
    Closed,
    /// Another error.
    #[error("cannot write to standard output")]
    Failed(#[source] io::Error),
}

/// The program fails, and the error has been logged.
#[derive(Debug, thiserror::Error)]
#[error("the error has been logged")]
pub(super) struct Logged;

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> OutputError {
        match error.kind() {
            ErrorKind::BrokenPipe => OutputError::Closed,
            _ => OutputError::Failed(error),
        }
    }
}

/// Writes to standard output and flushes it.
pub(super) fn print(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputError> {
    let write = || {
        let mut out = BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        Ok(out.flush()?)
    };
    // Otherwise a blocking pipe would suspend the bars.
    if io::stdout().is_terminal() {
        without_bars(write)
    } else {
        write()
    }
}

/// Writes a message to standard error.
pub(super) fn eprint(line: impl Display) {
    // Errors are ignored: a closed standard error is no reason to stop.
    let _ = writeln!(Stderr, "scramble444: {line}");
}

/// Standard error, for whole lines. Each write hides the bars.
pub(super) struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        without_bars(|| io::stderr().write_all(bytes))
    }

    fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        // In one write, so that no bar is drawn within a line.
        self.write_all(text.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Adds a bar.
pub(super) fn add_bar(bar: ProgressBar) -> ProgressBar {
    BARS.add(bar)
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
