//! Byte shuffles, by vector instructions where the processor has them.
//!
//! `Simd` has two implementations that give the same results: portable code, and vector instructions.
//! `run` chooses one of them for a piece of work, such as a node of a search or the transformation of a
//! cube, so that everything inside is compiled for the instructions chosen. The choice is made once in
//! a process. With the environment variable `SCRAMBLE444_PORTABLE` it is the portable code, so that
//! everything can be tested with either.
#![allow(
    unsafe_code,
    reason = "vector instructions are unsafe where the compiler cannot see that they exist; each \
              use states why they do"
)]

use std::sync::LazyLock;

/// Sixteen bytes, of which each may be an index of another.
pub(crate) type Bytes16 = [u8; 16];

/// As many bytes as there are wings, or centers.
pub(crate) type Bytes24 = [u8; 24];

/// Two halves of sixteen bytes.
pub(crate) type Bytes32 = [u8; 32];

/// A rearrangement of 32 bytes, of which each half is used up to twelve or so.
#[derive(Clone, Copy)]
pub(crate) struct Shuffle32 {
    /// For each byte, its source in the same half, or 0x80 if it comes from the other half.
    same: Bytes32,
    /// For each byte, its source in the other half, or 0x80 if it comes from the same half.
    other: Bytes32,
}

impl Shuffle32 {
    /// From the source (below 32) of every byte.
    pub(crate) fn new(sources: Bytes32) -> Shuffle32 {
        let mut shuffle = Shuffle32 {
            same: [0x80; 32],
            other: [0x80; 32],
        };
        for (to, &from) in sources.iter().enumerate() {
            let half = if to / 16 == usize::from(from) / 16 {
                &mut shuffle.same
            } else {
                &mut shuffle.other
            };
            half[to] = from % 16;
        }
        shuffle
    }
}

/// What each byte below 32 is replaced by.
#[derive(Clone, Copy)]
pub(crate) struct Substitution(pub(crate) Bytes32);

/// Operations on bytes.
pub(crate) trait Simd: Copy {
    /// `table[index[i]]` for each `i`; every index must be below 16.
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16;

    /// `table[index[i]]` for each `i`; every index must be below 24.
    fn shuffle24(self, table: &Bytes24, index: &Bytes24) -> Bytes24;

    /// Rearranges 32 bytes.
    fn rearrange(self, bytes: &Bytes32, shuffle: &Shuffle32) -> Bytes32;

    /// Replaces each byte, below 32, by that of a table.
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32;
}

/// Work to be done with [`Simd`].
pub(crate) trait WithSimd {
    /// What comes out.
    type Output;

    /// Does it. Must be marked `#[inline(always)]`, like everything in it that is generic in `S`.
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output;
}

/// Which implementation of the byte operations is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arch(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    /// Held only where the processor was seen to have the features that `vector::run` names.
    #[cfg(target_arch = "x86_64")]
    Vector,
}

static CHOSEN: LazyLock<Arch> = LazyLock::new(|| match std::env::var_os("SCRAMBLE444_PORTABLE") {
    Some(_) => Arch::PORTABLE,
    None => Arch::best(),
});

/// The implementation that this process uses.
pub(crate) fn chosen() -> Arch {
    *CHOSEN
}

/// Does some work with the implementation that this process uses.
#[inline]
pub(crate) fn run<W: WithSimd>(work: W) -> W::Output {
    CHOSEN.run(work)
}

impl Arch {
    /// The portable implementation.
    pub(crate) const PORTABLE: Arch = Arch(Level::Portable);

    /// The fastest that this processor has.
    pub(crate) fn best() -> Arch {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("lzcnt")
        {
            return Arch(Level::Vector);
        }
        Arch::PORTABLE
    }

    /// Does some work with this implementation.
    #[inline]
    pub(crate) fn run<W: WithSimd>(self, work: W) -> W::Output {
        match self.0 {
            Level::Portable => work.with_simd(Portable),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this level is made by `Arch::best` alone, after asking the processor.
            Level::Vector => unsafe { vector::run(work) },
        }
    }
}

/// The portable implementation.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Simd for Portable {
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
    fn rearrange(self, bytes: &Bytes32, shuffle: &Shuffle32) -> Bytes32 {
        std::array::from_fn(|to| {
            let half = to & 16;
            match shuffle.same[to] {
                0x80 => bytes[usize::from(shuffle.other[to]) % 16 + (half ^ 16)],
                from => bytes[usize::from(from) % 16 + half],
            }
        })
    }

    #[inline(always)]
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32 {
        bytes.map(|byte| by.0[usize::from(byte % 32)])
    }
}

#[cfg(target_arch = "x86_64")]
mod vector {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi8, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128,
        _mm_or_si128, _mm_set1_epi8, _mm_shuffle_epi8, _mm_storeu_si128, _mm256_blendv_epi8,
        _mm256_broadcastsi128_si256, _mm256_loadu_si256, _mm256_or_si256,
        _mm256_permute2x128_si256, _mm256_shuffle_epi8, _mm256_slli_epi16,
    };

    use super::{Bytes16, Bytes24, Bytes32, Shuffle32, Simd, Substitution, WithSimd};

    /// Vector instructions; made by [`run`] alone.
    #[derive(Clone, Copy)]
    pub(super) struct Vector(());

    /// Does some work with vector instructions.
    ///
    /// # Safety
    ///
    /// The processor must have the features named.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn run<W: WithSimd>(work: W) -> W::Output {
        work.with_simd(Vector(()))
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
        // exists only where AVX2 does.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    /// The first sixteen bytes, and the eight others.
    #[inline(always)]
    fn parts(bytes: &Bytes24) -> [__m128i; 2] {
        let (eights, _) = bytes.as_chunks::<8>();
        // SAFETY: the reference is to 24 readable bytes, of which the load takes sixteen without
        // asking for alignment; a `Vector` exists only where AVX2 does.
        unsafe {
            [
                _mm_loadu_si128(bytes.as_ptr().cast()),
                _mm_cvtsi64_si128(i64::from_le_bytes(eights[2])),
            ]
        }
    }

    impl Simd for Vector {
        #[inline(always)]
        fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16 {
            // SAFETY: a `Vector` exists only where AVX2 does.
            array(unsafe { _mm_shuffle_epi8(register(table), register(index)) })
        }

        #[inline(always)]
        fn shuffle24(self, table: &Bytes24, index: &Bytes24) -> Bytes24 {
            let [low, high] = parts(table);
            let mut picked = [0; 24];
            // SAFETY: a `Vector` exists only where AVX2 does; the store writes the first sixteen of 24
            // bytes and needs no alignment.
            unsafe {
                let pick = |index| {
                    // A shuffle takes nothing where the top bit of an index is set: where one from 16
                    // on looks for the first sixteen bytes, and one below 16 for the others.
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
        fn rearrange(self, bytes: &Bytes32, shuffle: &Shuffle32) -> Bytes32 {
            let (bytes, same, other) = (load(bytes), load(&shuffle.same), load(&shuffle.other));
            // SAFETY: a `Vector` exists only where AVX2 does; both types are 32 bytes without
            // padding, and every value of either is valid.
            unsafe {
                let swapped = _mm256_permute2x128_si256::<1>(bytes, bytes);
                let moved = _mm256_or_si256(
                    _mm256_shuffle_epi8(bytes, same),
                    _mm256_shuffle_epi8(swapped, other),
                );
                std::mem::transmute::<__m256i, Bytes32>(moved)
            }
        }

        #[inline(always)]
        fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32 {
            let bytes = load(bytes);
            let (halves, _) = by.0.as_chunks::<16>();
            // SAFETY: a `Vector` exists only where AVX2 does; both types of the last line are 32
            // bytes without padding, and every value of either is valid.
            unsafe {
                let low = _mm256_broadcastsi128_si256(register(halves[0]));
                let high = _mm256_broadcastsi128_si256(register(halves[1]));
                // A shuffle looks at the low four bits of an index, a blend at the top bit.
                let replaced = _mm256_blendv_epi8(
                    _mm256_shuffle_epi8(low, bytes),
                    _mm256_shuffle_epi8(high, bytes),
                    _mm256_slli_epi16::<3>(bytes),
                );
                std::mem::transmute::<__m256i, Bytes32>(replaced)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Shuffle<'a>(&'a Bytes24, &'a Bytes24);

    impl WithSimd for Shuffle<'_> {
        type Output = Bytes24;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Bytes24 {
            simd.shuffle24(self.0, self.1)
        }
    }

    #[test]
    fn every_byte_is_found_from_every_place_by_either_implementation() {
        let table = std::array::from_fn(|at| 201 + at as u8);
        for shift in 0..24 {
            let index = std::array::from_fn(|to| (to as u8 * 5 + shift) % 24);
            let wanted = index.map(|from| 201 + from);
            for arch in [Arch::PORTABLE, Arch::best()] {
                assert_eq!(arch.run(Shuffle(&table, &index)), wanted, "{arch:?}");
            }
        }
    }
}
