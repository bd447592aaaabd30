//! Random numbers from a seed. Based only on SHA-256, so that it is easy to implement in any language.

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::seed::Seed;

/// Size of a word in bytes.
const WORD: usize = 4;

/// A stream of 32-bit words. Block n, counted from 0, is SHA-256 of the seed followed by n as four bytes;
/// each block has eight words. All numbers are big-endian.
pub(super) struct WordStream<'a> {
    seed: &'a Seed,
    /// The number of the next block.
    next: u32,
    block: Zeroizing<[u8; 32]>,
    /// Bytes of the block that have been used.
    used: usize,
}

impl<'a> WordStream<'a> {
    pub(super) fn new(seed: &'a Seed) -> WordStream<'a> {
        WordStream {
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
                .expect("a state takes some dozens of blocks");
            self.used = 0;
        }
        let bytes = &self.block[self.used..self.used + WORD];
        self.used += WORD;
        u32::from_be_bytes(bytes.try_into().expect("the slice has four bytes"))
    }

    /// A uniform random number below `bound`.
    pub(super) fn below(&mut self, bound: u32) -> usize {
        loop {
            if let Some(number) = accepted(self.word(), bound) {
                return number as usize;
            }
        }
    }

    /// A uniform random permutation of the numbers below `N`, by a Fisher-Yates shuffle: each element, from
    /// the last down to the second, is swapped with a random one that is not after it.
    pub(super) fn shuffled<const N: usize>(&mut self) -> [usize; N] {
        let mut order = std::array::from_fn(|number| number);
        for last in (1..N).rev() {
            order.swap(last, self.below(last as u32 + 1));
        }
        order
    }
}

/// The number below `bound` for a word. `None` for words from the greatest multiple of `bound` on, which
/// would make some numbers more likely than others.
fn accepted(word: u32, bound: u32) -> Option<u32> {
    let whole = (1 << 32) / u64::from(bound) * u64::from(bound);
    (u64::from(word) < whole).then_some(word % bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_beyond_the_last_multiple_are_rejected() {
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
