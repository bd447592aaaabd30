//! Tests of the service in-process, with stubs in place of solvers.

#[path = "../common/service.rs"]
mod service;

mod added_sets;
mod api;
mod competition;
mod description;
mod foreign_sites;
mod imports;
mod methods;
mod page;
mod picture_route;
mod queueing;
mod request_ids;
mod robust_input;
mod schemes;
mod sheets;
mod tnoodle;

test_support::watchdog!();
