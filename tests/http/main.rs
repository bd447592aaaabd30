//! Tests of the service in-process, with stubs in place of solvers.

#[path = "../common/watchdog.rs"]
mod _watchdog;
#[path = "../common"]
mod common {
    pub(crate) mod cubes;
    pub(crate) mod pdf;
    pub(crate) mod robust;
    pub(crate) mod stub;
    pub(crate) mod turns;
    pub(crate) mod wait;
    pub(crate) mod wcif;
}

mod added_sets;
mod api;
mod competition;
mod description;
mod foreign_sites;
mod imports;
mod methods;
mod page;
mod pdf;
mod picture_route;
mod pool;
mod queueing;
mod request_ids;
mod robust_input;
mod sheet_options;
mod sheets;
mod tnoodle;
