//! The puzzle: pieces, places, turns, symmetries, states and notation.
//!
//! Everything is derived from geometry. The cube is centered at the origin, and the layers along each axis
//! have the coordinates −3, −1, +1 and +3. x increases from L to R, y from D to U, z from B to F.

#![warn(missing_debug_implementations)]

pub(crate) mod arrangement;
pub(crate) mod facelets;
pub mod layout;
pub(crate) mod metric;
pub(crate) mod misreading;
pub mod notation;
pub(crate) mod state;
pub(crate) mod symmetry;
pub(crate) mod turn;

pub use arrangement::ArrangementError;
pub use facelets::FaceletError;
pub use layout::{Axis, Face, Place};
pub use metric::Metric;
pub use misreading::Misreading;
pub use notation::{NotationError, Sequence, Token, WcaNotationError};
pub use state::{Cube, Pieces};
pub use symmetry::{Action, Symmetry};
pub use turn::AxisMove;
