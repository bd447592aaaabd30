//! What tests of several packages share.
//!
//! Unit tests cannot use this crate: a package on the registry does not have it.

/// Each of `count` options alone, as twice the same index, and each two of them.
pub fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(|one| (0..=one).map(move |other| [one, other]))
}

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
