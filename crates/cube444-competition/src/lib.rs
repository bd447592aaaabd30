//! Competition files, scramble sheets, checks, and auditable scrambles.
//!
//! This crate depends neither on the solver nor on the server: a [`FillPlan`] lists the scrambles that a
//! competition needs, and the caller makes them.
//!
//! A competition is described by a WCIF, the WCA Competition Interchange Format
//! (<https://github.com/thewca/wcif>). Only the events of the 4x4x4 cube are read; everything else is
//! kept unchanged.

#![warn(missing_debug_implementations)]
// `expect` is allowed: its message is the proof that the case is impossible.
#![warn(clippy::unwrap_used, clippy::panic)]

pub mod audit;
pub mod check;
mod fill_plan;
mod interchange;
mod member;
mod round;
mod schedule;
mod sheets;
mod wcif;

pub use fill_plan::{FillOptions, FillPlan, Replace, SetCounts, UnknownRounds, UnknownSetCounts};
pub use interchange::{FilledWcif, GENERATOR};
pub use member::WcifError;
pub use round::{
    Attempt, DEFAULT_EXTRAS, MAX_EXTRAS, MAX_ROUNDS, MAX_SETS, Round, ScrambleId, ScrambleSet,
    default_attempts, event_of,
};
pub use sheets::{
    Font, Heading, Layout, MAX_COPIES, MAX_NAME, MAX_TURNS, Paper, Sheets, UnknownPaper,
    UnknownSet, UnusableFont,
};
pub use wcif::Wcif;
