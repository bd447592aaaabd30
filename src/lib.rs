//! Random-state scrambles for the 4x4x4 cube, solved in stages with pruning tables and a beam search.
//!
//! A [`Scrambler`] draws a random state, a [`Cube`], and solves it by a [`Method`], which declares a list of
//! stages. Most stages have coordinates ([`coord`]), which map the cube to a position reduced by symmetry, and
//! pruning tables ([`table::Table`]), which have the distance of a position from the goal of the stage. The
//! [`search::Solver`] lists endings of each stage and keeps the best ones as candidates for the next stage. The
//! scrambler writes the inverse of the solution in WCA notation, and checks that it leads to the state.
//!
//! ```
//! use scramble444::{Cube, EffortLevel, Limits, Scrambler};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Builds small tables in memory, in 1.5 s of CPU time.
//! let scrambler = Scrambler::in_memory()?;
//! let effort = scrambler.solver().effort(EffortLevel::DEFAULT);
//! let scramble = scrambler.scramble(&mut rand::rng(), effort, &Limits::default())?;
//! println!("{}", scramble.sequence);
//! assert_eq!(Cube::solved().moved_by(scramble.sequence.axis_moves()), scramble.state);
//! # Ok(())
//! # }
//! ```
//!
//! [`Scrambler::open`] keeps larger tables in files, which makes searches faster, and [`Scrambler::builder`]
//! has more options.
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
//! Modules import in one direction only: `simd`, `cube`, `picture`, `coord`, `table`, `search`, `stage`,
//! `method`, `scramble`, `builder`, `competition`, and, with the feature `server`, `pool`, `http`, `cli`.
//!
//! `examples/own_method.rs` declares a new method like those in [`method`].

// On docs.rs each item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// `expect` is allowed: its message is the proof that the case is impossible.
#![warn(clippy::unwrap_used, clippy::panic)]

/// Compiles the example in README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
#[path = "../tests/common/watchdog.rs"]
mod _watchdog;
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
