//! The operations with AVX2 and the instruction sets that come with it.
#![allow(
    unsafe_code,
    reason = "vector instructions are unsafe unless the compiler knows that the processor has them; \
              each use states why it does"
)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_blendv_epi8, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
    _mm_loadu_si128, _mm_or_si128, _mm_set1_epi8, _mm_shuffle_epi8, _mm_slli_epi16,
    _mm_storeu_si128, _mm256_blendv_epi8, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_shuffle_epi8, _mm256_slli_epi16,
};

use super::{Bytes16, Bytes24, Bytes32, Simd, Substitution};

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
    unsafe { std::mem::transmute::<Bytes16, __m128i>(bytes) }
}

#[inline(always)]
fn array(bytes: __m128i) -> Bytes16 {
    // SAFETY: as in `register`.
    unsafe { std::mem::transmute::<__m128i, Bytes16>(bytes) }
}

#[inline(always)]
fn load(bytes: &Bytes32) -> __m256i {
    // SAFETY: the reference is to 32 readable bytes, and the load needs no alignment; a `Vector`
    // exists only if the processor has AVX2.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// The first sixteen bytes and the last eight.
#[inline(always)]
fn parts(bytes: &Bytes24) -> [__m128i; 2] {
    let (eights, _) = bytes.as_chunks::<8>();
    // SAFETY: the reference is to 24 readable bytes, of which the load takes sixteen, and it needs no
    // alignment; a `Vector` exists only if the processor has AVX2.
    unsafe {
        [
            _mm_loadu_si128(bytes.as_ptr().cast()),
            _mm_cvtsi64_si128(i64::from_le_bytes(eights[2])),
        ]
    }
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
    fn shuffle24(self, table: &Bytes24, index: &Bytes24) -> Bytes24 {
        let [low, high] = parts(table);
        let mut picked = [0; 24];
        // SAFETY: a `Vector` exists only if the processor has AVX2; the store writes the first sixteen
        // of 24 bytes and needs no alignment.
        unsafe {
            let pick = |index| {
                // A shuffle gives 0 where the top bit of an index is set. Adding 0x70 sets it for indices
                // from 16 on, and subtracting 16 for those below 16.
                let of_low = _mm_add_epi8(index, _mm_set1_epi8(0x70));
                let of_high = _mm_add_epi8(index, _mm_set1_epi8(-16));
                _mm_or_si128(
                    _mm_shuffle_epi8(low, of_low),
                    _mm_shuffle_epi8(high, of_high),
                )
            };
            let [first, last] = parts(index).map(pick);
            _mm_storeu_si128(picked.as_mut_ptr().cast(), first);
            picked[16..].copy_from_slice(&_mm_cvtsi128_si64(last).to_le_bytes());
        }
        picked
    }

    #[inline(always)]
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32 {
        let bytes = load(bytes);
        let (halves, _) = by.0.as_chunks::<16>();
        // SAFETY: a `Vector` exists only if the processor has AVX2; both types of the last line are 32
        // bytes without padding, and every value of either is valid.
        unsafe {
            let low = _mm256_broadcastsi128_si256(register(halves[0]));
            let high = _mm256_broadcastsi128_si256(register(halves[1]));
            // A shuffle uses the low four bits of each index. Bit 4 selects the half of the table; the
            // shift moves it to the top bit, which the blend uses.
            let replaced = _mm256_blendv_epi8(
                _mm256_shuffle_epi8(low, bytes),
                _mm256_shuffle_epi8(high, bytes),
                _mm256_slli_epi16::<3>(bytes),
            );
            std::mem::transmute::<__m256i, Bytes32>(replaced)
        }
    }

    #[inline(always)]
    fn substitute8(self, bytes: u64, by: &Substitution) -> u64 {
        let (halves, _) = by.0.as_chunks::<16>();
        // SAFETY: a `Vector` exists only if the processor has AVX2.
        unsafe {
            let bytes = _mm_cvtsi64_si128(bytes.cast_signed());
            let replaced = _mm_blendv_epi8(
                _mm_shuffle_epi8(register(halves[0]), bytes),
                _mm_shuffle_epi8(register(halves[1]), bytes),
                // As in `substitute`.
                _mm_slli_epi16::<3>(bytes),
            );
            _mm_cvtsi128_si64(replaced).cast_unsigned()
        }
    }
}
