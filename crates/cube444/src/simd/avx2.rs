//! The operations with AVX2 and the instruction sets that come with it.
#![allow(
    unsafe_code,
    reason = "vector instructions are unsafe unless the compiler knows that the processor has them; \
              each use states why it does"
)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_blendv_epi8, _mm_shuffle_epi8, _mm_slli_epi16, _mm256_blendv_epi8,
    _mm256_broadcastsi128_si256, _mm256_shuffle_epi8, _mm256_slli_epi16,
};
use std::mem::transmute;

use super::{Bytes16, Bytes32, Simd, Substitution, halves};

/// Vector instructions. A value proves that the processor has them: it comes from [`Vector::detect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector(());

/// # Safety
///
/// The processor must have the listed features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn call<R>(work: impl FnOnce(Vector) -> R) -> R {
    work(Vector(()))
}

#[inline(always)]
fn register(bytes: Bytes16) -> __m128i {
    // SAFETY: both are sixteen bytes without padding, and every value of either is valid.
    unsafe { transmute::<Bytes16, __m128i>(bytes) }
}

#[inline(always)]
fn array(bytes: __m128i) -> Bytes16 {
    // SAFETY: as in `register`.
    unsafe { transmute::<__m128i, Bytes16>(bytes) }
}

impl Simd for Vector {
    fn detect() -> Option<Vector> {
        (std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("lzcnt"))
        .then_some(Vector(()))
    }

    #[inline]
    fn call<R>(self, work: impl FnOnce(Vector) -> R) -> R {
        // SAFETY: a `Vector` comes from `detect`, which has checked that the processor has the features.
        unsafe { call(work) }
    }

    #[inline(always)]
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16 {
        // SAFETY: a `Vector` exists only if the processor has AVX2.
        array(unsafe { _mm_shuffle_epi8(register(table), register(index)) })
    }

    #[inline(always)]
    fn lookup(self, table: [Bytes16; 2], index: Bytes16) -> Bytes16 {
        let [low, high] = [register(table[0]), register(table[1])];
        let index = register(index);
        // SAFETY: a `Vector` exists only if the processor has AVX2.
        array(unsafe {
            // A shuffle uses the low four bits of each index. Bit 4 selects the half of the table; the
            // shift moves it to the top bit, which the blend uses.
            _mm_blendv_epi8(
                _mm_shuffle_epi8(low, index),
                _mm_shuffle_epi8(high, index),
                _mm_slli_epi16::<3>(index),
            )
        })
    }

    /// Like two lookups, but with all bytes in one register.
    #[inline(always)]
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32 {
        let [low, high] = halves(&by.0);
        let [low, high] = [register(low), register(high)];
        // SAFETY: a `Vector` exists only if the processor has AVX2; both types of a transmutation are 32
        // bytes without padding, and every value of either is valid.
        unsafe {
            let bytes = transmute::<Bytes32, __m256i>(*bytes);
            let replaced = _mm256_blendv_epi8(
                _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(low), bytes),
                _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(high), bytes),
                _mm256_slli_epi16::<3>(bytes),
            );
            transmute::<__m256i, Bytes32>(replaced)
        }
    }
}
