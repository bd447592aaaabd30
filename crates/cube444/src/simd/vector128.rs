//! The operations with vectors of sixteen bytes: NEON on aarch64, `simd128` in WebAssembly.
#![allow(
    unsafe_code,
    reason = "vectors are transmuted from arrays and to them; NEON is unsafe to use although this \
              module is compiled only where the target has it"
)]

use super::{Bytes16, Bytes24, Bytes32, Simd, Substitution};

#[cfg(target_arch = "aarch64")]
mod instructions {
    use std::arch::aarch64::{uint8x16_t, uint8x16x2_t, vqtbl1q_u8, vqtbl2q_u8};

    pub(super) type Register = uint8x16_t;

    /// `table[index[i]]` for each `i`, or zero where an index is not below 16.
    #[inline(always)]
    pub(super) fn lookup16(table: Register, index: Register) -> Register {
        // SAFETY: this module is compiled only for targets with NEON.
        unsafe { vqtbl1q_u8(table, index) }
    }

    /// The same for a table in two halves; zero where an index is not below 32.
    #[inline(always)]
    pub(super) fn lookup32([low, high]: [Register; 2], index: Register) -> Register {
        // SAFETY: this module is compiled only for targets with NEON.
        unsafe { vqtbl2q_u8(uint8x16x2_t(low, high), index) }
    }
}

#[cfg(target_arch = "wasm32")]
mod instructions {
    use std::arch::wasm32::{u8x16_splat, u8x16_sub, u8x16_swizzle, v128, v128_or};

    pub(super) type Register = v128;

    /// `table[index[i]]` for each `i`, or zero where an index is not below 16.
    #[inline(always)]
    pub(super) fn lookup16(table: Register, index: Register) -> Register {
        u8x16_swizzle(table, index)
    }

    /// The same for a table in two halves; zero where an index is not below 32.
    #[inline(always)]
    pub(super) fn lookup32([low, high]: [Register; 2], index: Register) -> Register {
        // Indices below 16 wrap around to large values, which give zero.
        let of_high = u8x16_sub(index, u8x16_splat(16));
        v128_or(lookup16(low, index), lookup16(high, of_high))
    }
}

use instructions::{Register, lookup16, lookup32};

/// Vector instructions. This module is compiled only for targets whose processors all have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector;

#[inline(always)]
fn register(bytes: Bytes16) -> Register {
    // SAFETY: both are sixteen bytes without padding, and every value of either is valid.
    unsafe { std::mem::transmute::<Bytes16, Register>(bytes) }
}

#[inline(always)]
fn array(bytes: Register) -> Bytes16 {
    // SAFETY: as in `register`.
    unsafe { std::mem::transmute::<Register, Bytes16>(bytes) }
}

#[inline(always)]
fn halves(bytes: &Bytes32) -> [Register; 2] {
    let (halves, _) = bytes.as_chunks::<16>();
    [register(halves[0]), register(halves[1])]
}

#[inline(always)]
fn joined(halves: [Register; 2]) -> Bytes32 {
    let mut bytes = [0; 32];
    let (low, high) = bytes.split_at_mut(16);
    low.copy_from_slice(&array(halves[0]));
    high.copy_from_slice(&array(halves[1]));
    bytes
}

/// The first sixteen bytes, and the last eight with padding.
#[inline(always)]
fn parts(bytes: &Bytes24) -> [Register; 2] {
    let mut filled = [0; 32];
    filled[..24].copy_from_slice(bytes);
    halves(&filled)
}

impl Simd for Vector {
    fn detect() -> Option<Vector> {
        Some(Vector)
    }

    #[inline]
    fn call<R>(self, work: impl FnOnce(Vector) -> R) -> R {
        work(self)
    }

    #[inline(always)]
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16 {
        array(lookup16(register(table), register(index)))
    }

    #[inline(always)]
    fn shuffle24(self, table: &Bytes24, index: &Bytes24) -> Bytes24 {
        let table = parts(table);
        let picked = joined(parts(index).map(|index| lookup32(table, index)));
        std::array::from_fn(|i| picked[i])
    }

    #[inline(always)]
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32 {
        let table = halves(&by.0);
        joined(halves(bytes).map(|bytes| lookup32(table, bytes)))
    }

    #[inline(always)]
    fn substitute8(self, bytes: u64, by: &Substitution) -> u64 {
        let bytes = register(u128::from(bytes).to_le_bytes());
        u128::from_le_bytes(array(lookup32(halves(&by.0), bytes))) as u64
    }
}
