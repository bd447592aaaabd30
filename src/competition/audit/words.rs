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

    /// A number below `bound`, each equally likely.
    pub(super) fn below(&mut self, bound: u32) -> usize {
        loop {
            if let Some(number) = accepted(self.word(), bound) {
                return number as usize;
            }
        }
    }

    /// The numbers below `N` in a random order: from the last place down to the second, each is swapped
    /// with one drawn from itself and those before it.
    pub(super) fn shuffled<const N: usize>(&mut self) -> [usize; N] {
        let mut order = std::array::from_fn(|number| number);
        for last in (1..N).rev() {
            order.swap(last, self.below(last as u32 + 1));
        }
        order
    }
}

/// The number below `bound` that a word stands for; none if it is from the greatest multiple of `bound` on
/// that words reach, as then some numbers would be likelier than others.
fn accepted(word: u32, bound: u32) -> Option<u32> {
    let whole = (1 << 32) / u64::from(bound) * u64::from(bound);
    (u64::from(word) < whole).then_some(word % bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_beyond_the_last_multiple_are_passed_over() {
        for (word, bound, number) in [
            (0, 1, Some(0)),
            (u32::MAX, 1, Some(0)),
            (u32::MAX, 2, Some(1)),
            (7, 3, Some(1)),
            (u32::MAX - 1, 3, Some(2)),
            (u32::MAX, 3, None),
            (u32::MAX - 16, 24, Some(23)),
            (u32::MAX - 15, 24, None),
            (u32::MAX, 24, None),
            (0x7fff_ffff, 0x8000_0001, Some(0x7fff_ffff)),
            (0x8000_0001, 0x8000_0001, None),
        ] {
            assert_eq!(accepted(word, bound), number, "{word} {bound}");
        }
    }
}
