//! Tests of the service in-process, with stubs in place of solvers.

#[path = "../common/service.rs"]
mod service;

mod api;
mod bodies;
mod competition;
mod connections;
mod description;
mod foreign_sites;
mod imports;
mod methods;
mod metrics;
mod page;
mod picture_route;
mod queueing;
mod request_ids;
mod requests;
mod robust_input;
mod schemes;
mod sheets;
mod tnoodle;

test_support::watchdog!();
