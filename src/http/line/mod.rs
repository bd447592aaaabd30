//! The line for work: searches, and reading and writing large documents.
//!
//! A large response is many pieces of work. Each waits for its turn, then runs on one of Tokio's threads for blocking
//! work. As many run at a time as there are workers.

mod buffer;
mod client;
mod job;
mod queue;
mod times;
mod turns;

pub(crate) use buffer::Buffer;
pub(crate) use client::Client;
pub(crate) use job::Job;
pub(crate) use queue::{Line, LinePlace, Overloaded};
pub(crate) use turns::Lane;
