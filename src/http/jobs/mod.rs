//! Queueing jobs in the pool for a request, and waiting for them.

mod request_scope;
mod scramble_stream;

pub(super) use request_scope::RequestScope;
pub(super) use scramble_stream::{DistinctCheck, ScrambleStream};
