//! Random-state scrambles for the 4x4x4 cube.
pub mod coord;
pub mod cube;
pub mod scramble;
pub mod search;
pub mod stage;
pub mod table;
