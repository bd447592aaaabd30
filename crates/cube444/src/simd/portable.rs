//! The operations in portable code.

use super::{Bytes16, Bytes24, Bytes32, Simd, Substitution};

/// The portable implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

impl Simd for Portable {
    fn detect() -> Option<Portable> {
        Some(Portable)
    }

    #[inline]
    fn call<R>(self, work: impl FnOnce(Portable) -> R) -> R {
        work(self)
    }

    #[inline(always)]
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16 {
        index.map(|i| table[usize::from(i % 16)])
    }

    #[inline(always)]
    fn shuffle24(self, table: &Bytes24, index: &Bytes24) -> Bytes24 {
        // Filled up to a power of two, so that looking a byte up needs no check.
        let mut filled = [0; 32];
        filled[..24].copy_from_slice(table);
        index.map(|i| filled[usize::from(i % 32)])
    }

    #[inline(always)]
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32 {
        bytes.map(|byte| by.0[usize::from(byte % 32)])
    }

    #[inline(always)]
    fn substitute8(self, bytes: u64, by: &Substitution) -> u64 {
        let replaced = bytes.to_le_bytes().map(|byte| by.0[usize::from(byte % 32)]);
        u64::from_le_bytes(replaced)
    }
}
