//! Random-state scrambles for the 4x4x4 cube.
//!
//! ```
//! use cube444::Scrambler;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Makes small tables in memory, in 1.5 s of CPU time.
//! let scrambler = Scrambler::in_memory()?;
//! println!("{}", scrambler.scramble(&mut cube444::rand::rng())?.sequence);
//! # Ok(())
//! # }
//! ```
//!
//! [`Scrambler::open`] keeps larger tables in files, which makes searches faster, and [`Scrambler::builder`] has more
//! options. [`Scrambler::with`] and [`Scrambler::within`] set the effort and the time of each scramble.
//! [`Scrambler::solve`] gives solutions, [`Cube`] has states and facelets, [`Sequence`] the notation, and [`picture`]
//! draws states. A [`CancelFlag`] stops builds and searches from another thread.
//!
//! An unoptimised build takes 25 s to make these tables, unless `Cargo.toml` has:
//!
//! ```toml
//! [profile.dev.package.cube444]
//! opt-level = 3
//! ```
//!
//! # How it works
//!
//! A [`Scrambler`] draws a random state, a [`Cube`], and solves it by a [`Method`], which declares a list of
//! stages. Most stages have coordinates ([`coord`]), which map the cube to a position reduced by symmetry, and
//! pruning tables ([`table::Table`]), which have the distance of a position from the goal of the stage. The
//! [`search::Solver`] lists endings of each stage and keeps the best ones as candidates for the next stage. The
//! scrambler writes the inverse of the solution in WCA notation, and checks that it leads to the state.
//!
//! A service that makes many scrambles uses the trait [`scramble::Engine`]. The modules `coord`, `table`, `search`,
//! `stage` and `method` are for methods of your own: `examples/own_method.rs` declares one.

// `expect` is allowed: its message is the proof that the case is impossible.
#![warn(clippy::unwrap_used, clippy::panic)]

#[cfg(test)]
#[path = "../../../tests/common/watchdog.rs"]
mod _watchdog;
#[cfg(test)]
#[allow(dead_code, unreachable_pub, reason = "only its stages are tested here")]
#[path = "../../cube444-lab/src/lib.rs"]
mod lab;
#[cfg(test)]
#[path = "../../../tests/common/uniformity.rs"]
mod uniformity;
#[cfg(test)]
extern crate self as cube444;
mod builder;
mod cancel;
pub mod coord;
pub mod cube;
pub mod method;
mod names;
pub mod picture;
pub mod scramble;
pub mod search;
mod simd;
pub mod stage;
pub mod table;
mod text;

/// The version of `rand` whose generators the functions of this crate take: 0.10.
pub use rand;

// The types that nearly every program imports.
pub use builder::{OpenError, ScramblerBuilder};
pub use cancel::CancelFlag;
pub use cube::{Cube, Sequence};
pub use method::Method;
pub use names::UnknownName;
pub use scramble::{Scramble, ScrambleError, Scrambler};
pub use search::Effort;
