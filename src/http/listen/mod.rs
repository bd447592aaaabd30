//! Sockets: taking connections, serving them, and shutting down.

mod server;
mod spare;

pub use server::{drained, serve};
