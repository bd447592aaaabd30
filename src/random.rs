//! Random numbers for states.

use rand::SeedableRng;
use rand::rngs::{SysError, SysRng};
use rand_chacha::ChaCha20Rng;

/// A generator for one state, seeded by the operating system. A generator that outlived a state could be copied with the
/// memory of the process (a fork, a checkpoint, a snapshot of a virtual machine), and each copy would draw the same states.
pub(crate) fn fresh_rng() -> Result<ChaCha20Rng, SysError> {
    ChaCha20Rng::try_from_rng(&mut SysRng)
}
