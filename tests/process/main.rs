//! Tests of the program as a process.

#[path = "../common/watchdog.rs"]
mod _watchdog;
#[path = "../common"]
mod common {
    #[allow(dead_code, reason = "these tests use only a part")]
    pub(crate) mod forged;
    pub(crate) mod pdf;
    pub(crate) mod program;
    #[cfg(unix)]
    pub(crate) mod server;
    pub(crate) mod tables;
    pub(crate) mod turns;
    pub(crate) mod wait;
    pub(crate) mod wcif;
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
