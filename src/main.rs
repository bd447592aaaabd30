//! The `scramble444` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    scramble444::cli::run()
}
