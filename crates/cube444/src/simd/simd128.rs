//! The operations with the vector instructions of WebAssembly.
#![allow(unsafe_code, reason = "vectors are transmuted from arrays and to them")]

use std::arch::wasm32::{u8x16_splat, u8x16_sub, u8x16_swizzle, v128, v128_or};

use super::{Bytes16, Simd};

/// Vector instructions. This module is compiled only for targets whose processors all have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector;

#[inline(always)]
fn register(bytes: Bytes16) -> v128 {
    // SAFETY: both are sixteen bytes without padding, and every value of either is valid.
    unsafe { std::mem::transmute::<Bytes16, v128>(bytes) }
}

#[inline(always)]
fn array(bytes: v128) -> Bytes16 {
    // SAFETY: as in `register`.
    unsafe { std::mem::transmute::<v128, Bytes16>(bytes) }
}

impl Simd for Vector {
    fn detect() -> Option<Vector> {
        Some(Vector)
    }

    #[inline(always)]
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16 {
        // An index that is not below 16 gives zero.
        array(u8x16_swizzle(register(table), register(index)))
    }

    #[inline(always)]
    fn lookup(self, table: [Bytes16; 2], index: Bytes16) -> Bytes16 {
        let [low, high] = table.map(register);
        let index = register(index);
        // Indices below 16 wrap around to large values, which give zero.
        let of_high = u8x16_sub(index, u8x16_splat(16));
        array(v128_or(
            u8x16_swizzle(low, index),
            u8x16_swizzle(high, of_high),
        ))
    }
}
