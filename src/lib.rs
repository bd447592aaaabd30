//! Random-state scrambles for the 4x4x4 cube.
pub mod cube;
