//! Accepting and serving connections, and shutting down.

mod overflow;
mod server;

pub use server::{drain, serve};
