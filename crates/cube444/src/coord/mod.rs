//! Coordinates, groups of symmetry actions, and symmetry classes.
//!
//! A [`Coordinate`] numbers the values of one aspect of the cube. [`Classes`] are the symmetry classes of these
//! values.

#![warn(missing_debug_implementations)]

pub mod centers;
pub(crate) mod classes;
pub mod combinatorics;
mod coordinate;
pub mod corners;
pub mod edges;
pub(crate) mod group;
pub(crate) mod half_turns;
pub(crate) mod wing_pairs;
pub mod wings;

pub use classes::{ClassAction, Classes};
pub(crate) use coordinate::images;
pub use coordinate::{Coordinate, DependentCoordinate, UNDEFINED};
pub use group::ActionGroup;
