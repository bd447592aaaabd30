//! The `scramble444` program.

use std::process::ExitCode;

/// With musl's own allocator, which maps and unmaps memory all the time, searches take a quarter longer.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    scramble444::cli::run()
}
