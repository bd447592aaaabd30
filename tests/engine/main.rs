//! Tests of the modules that do not need the feature `server`.

#[path = "../common"]
mod common {
    pub(crate) mod cubes;
    pub(crate) mod exact;
    pub(crate) mod imports;
    pub(crate) mod naive;
    pub(crate) mod parity;
    pub(crate) mod tables;
    pub(crate) mod turns;
}

mod architecture;
mod bounds;
mod check;
mod cube;
mod declarations;
mod eight_step;
mod figures;
mod pictures;
mod published;
mod reduction;
mod search;
mod shallow;
mod solving;
mod subsets;
mod table_files;
