//! The parts of the program scramble444: an HTTP service and commands for scrambles of the 4x4x4 cube.
//!
//! The solver is the crate [`cube444`]; competition files and sheets are [`cube444_competition`]. Of the modules here,
//! `settings` has the flags of the service, `http` is the service, and `cli` has the commands.

// `expect` is allowed: its message is the proof that the case is impossible.
#![warn(clippy::unwrap_used, clippy::panic)]

/// Compiles the examples of documents.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    struct ReadMe;
}

pub mod cli;
pub mod http;
mod random;
pub mod settings;
