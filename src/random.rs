//! Random numbers for states.

use anyhow::Context;
use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;

/// A generator for one state, seeded by the operating system. A generator that outlived a state could be copied with the
/// memory of the process (a fork, a checkpoint, a snapshot of a virtual machine), and each copy would draw the same states.
pub(crate) fn fresh_rng() -> anyhow::Result<ChaCha20Rng> {
    let rng = ChaCha20Rng::try_from_rng(&mut SysRng);
    rng.context("the operating system provides no random numbers")
}
