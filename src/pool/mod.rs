//! Worker threads that make scrambles and solutions, behind a bounded queue, and a buffer of
//! scrambles that are ready.

mod workers;

use rand_chacha::ChaCha20Rng;

use crate::cube::Cube;
use crate::scramble::{Scramble, ScrambleError, Scrambler, Solved};
use crate::search::Limits;
use crate::stage::EffortLevel;

pub use workers::{JobError, Load, Made, Pool, PoolConfig, PoolError, QueueFull, Reply};

/// Makes scrambles and solutions, blocking. What the workers and the HTTP layer need to know of the
/// engine.
pub trait Generate: Send + Sync + 'static {
    /// One scramble to a random state, at a level of effort.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) the result does not stand the check.
    fn generate(
        &self,
        rng: &mut ChaCha20Rng,
        effort: u8,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError>;

    /// A solution of a state, at a level of effort.
    ///
    /// # Errors
    ///
    /// As [`Generate::generate`].
    fn solve(&self, state: &Cube, effort: u8, limits: &Limits) -> Result<Solved, ScrambleError>;

    /// The profile of the tables in use.
    fn tables(&self) -> &'static str;
}

impl Generate for Scrambler {
    fn generate(
        &self,
        rng: &mut ChaCha20Rng,
        effort: u8,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.scramble(rng, self.solver().effort(EffortLevel::new(effort).unwrap_or_default()), limits)
    }

    fn solve(&self, state: &Cube, effort: u8, limits: &Limits) -> Result<Solved, ScrambleError> {
        Scrambler::solve(self, state, self.solver().effort(EffortLevel::new(effort).unwrap_or_default()), limits)
    }

    fn tables(&self) -> &'static str {
        self.solver().tables().profile().name()
    }
}

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
