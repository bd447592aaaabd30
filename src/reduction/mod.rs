//! The reduction method: kernels of its five stages.
//!
//! The centers are put onto the faces of their axes and the wings paired up; then the cube is solved
//! like a 3x3x3 in two phases. What costs one in outer block turns is one turn at one boundary
//! between layers ([`turns`]), so that plain breadth-first search and iterative deepening do.
//!
//! 1. [`axis_centers`]: the centers of one colour axis onto the faces of one axis.
//! 2. [`belt`]: the other centers onto the faces of their axes, and the wings such that half turns of
//!    wide blocks can pair them up.
//! 3. [`pair_up`]: the wings paired up and the centers solved.
//! 4. and 5. [`three_by_three`]: the two phases.
//!
//! Each of the first three stages is a [`kernel::StageKernel`], which lists the canonical ways to
//! finish the stage at one exact cost; the last two are searched together, because only the whole is
//! worth knowing. [`stages()`] makes of them what the beam search takes.
//!
//! The ideas are those of Tsai's 8-step method, of Chen Shuang's three-phase-reduction solver, and of
//! Kociemba's two-phase algorithm. All coordinates, turns and symmetries are derived from geometry.
//!
//! # Tables
//!
//! Four tables are large enough to be kept in files: pairings with parity ([`pairing_table`]),
//! positions near the third stage's goal ([`near_goal_table`]), and one for each phase
//! ([`three_by_three::phase_one`], [`three_by_three::phase_two`]).

pub mod axis_centers;
mod bands;
pub mod belt;
mod belt_guides;
mod belt_positions;
mod dedges;
mod fingerprint;
pub mod kernel;
pub mod near_goal;
mod near_goal_levels;
pub mod near_goal_table;
pub mod pair_up;
pub mod pair_up_space;
pub mod pairing;
pub mod pairing_table;
pub mod settled_centers;
mod stages;
pub mod three_by_three;
pub mod turns;
mod wing_test;

pub use stages::stages;
