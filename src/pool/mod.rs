//! Worker threads that make scrambles, behind a bounded queue.

mod workers;

use rand_chacha::ChaCha20Rng;

use crate::scramble::{Scramble, ScrambleError, Scrambler};
use crate::search::{Effort, Limits};

pub use workers::{JobError, Pool, PoolError, QueueFull};

/// Makes scrambles, blocking. What the workers and the HTTP layer need to know of the engine.
pub trait Generate: Send + Sync + 'static {
    /// One scramble to a random state.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) the result does not stand the check.
    fn generate(&self, rng: &mut ChaCha20Rng, limits: &Limits) -> Result<Scramble, ScrambleError>;

    /// The profile of the tables in use.
    fn tables(&self) -> &'static str;
}

/// The engine, at a fixed effort.
pub struct RandomScrambles {
    /// The engine.
    pub scrambler: Scrambler,
    /// How much work goes into a scramble.
    pub effort: Effort,
}

impl Generate for RandomScrambles {
    fn generate(&self, rng: &mut ChaCha20Rng, limits: &Limits) -> Result<Scramble, ScrambleError> {
        self.scrambler.scramble(rng, &self.effort, limits)
    }

    fn tables(&self) -> &'static str {
        self.scrambler.solver().tables().profile.name()
    }
}
