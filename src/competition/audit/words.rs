//! Random numbers from a seed by SHA-256 alone, which any language has.

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::seed::Seed;

/// Bytes of a word.
const WORD: usize = 4;

/// A stream of words: SHA-256 of the seed and the number of the block (four bytes, from 0), block after
/// block, cut into numbers of 32 bits; all numbers with the most significant byte first.
pub(super) struct Words<'a> {
    seed: &'a Seed,
    /// The number of the next block.
    next: u32,
    block: Zeroizing<[u8; 32]>,
    /// Bytes of the block that have been used.
    used: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(seed: &'a Seed) -> Words<'a> {
        Words {
            seed,
            next: 0,
            block: Zeroizing::new([0; 32]),
            used: 32,
        }
    }

    fn word(&mut self) -> u32 {
        if self.used == self.block.len() {
            Sha256::new()
                .chain_update(self.seed.bytes())
                .chain_update(self.next.to_be_bytes())
                .finalize_into((&mut *self.block).into());
            self.next = self
                .next
                .checked_add(1)
                .expect("states take some dozens of blocks");
            self.used = 0;
        }
        let bytes = &self.block[self.used..self.used + WORD];
        self.used += WORD;
        u32::from_be_bytes(bytes.try_into().expect("four bytes are four bytes"))
    }

    /// A number below `bound`, which is at most 2^16, each equally likely: words from the greatest
    /// multiple of `bound` on are passed over.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        let limit = (1 << 32) / bound * bound;
        loop {
            let word = u64::from(self.word());
            if word < limit {
                return (word % bound) as usize;
            }
        }
    }

    /// The numbers below `N` in a random order: from the last place down to the second, each is swapped
    /// with one drawn from itself and those before it.
    pub(super) fn shuffled<const N: usize>(&mut self) -> [usize; N] {
        let mut order = std::array::from_fn(|number| number);
        for last in (1..N).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}
