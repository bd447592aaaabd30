//! The `scramble444` program: parses the command line, runs, reports errors.

use std::process::ExitCode;

fn main() -> ExitCode {
    match scramble444::cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scramble444: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
