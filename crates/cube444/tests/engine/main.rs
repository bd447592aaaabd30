//! Tests of the library.

test_support::watchdog!();

mod cube;
mod declarations;
mod figures;
mod opening;
mod pictures;
mod published;
mod reduction;
mod solving;
mod subsets;
mod table_builds;
mod table_files;
mod table_identities;
mod uniformity;
mod worked_example;
