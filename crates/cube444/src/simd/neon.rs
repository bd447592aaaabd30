//! The operations with NEON.
#![allow(
    unsafe_code,
    reason = "vectors are transmuted from arrays and to them; NEON is unsafe to use although this \
              module is compiled only where the target has it"
)]

use std::arch::aarch64::{uint8x16_t, uint8x16x2_t, vqtbl2q_u8};
use std::mem::transmute;

use super::{Bytes16, Simd};

/// Vector instructions. This module is compiled only for targets whose processors all have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector;

impl Simd for Vector {
    fn detect() -> Option<Vector> {
        Some(Vector)
    }

    #[inline(always)]
    fn lookup(self, table: [Bytes16; 2], index: Bytes16) -> Bytes16 {
        // SAFETY: this module is compiled only for targets with NEON; both types of a transmutation are bytes
        // without padding, and every value of either is valid.
        unsafe {
            let table = transmute::<[Bytes16; 2], uint8x16x2_t>(table);
            let index = transmute::<Bytes16, uint8x16_t>(index);
            transmute::<uint8x16_t, Bytes16>(vqtbl2q_u8(table, index))
        }
    }
}
