//! Accepting and serving connections, and shutting down.

mod overflow;
mod server;

pub(crate) use overflow::MAX_OVERFLOW;
pub use server::{drain, serve};
