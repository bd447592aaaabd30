//! The handlers, by route or group of routes, and helpers that several of them use.

pub(super) mod common;
pub(super) mod operations;
pub(super) mod page;
pub(super) mod positions;
pub(super) mod print;
pub(super) mod scrambles;
pub(super) mod streaming;
pub(super) mod tnoodle;
pub(super) mod wcif;
