//! Random-state scrambles for the 4x4x4 cube, solved in stages with pruning tables and a beam search.
//!
//! A [`cube::Cube`] is drawn at random. A [`method::Method`] declares the stages by which it is solved;
//! worked out for a metric they are a [`search::Chain`]. For most stages, coordinates ([`coord`]) turn
//! the cube into a symmetry-reduced position, whose distance from the stage's goal is looked up in
//! pruning tables ([`table::Table`]). The [`search::Solver`] enumerates endings of each stage, keeps a
//! beam of the most promising ones, and ends with axis moves that solve the cube. The
//! [`scramble::Scrambler`] writes their inverse in WCA notation, replays it, and hands it out only if
//! it leads to the state drawn.
//!
//! ```no_run
//! use scramble444::scramble::Scrambler;
//! use scramble444::search::{EffortLevel, Limits};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Compact tables take 100 MB. If they are missing, they are built in some seconds.
//! let scrambler = Scrambler::open("tables")?;
//! let effort = scrambler.solver().effort(EffortLevel::DEFAULT);
//! let scramble = scrambler.scramble(&mut rand::rng(), effort, &Limits::default())?;
//! println!("{}", scramble.sequence);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! | feature | content |
//! |---|---|
//! | `picture` | the module `picture`: states as SVG and PNG |
//! | `competition` | the module `competition`: competition files (WCIF), scramble sheets, checks, audits |
//! | `server` (default) | the modules `http` and `cli`, and the program |
//!
//! # Modules
//!
//! A method of one's own is declared like those in [`method`]; `examples/own_method.rs` is one.
//!
//! Modules import in one direction only: `simd`, `cube`, `picture`, `coord`, `table`, `search`, `stage`,
//! `method`, `scramble`, `builder`, `competition`, and, with the feature `server`, `pool`, `http`, `cli`.

// On docs.rs each item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// `expect` is allowed: its message is the proof that the case is impossible.
#![warn(clippy::unwrap_used, clippy::panic)]

/// The example of README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod builder;
#[cfg(feature = "competition")]
pub mod competition;
pub mod coord;
pub mod cube;
pub mod method;
#[cfg(feature = "picture")]
pub mod picture;
pub mod scramble;
pub mod search;
mod simd;
pub mod stage;
pub mod table;

// The types that nearly every program imports.
pub use cube::{Cube, Sequence};
pub use method::Method;
pub use scramble::{Scramble, Scrambler};
pub use search::{EffortLevel, Limits};

#[cfg(feature = "server")]
pub mod cli;
#[cfg(feature = "server")]
pub mod http;
#[cfg(feature = "server")]
pub mod pool;
