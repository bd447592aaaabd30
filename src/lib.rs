//! Random-state scrambles for the 4x4x4 cube, by Norskog's and Gallet's five-stage method.
//!
//! A [`cube::Cube`] is drawn at random. For each stage of a [`stage::Chain`], coordinates
//! ([`coord`]) turn it into a symmetry-reduced position of a [`stage::Space`], whose distance from
//! the stage's goal is looked up in a [`table::Table`]. The [`search::Solver`] enumerates endings of
//! each stage, keeps the most promising ones, and ends with axis moves that solve the cube. The
//! [`scramble::Scrambler`] writes their inverse in WCA notation, replays it, and hands it out only
//! if it leads to the state drawn.
//!
//! ```no_run
//! use rand::SeedableRng;
//! use rand_chacha::ChaCha20Rng;
//! use scramble444::cube::Metric;
//! use scramble444::scramble::Scrambler;
//! use scramble444::search::{Effort, Limits, Solver};
//! use scramble444::stage::{Chain, Profile, TableSet};
//! use scramble444::table::Store;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let chain = Chain::five_stages(Metric::Obtm)?;
//! let store = Store::new("tables".as_ref());
//! let tables = TableSet::open_or_build(&chain, &store, Profile::Compact, false, &|_| ())?;
//! let scrambler = Scrambler::new(Solver::new(chain, tables));
//! let mut rng = ChaCha20Rng::try_from_rng(&mut rand::rngs::SysRng)?;
//! let scramble = scrambler.scramble(&mut rng, &Effort::default(), &Limits::default())?;
//! println!("{}", scramble.sequence);
//! # Ok(())
//! # }
//! ```
//!
//! Rooms import in one direction only: `cube`, `coord`, `table`, `stage`, `reduction`,
//! `search`, `scramble`, and,
//! with the feature `server`, `pool`, `http`, `config`, `cli`.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod coord;
pub mod cube;
pub mod reduction;
pub mod scramble;
pub mod search;
pub mod stage;
pub mod table;

#[cfg(feature = "server")]
pub mod cli;
#[cfg(feature = "server")]
pub mod config;
#[cfg(feature = "server")]
pub mod http;
#[cfg(feature = "server")]
pub mod pool;
