//! Coordinates that only these methods use.

pub mod center_columns;
pub mod edge_pairing;
pub mod edges;
pub mod parity;
