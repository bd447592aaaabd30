//! Worker threads that make scrambles and solutions, behind a bounded queue, and a buffer of
//! scrambles that are ready.

mod workers;

pub use workers::{JobError, Load, Made, Pool, PoolConfig, PoolError, QueueFull, Reply};

/// Is told what the workers do.
pub trait Observe: Send + Sync + 'static {
    /// A scramble of so many moves has been made in so many seconds.
    fn made(&self, seconds: f64, moves: usize);
    /// A worker has panicked, and goes on.
    fn panicked(&self);
    /// A job was given up because nobody waits for it any more.
    fn cancelled(&self);
}

/// Observes nothing.
impl Observe for () {
    fn made(&self, _: f64, _: usize) {}
    fn panicked(&self) {}
    fn cancelled(&self) {}
}
