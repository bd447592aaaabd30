//! Having the pool's jobs done for a request, and waiting for them.

mod request_scope;
mod scramble_stream;

pub(super) use request_scope::RequestScope;
pub(super) use scramble_stream::{Batch, ScrambleStream};
