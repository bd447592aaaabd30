//! Scrambles for competitions: files that are filled with scramble sets, sheets on paper, and checks
//! of either. It needs neither a solver nor a server: what scrambles are needed is listed first
//! ([`Filling::places`]), whoever has a way to get them does so, and then they are filled in.
//!
//! A competition is described by a WCIF, the WCA Competition Interchange Format
//! (<https://github.com/thewca/wcif>). Of its events only those of the 4x4x4 cube are looked at;
//! everything else is kept as it is.

#![warn(missing_debug_implementations)]

pub mod audit;
pub mod check;
mod filled;
mod filling;
mod interchange;
mod member;
mod place;
mod round;
mod sets;
mod sheets;
mod wcif;

pub use filled::Filled;
pub use filling::{FillOptions, Filling};
pub use interchange::{GENERATOR, Interchange};
pub use member::WcifError;
pub use place::{Attempt, Place};
pub use round::{DEFAULT_EXTRAS, MAX_EXTRAS, MAX_ROUNDS, MAX_SETS, Round, default_attempts};
pub use sets::ScrambleSet;
pub use sheets::{Heading, MAX_TURNS, Paper, Sheets, UnknownPaper};
pub use wcif::{Document, Wcif};
