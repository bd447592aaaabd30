//! The reduction method: kernels of its five stages.
pub mod axis_centers;
pub mod bands;
pub mod belt;
pub mod dedges;
pub mod driver;
pub mod kernel;
pub mod lanes;
pub mod near_goal;
pub mod pair_up;
pub mod pairing;
pub mod pairing_table;
pub mod payload;
pub mod settled_centers;
pub mod three_by_three;
pub mod turns;
mod wing_test;
