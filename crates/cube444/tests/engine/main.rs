//! Tests of the library.

test_support::watchdog!();

mod bounds;
mod cube;
mod declarations;
mod drawn_subsets;
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
mod uniformity;
mod worked_example;
