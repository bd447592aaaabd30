//! Tests of the program as a process.
#![cfg(feature = "server")]

#[path = "../common"]
mod common {
    pub(crate) mod program;
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
mod heads;
mod healthcheck;
mod input;
mod interrupted_builds;
#[cfg(unix)]
mod output;
#[cfg(unix)]
mod output_files;
mod portable;
mod program;
mod service;
mod sheets;
