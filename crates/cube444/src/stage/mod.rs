//! Stages declared by coordinates.
//!
//! A [`StageSpec`] declares the goal of a stage, its turns, and the coordinates that number its positions.
//! A [`Space`] is the stage constructed for a metric: its generators, the move tables of the coordinates, and the
//! goal. A `BoundedSpace` adds pruning tables (see [`Projection`]) and the turns that may follow each other, and is
//! searched like any other [`Stage`](crate::search::Stage).

pub(crate) mod bounded;
mod declared;
mod enumeration;
mod near_goal;
pub(crate) mod premoves;
mod projection;
mod space;
mod spec;
#[cfg(test)]
mod tests;

pub use projection::ProjectionGraph;
pub(crate) use projection::ProjectionTable;
pub(crate) use space::Position;
pub use space::Space;
pub use spec::{Condition, Expected, Projection, Raw, StageSpec};
