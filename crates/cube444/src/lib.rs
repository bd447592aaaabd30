//! Random-state scrambles for the 4x4x4 cube.
//!
//! ```toml
//! [dependencies]
//! cube444 = "0.5"
//!
//! # Without this, an unoptimized build takes 25 s to make tables instead of 1.5 s.
//! [profile.dev.package.cube444]
//! opt-level = 3
//! ```
//!
//! A scramble, with small tables made in memory:
//!
//! ```
//! use cube444::Scrambler;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scrambler = Scrambler::in_memory()?;
//! println!("{}", scrambler.scramble(&mut cube444::rand::rng())?);
//!
//! // The same seed gives the same scramble, with the same versions, tables and effort.
//! use cube444::rand::{SeedableRng, rngs::StdRng};
//! let scramble = scrambler.scramble(&mut StdRng::seed_from_u64(1))?;
//!
//! // Facelets out and in, and a solution.
//! let facelets = scramble.state.facelets();
//! let state = cube444::Cube::from_facelets(&facelets)?;
//! println!("{}", scrambler.solve(&state)?);
//!
//! // A picture.
//! let svg = cube444::picture::svg(&state, &Default::default());
//! # assert!(svg.starts_with("<svg"));
//! # Ok(())
//! # }
//! ```
//!
//! | for | see |
//! |---|---|
//! | larger tables in files, which make searches faster | [`Scrambler::open`], [`Scrambler::builder`] |
//! | shorter scrambles, or a limit of time | [`Scrambler::with`], [`Scrambler::within`] |
//! | stopping builds and searches from another thread | [`CancelFlag`] |
//! | turns, states, notation | [`Sequence`], [`Cube`], [`cube`] |
//! | the blindfolded event, subsets, padded scrambles | [`Scrambler::scramble_for`] |
//! | checking turns and states | [`scramble::ParsedPosition`] |
//! | pictures as SVG and PNG | [`picture`] |
//! | a service that makes many scrambles | [`scramble::Engine`] |
//! | methods of your own | [`method`] |
//!
//! # How it works
//!
//! A [`Scrambler`] draws a random state, a [`Cube`], and solves it by a [`Method`], which declares a list of stages. Most
//! stages have coordinates, which map the cube to a position reduced by symmetry, and pruning tables
//! ([`table::Table`]), which have the distance of a position from the goal of the stage. The [`search::Solver`] lists
//! endings of each stage and keeps the best ones as candidates for the next stage. The scrambler writes the inverse of the
//! solution in WCA notation, and checks that it leads to the state.
//!
//! # Features
//!
//! | feature | default | what it adds | dependencies |
//! |---|---|---|---|
//! | `files` | yes | tables in files and streams: [`Scrambler::open`], [`table::Store`], large pages of memory | `memmap2`, `serde_json` |
//! | `png` | yes | [`picture::png`] | `png` |
//! | `serde` | by `files` | values and reports are serialized | `serde` |
//! | `schemars` | no | their JSON schemas | `schemars` |
//!
//! Without features, the crate needs `derive_more`, `rand`, `rand_chacha`, `rayon` and `xxhash-rust`, in browsers also `web-time`.
//!
//! # Browsers
//!
//! On `wasm32-unknown-unknown` there is no `rand::rng`. Add `getrandom` 0.4 with its feature `wasm_js` and `rand` 0.10 with
//! `sys_rng`, and take `rand::rand_core::UnwrapErr(rand::rngs::SysRng)`.

#![cfg_attr(docsrs, feature(doc_cfg))]
// `expect` is allowed: its message is the proof that the case is impossible.
#![warn(clippy::unwrap_used, clippy::panic)]

mod builder;
mod cancel;
mod clock;
mod coord;
pub mod cube;
mod declaration;
pub mod method;
mod names;
pub mod picture;
pub mod scramble;
pub mod search;
mod simd;
mod stage;
pub mod table;
#[cfg(feature = "serde")]
mod text;

/// The version of `rand` whose generators the functions of this crate take: 0.10. After a fork, `rand::rng` gives both
/// processes the same numbers; generators of the operating system do not. For numbers that stay the same in all versions, take
/// those of the crate `rand_chacha`.
pub use rand;

// The types that nearly every program imports.
pub use builder::{OpenError, ScramblerBuilder};
pub use cancel::CancelFlag;
pub use cube::{Cube, Sequence};
pub use method::known::Method;
pub use names::UnknownName;
pub use scramble::{Scramble, ScrambleError, Scrambler};
pub use search::effort::Effort;
