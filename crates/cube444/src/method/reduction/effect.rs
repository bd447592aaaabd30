//! Maps of permutations by byte shuffles, which take less time than lookups in a table of a megabyte.

use crate::simd::{Bytes16, Simd};

/// A map of permutations: `after[permutation[before[i]]]`.
#[derive(Clone, Copy)]
pub(super) struct Effect {
    pub(super) after: Bytes16,
    pub(super) before: Bytes16,
}

impl Effect {
    #[inline(always)]
    pub(super) fn on<S: Simd>(&self, simd: S, permutation: Bytes16) -> Bytes16 {
        simd.shuffle(self.after, simd.shuffle(permutation, self.before))
    }
}
