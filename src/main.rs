//! The program `scramble444`.

use std::process::ExitCode;

// The allocator of musl maps and unmaps memory all the time, which makes searches a quarter slower.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    scramble444::cli::run()
}
