//! The engine as those see it who only ask for results.

use rand_chacha::ChaCha20Rng;

use crate::cube::Cube;
use crate::search::Limits;
use crate::stage::EffortLevel;

use super::scrambler::{Scramble, ScrambleError, Scrambler, Solved};

/// Makes scrambles and solutions, blocking. All that worker threads need to know of the engine, so
/// that they can be tested without tables.
pub trait Generate: Send + Sync + 'static {
    /// One scramble to a random state, at a level of effort.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) the result does not stand the check.
    fn generate(
        &self,
        rng: &mut ChaCha20Rng,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError>;

    /// A solution of a state, at a level of effort.
    ///
    /// # Errors
    ///
    /// As [`Generate::generate`].
    fn solve(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Solved, ScrambleError>;

    /// The profile of the tables in use.
    fn tables(&self) -> &'static str;

    /// The method in use.
    fn method(&self) -> &'static str;
}

impl Generate for Scrambler {
    fn generate(
        &self,
        rng: &mut ChaCha20Rng,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.scramble(rng, self.solver().effort(effort), limits)
    }

    fn solve(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Solved, ScrambleError> {
        Scrambler::solve(self, state, self.solver().effort(effort), limits)
    }

    fn tables(&self) -> &'static str {
        self.solver().tables().profile().name()
    }

    fn method(&self) -> &'static str {
        self.solver().chain().name()
    }
}
