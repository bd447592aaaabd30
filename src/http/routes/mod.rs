//! What answers requests: one file for each route or group of routes, and what several of them use.

mod blocking;
pub(super) mod docs;
pub(super) mod openapi;
pub(super) mod operations;
pub(super) mod page;
pub(super) mod pictures;
pub(super) mod piecewise;
pub(super) mod positions;
pub(super) mod print;
mod schema;
pub(super) mod scrambles;
pub(super) mod tnoodle;
pub(super) mod wcif;
