//! Arguments that are not understood.

use std::process::ExitCode;

use super::terminal::{OutputError, print};

/// Reports what is wrong with arguments, or what was asked for by `--help` or `--version`.
pub(super) fn report(error: &clap::Error) -> Result<ExitCode, OutputError> {
    if !error.use_stderr() {
        print(|_| error.print())?;
        return Ok(ExitCode::SUCCESS);
    }
    // Nobody can be told if standard error cannot be written to.
    let _ = error.print();
    Ok(ExitCode::from(2))
}
