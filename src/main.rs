//! The program `scramble444`.

use std::process::ExitCode;

fn main() -> ExitCode {
    scramble444::cli::run()
}
