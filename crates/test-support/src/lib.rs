//! What tests of several packages share.
//!
//! Unit tests cannot use this crate: a package on the registry does not have it.

pub mod cubes;
pub mod forged;
pub mod pdf;
pub mod robust;
pub mod stub;
pub mod tables;
pub mod turns;
pub mod uniformity;
pub mod wait;
pub mod watchdog;
pub mod wcif;
