//! Tests of the modules that do not need the feature `server`.

#[path = "../common/watchdog.rs"]
mod _watchdog;
#[path = "../common"]
mod common {
    #[cfg(feature = "competition")]
    pub(crate) mod cubes;
    pub(crate) mod exact;
    pub(crate) mod forged;
    pub(crate) mod imports;
    pub(crate) mod naive;
    pub(crate) mod parity;
    pub(crate) mod tables;
    #[cfg(feature = "competition")]
    pub(crate) mod turns;
}

mod architecture;
mod bounds;
#[cfg(feature = "competition")]
mod check;
mod cube;
mod declarations;
mod eight_step;
mod figures;
#[cfg(feature = "competition")]
mod pictures;
mod published;
mod reduction;
mod search;
mod shallow;
mod solving;
mod subsets;
mod table_builds;
mod table_files;
mod worked_example;
