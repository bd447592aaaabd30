//! Sockets: taking connections, serving them, and shutting down.

mod connection;
mod server;

pub use server::{drained, serve};
