//! Tests of the program as a process.

mod common {
    #[cfg_attr(
        windows,
        allow(dead_code, reason = "most tests need a shell or signals")
    )]
    pub(crate) mod program;
    #[cfg(unix)]
    pub(crate) mod server;
}

mod deployment;
mod filling;
#[cfg(unix)]
mod heads;
#[cfg(unix)]
mod healthcheck;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod listen;
#[cfg(unix)]
mod service;
#[cfg(unix)]
mod sessions;
mod sheets;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod starting;
#[cfg(unix)]
mod terminal;

test_support::watchdog!();
