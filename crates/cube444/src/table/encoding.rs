//! How distances are stored as entries of a table.

/// How distances are stored: as codes of 1, 2, 4 or 8 bits.
///
/// Code 0 stands for all distances up to `least_code`, the following codes for the following distances,
/// and the last code for `largest_code`, all greater distances, and unreachable entries.
///
/// # Examples
///
/// ```
/// use cube444::table::Encoding;
///
/// let distances = vec![0, 7, 8, 15, 200];
/// assert_eq!(Encoding::NIBBLES.pack(distances.clone()), [0x70, 0xf8, 0x0f]);
/// // Four ranges: up to 7, 8, 9, and from 10 on.
/// let two_bits = Encoding::two_bits(7);
/// assert_eq!(distances.iter().map(|&distance| two_bits.code(distance)).collect::<Vec<_>>(), [0, 0, 1, 3, 3]);
/// assert_eq!(two_bits.bytes(5), 2);
/// ```
#[derive(Clone, Copy, derive_more::Constructor, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Encoding {
    /// The number of bits of an entry: 1, 2, 4 or 8.
    pub entry_bits: u8,
    /// The maximum distance stored as code 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub least_code: u8,
    /// The least distance stored as the last code.
    pub largest_code: u8,
}

/// Whether a value need not be in a header.
#[cfg(feature = "serde")]
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Encoding {
    /// Distances from 0 to 14, and 15 for those from 15 on, in four bits each.
    pub const NIBBLES: Encoding = Encoding::new(4, 0, 15);

    /// Two bits each, for four ranges: distances up to `least`, the next two distances, and all greater
    /// ones.
    #[must_use]
    pub const fn two_bits(least: u8) -> Encoding {
        Encoding::new(2, least, least + 3)
    }

    /// The bits of a Bloom filter of positions at distances up to `radius`. They are not codes of distances.
    #[must_use]
    pub const fn filter(radius: u8) -> Encoding {
        Encoding::new(1, 0, radius)
    }

    /// Whether the number of bits and the range of distances are valid.
    #[cfg(feature = "files")]
    pub(super) fn is_possible(self) -> bool {
        let last = || ((1_u16 << self.entry_bits) - 1) as u8;
        matches!(self.entry_bits, 1 | 2 | 4 | 8)
            && self.least_code <= self.largest_code
            && self.least_code.checked_add(last()).is_some()
    }

    /// The number of bytes that `entries` entries take.
    #[must_use]
    pub fn bytes(self, entries: u64) -> u64 {
        entries.div_ceil(u64::from(8 / self.entry_bits))
    }

    /// The code of a distance.
    #[must_use]
    #[inline]
    pub fn code(self, distance: u8) -> u8 {
        distance.clamp(self.least_code, self.largest_code) - self.least_code
    }

    /// Packs distances into bytes, the first entry in the lowest bits. Works in place, so a large table is
    /// never in memory twice.
    #[must_use]
    pub fn pack(self, mut distances: Vec<u8>) -> Vec<u8> {
        let share = usize::from(8 / self.entry_bits);
        let length = distances.len().div_ceil(share);
        for i in 0..length {
            let entries = share * i..distances.len().min(share * (i + 1));
            distances[i] = entries.enumerate().fold(0, |byte, (place, entry)| {
                byte | self.code(distances[entry]) << (place as u8 * self.entry_bits)
            });
        }
        distances.truncate(length);
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_packed_low_half_first_and_clipped() {
        let pack = |distances| Encoding::NIBBLES.pack(distances);
        assert_eq!(pack(vec![1, 2, 15, 16, 7]), [0x21, 0xff, 0x07]);
        assert!(pack(Vec::new()).is_empty());
        let pack = |distances| Encoding::two_bits(7).pack(distances);
        assert_eq!(pack(vec![0, 7, 8, 9, 10, 15]), [0b10_01_00_00, 0b11_11]);
    }
}
