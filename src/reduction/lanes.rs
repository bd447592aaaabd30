//! Shuffles of bytes, by vector instructions where the processor has them.
//!
//! This is the only file of this room with unsafe code. [`Lanes`] has two implementations that give
//! the same results: portable code, and vector instructions. [`Speed::run`] chooses one of them for
//! a piece of [`Work`], once for each node of a search, so that everything inside is compiled for the
//! instructions chosen.
#![allow(
    unsafe_code,
    reason = "vector instructions are unsafe where the compiler cannot see that they exist; each \
              use states why they do"
)]

/// Sixteen bytes, of which each may be an index of another.
pub(crate) type Bytes16 = [u8; 16];

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
pub(crate) trait Lanes: Copy {
    /// `table[index[i]]` for each `i`; every index must be below 16.
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16;

    /// Rearranges 32 bytes.
    fn rearrange(self, bytes: &Bytes32, shuffle: &Shuffle32) -> Bytes32;

    /// Replaces each byte, below 32, by that of a table.
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32;
}

/// Something to be done with [`Lanes`].
pub(crate) trait Work {
    /// What comes out.
    type Output;

    /// Does it. Must be marked `#[inline(always)]`, like everything in it that is generic in `L`.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Which implementation of the byte operations is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    /// Held only where the processor was seen to have AVX2, BMI2 and POPCNT.
    #[cfg(target_arch = "x86_64")]
    Vector,
}

impl Speed {
    /// The portable implementation.
    pub const PORTABLE: Speed = Speed(Level::Portable);

    /// The fastest that this processor has.
    #[must_use]
    pub fn best() -> Speed {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("lzcnt")
        {
            return Speed(Level::Vector);
        }
        Speed::PORTABLE
    }

    /// Does some work with the chosen implementation.
    #[inline]
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        match self.0 {
            Level::Portable => work.run(Portable),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this level is made by `Speed::best` alone, after asking the processor.
            Level::Vector => unsafe { vector::run(work) },
        }
    }
}

/// The portable implementation.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Lanes for Portable {
    #[inline(always)]
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16 {
        index.map(|i| table[usize::from(i % 16)])
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
        __m128i, __m256i, _mm_shuffle_epi8, _mm256_blendv_epi8, _mm256_broadcastsi128_si256,
        _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_shuffle_epi8,
        _mm256_slli_epi16,
    };

    use super::{Bytes16, Bytes32, Lanes, Shuffle32, Substitution, Work};

    /// Vector instructions; made by [`run`] alone.
    #[derive(Clone, Copy)]
    pub(super) struct Vector(());

    /// Does some work with vector instructions.
    ///
    /// # Safety
    ///
    /// The processor must have the features named.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn run<W: Work>(work: W) -> W::Output {
        work.run(Vector(()))
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

    impl Lanes for Vector {
        #[inline(always)]
        fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16 {
            // SAFETY: a `Vector` exists only where AVX2 does.
            array(unsafe { _mm_shuffle_epi8(register(table), register(index)) })
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
