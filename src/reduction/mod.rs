//! The reduction method: kernels of its five stages.
pub mod axis_centers;
pub mod belt;
pub mod dedges;
pub mod kernel;
pub mod lanes;
pub mod turns;
mod wing_test;
