//! The operations on bytes.

/// Sixteen bytes: a table, or indices into one.
pub(crate) type Bytes16 = [u8; 16];

/// As many bytes as there are wings, or centers.
pub(crate) type Bytes24 = [u8; 24];

/// Two halves of sixteen bytes.
pub(crate) type Bytes32 = [u8; 32];

/// A rearrangement of 32 bytes.
///
/// Vector instructions shuffle within sixteen bytes. So each half of the result is combined from two shuffles:
/// one of the same half, and one of the other.
#[derive(Clone, Copy)]
pub(crate) struct Shuffle32 {
    /// For each byte, its source in the same half, or 0x80 if it comes from the other half.
    pub(super) same: Bytes32,
    /// For each byte, its source in the other half, or 0x80 if it comes from the same half.
    pub(super) other: Bytes32,
}

impl Shuffle32 {
    /// The rearrangement with the source (below 32) of each byte.
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
    fn call<R>(self, work: impl FnOnce(Self) -> R) -> R;

    /// `table[index[i]]` for each `i`; every index must be below 16.
    fn shuffle(self, table: Bytes16, index: Bytes16) -> Bytes16;

    /// `table[index[i]]` for each `i`; every index must be below 24.
    fn shuffle24(self, table: &Bytes24, index: &Bytes24) -> Bytes24;

    /// Rearranges 32 bytes.
    fn rearrange(self, bytes: &Bytes32, shuffle: &Shuffle32) -> Bytes32;

    /// Replaces each byte; every byte must be below 32.
    fn substitute(self, bytes: &Bytes32, by: &Substitution) -> Bytes32;

    /// The same for eight bytes in a number. Numbers stay in registers, unlike arrays.
    fn substitute8(self, bytes: u64, by: &Substitution) -> u64;
}
