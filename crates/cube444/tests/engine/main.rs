//! Tests of the library.

#[path = "../../../../tests/common/watchdog.rs"]
mod _watchdog;
#[path = "../../../../tests/common"]
mod common {
    pub(crate) mod exact;
    pub(crate) mod forged;
    pub(crate) mod naive;
    pub(crate) mod parity;
    pub(crate) mod tables;
}

mod bounds;
mod cube;
mod declarations;
mod figures;
mod opening;
mod pictures;
mod published;
mod reduction;
mod search;
mod shallow;
mod solving;
mod subsets;
mod table_builds;
mod table_files;
mod table_identities;
mod worked_example;
