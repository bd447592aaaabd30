//! The fourth and fifth stage: the reduced cube, solved like a 3x3x3 in two phases.
//!
//! After the third stage every dedge moves as one piece. The first phase leads to the subgroup of
//! quarter turns of U and D and half turns of the other faces (Kociemba's), the second one solves.
//! Both can be tried with each of three axes in the place of U–D, on the inverse of the state, and
//! with turns before the state.

mod cubies;
mod finish;
mod flip_slice;
mod near_subgroup;
mod permutations;
mod phase_graph;
pub mod phase_one;
pub mod phase_two;
mod phases;
mod roots;
mod search;
mod starts;
mod steps;

pub use finish::Finished;
pub use phases::ThreeByThree;
pub use starts::Reduction;
