//! Standard output and standard error, and the progress bars that may be on the same terminal.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::LazyLock;

use indicatif::{MultiProgress, ProgressBar};

/// All bars; they are drawn on standard error, if that is a terminal.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Why standard output did not take what was to be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutputError {
    /// Its reader has gone, as `head` does when it has enough.
    #[error("standard output is closed")]
    Closed,
    /// The operating system refused.
    #[error("cannot write to standard output")]
    Failed(#[source] io::Error),
}

/// The program fails for a reason that its log has told.
#[derive(Debug, thiserror::Error)]
#[error("the log says why")]
pub(super) struct Told;

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> OutputError {
        match error.kind() {
            ErrorKind::BrokenPipe => OutputError::Closed,
            _ => OutputError::Failed(error),
        }
    }
}

/// Writes to standard output; what is written has left the program when this returns.
pub(super) fn print(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputError> {
    let write = || {
        let mut out = BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        Ok(out.flush()?)
    };
    // A pipe can block for as long as its reader likes, and needs no room on the terminal.
    if io::stdout().is_terminal() {
        beside_bars(write)
    } else {
        write()
    }
}

/// Writes a line for people to standard error.
pub(super) fn say(line: impl Display) {
    // Nothing depends on it, so a standard error that is closed or full is no reason to stop.
    let _ = writeln!(Stderr, "scramble444: {line}");
}

/// Standard error, for whole lines: bars make room for each write.
pub(super) struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        beside_bars(|| io::stderr().write_all(bytes))
    }

    fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        // At once, so that no bar is drawn in the middle of a line.
        self.write_all(text.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Shows a bar together with the others.
pub(super) fn add_bar(bar: ProgressBar) -> ProgressBar {
    BARS.add(bar)
}

/// Writes while no bar is on the terminal.
fn beside_bars<T>(write: impl FnOnce() -> T) -> T {
    // Making room locks the bars. Without a terminal there are none, and whoever reports progress must
    // not wait for a log that nobody reads.
    if BARS.is_hidden() {
        write()
    } else {
        BARS.suspend(write)
    }
}
