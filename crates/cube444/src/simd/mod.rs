//! Byte shuffles, with vector instructions if the processor has them.
//!
//! `Simd` has two implementations that give the same results: portable code, and vector instructions
//! (AVX2 on x86-64, NEON on aarch64, `simd128` in WebAssembly).
//! Callers pass a piece of work to `dispatch!`, such as a node of a search or the transformation of a cube.
//! The work is compiled once for each implementation, so that all of it can use the instructions. The
//! implementation is chosen once per process: the portable one if the environment variable
//! `SCRAMBLE444_PORTABLE` is set, so that tests can run with either, and otherwise the fastest.

use std::sync::LazyLock;

#[cfg_attr(target_arch = "x86_64", path = "avx2.rs")]
#[cfg_attr(
    all(
        target_arch = "aarch64",
        target_feature = "neon",
        target_endian = "little"
    ),
    path = "neon.rs"
)]
#[cfg_attr(
    all(target_arch = "wasm32", target_feature = "simd128"),
    path = "simd128.rs"
)]
mod vector;

pub(crate) use vector::Vector;

/// Sixteen bytes: a table, or indices into one.
pub(crate) type Bytes16 = [u8; 16];

/// As many bytes as there are wings, or centers.
pub(crate) type Bytes24 = [u8; 24];

/// Two halves of sixteen bytes.
pub(crate) type Bytes32 = [u8; 32];

/// The replacement of each byte value below 32.
#[derive(Clone, Copy)]
pub(crate) struct Substitution(pub(crate) Bytes32);

/// Operations on bytes. A value of an implementing type exists only if the processor supports the
/// implementation.
pub(crate) trait Simd: Copy {
    /// This implementation, if the processor supports it.
    fn detect() -> Option<Self>;

    /// Calls a closure, compiled for the instructions of this implementation if it is marked
    /// `#[inline(always)]`.
    #[inline]
    fn call<R>(self, work: impl FnOnce(Self) -> R) -> R {
        work(self)
    }

    /// `table[index[i]]` for each `i`; every index must be below 16.
    #[inline(always)]
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16 {
        self.lookup([table; 2], index)
    }

    /// The same for a table in two halves; every index must be below 32.
    fn lookup(self, table: [Bytes16; 2], index: Bytes16) -> Bytes16;

    /// `table[index[i]]` for each `i`; every index must be below 24.
    #[inline(always)]
    fn shuffle24(self, table: &Bytes24, index: &Bytes24) -> Bytes24 {
        // Not by `map`: its closure may be compiled for the instructions of any processor, without inlining.
        let (table, [first, last]) = (parts(table), parts(index));
        let [first, last] = [self.lookup(table, first), self.lookup(table, last)];
        let mut picked = [0; 24];
        picked[..16].copy_from_slice(&first);
        picked[16..].copy_from_slice(&last[..8]);
        picked
    }

    /// Replaces each byte; every byte must be below 32.
    #[inline(always)]
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32 {
        let (by, [low, high]) = (halves(&by.0), halves(bytes));
        let replaced = [self.lookup(by, low), self.lookup(by, high)];
        let mut joined = [0; 32];
        joined.copy_from_slice(replaced.as_flattened());
        joined
    }

    /// The same for eight bytes in a number. Numbers stay in registers, unlike arrays.
    #[inline(always)]
    fn substitute8(self, bytes: u64, by: &Substitution) -> u64 {
        let bytes = u128::from(bytes).to_le_bytes();
        u128::from_le_bytes(self.lookup(halves(&by.0), bytes)) as u64
    }
}

#[inline(always)]
fn halves(bytes: &Bytes32) -> [Bytes16; 2] {
    let (halves, _) = bytes.as_chunks();
    [halves[0], halves[1]]
}

/// The first sixteen bytes, and the last eight with padding.
#[inline(always)]
fn parts(bytes: &Bytes24) -> [Bytes16; 2] {
    let (sixteens, last) = bytes.as_chunks();
    let (eights, _) = last.as_chunks();
    let last = u64::from_le_bytes(eights[0]);
    [sixteens[0], u128::from(last).to_le_bytes()]
}

/// The portable implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

impl Simd for Portable {
    fn detect() -> Option<Portable> {
        Some(Portable)
    }

    #[inline(always)]
    fn lookup(self, table: [Bytes16; 2], index: Bytes16) -> Bytes16 {
        index.map(|i| table.as_flattened()[usize::from(i % 32)])
    }
}

/// The vector instructions that this process uses; `None` for portable code.
pub(crate) static CHOSEN: LazyLock<Option<Vector>> =
    LazyLock::new(|| match std::env::var_os("SCRAMBLE444_PORTABLE") {
        Some(_) => None,
        None => Vector::detect(),
    });

/// Evaluates a call with vector instructions or portable code, as this process does if nothing else is given:
/// `simd::dispatch!(|simd| function(simd, argument))`. The call is compiled once for each implementation.
///
/// The function and all functions it calls that are generic over [`Simd`] must be marked
/// `#[inline(always)]`; others are not compiled for the instructions.
macro_rules! dispatch {
    (|$simd:ident| $call:expr) => {
        $crate::simd::dispatch!(*$crate::simd::CHOSEN, |$simd| $call)
    };
    ($vector:expr, |$simd:ident| $call:expr) => {
        match $vector {
            None => $crate::simd::Simd::call(
                $crate::simd::Portable,
                #[inline(always)]
                |$simd| $call,
            ),
            Some(vector) => $crate::simd::Simd::call(
                vector,
                #[inline(always)]
                |$simd| $call,
            ),
        }
    };
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use std::array::from_fn;

    use super::*;

    /// Each operation once: shuffles of 16 and of 24 bytes, and substitutions of 32 and of eight.
    #[inline(always)]
    fn all<S: Simd>(simd: S, table: &Bytes32, index: &Bytes32) -> (Bytes16, Bytes24, Bytes32, u64) {
        let below = |most| move |at: usize| index[at] % most;
        (
            simd.shuffle(from_fn(|at| table[at]), from_fn(below(16))),
            simd.shuffle24(&from_fn(|at| table[at]), &from_fn(below(24))),
            simd.substitute(index, &Substitution(*table)),
            simd.substitute8(
                u64::from_le_bytes(from_fn(|at| index[at])),
                &Substitution(*table),
            ),
        )
    }

    #[test]
    fn both_implementations_give_the_expected_bytes() {
        let table: Bytes32 = from_fn(|at| 201 + at as u8);
        for shift in 0..32 {
            let index: Bytes32 = from_fn(|to| (to as u8 * 5 + shift) % 32);
            let found = |most: u8| move |at: usize| 201 + index[at] % most;
            let wanted = (
                from_fn(found(16)),
                from_fn(found(24)),
                from_fn(found(32)),
                u64::from_le_bytes(from_fn(found(32))),
            );
            for vector in [None, Vector::detect()] {
                let found = dispatch!(vector, |simd| all(simd, &table, &index));
                assert_eq!(found, wanted, "{vector:?}");
            }
        }
    }
}
