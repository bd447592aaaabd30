//! Coordinates that only these methods use.

pub mod center_columns;
pub mod corner_parity;
pub mod edge_pairing;
pub mod edges;
pub mod wing_parity;
