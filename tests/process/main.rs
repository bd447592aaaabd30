//! Tests of the program as a process.

mod common {
    pub(crate) mod program;
    #[cfg(unix)]
    pub(crate) mod server;
}

mod audit;
mod audit_root;
mod check;
mod command_line;
mod competition;
mod deployment;
#[cfg(unix)]
mod heads;
mod healthcheck;
mod input;
mod interrupted_builds;
#[cfg(target_os = "linux")]
mod listen;
#[cfg(unix)]
mod output;
#[cfg(unix)]
mod output_files;
mod portable;
mod program;
#[cfg(unix)]
mod service;
mod sheets;
#[cfg(unix)]
mod starting;

test_support::watchdog!();
