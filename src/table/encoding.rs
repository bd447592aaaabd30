//! How distances are stored as entries of a table.

use serde::{Deserialize, Serialize};

/// How the entries of a table are stored: as codes of a fixed number of bits.
///
/// Code 0 stands for all distances up to `least_code`, the codes after it for the distances after
/// that, and the last one for `largest_code` and all that are greater or cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encoding {
    /// Bits an entry: 1, 2, 4 or 8.
    pub entry_bits: u8,
    /// The greatest distance stored as code 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub least_code: u8,
    /// The least distance stored as the last code.
    pub largest_code: u8,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the serializer's condition takes a reference"
)]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl Encoding {
    /// Distances from 0 to 14, and 15 for those from 15 on, in four bits each.
    pub const NIBBLES: Encoding = Encoding {
        entry_bits: 4,
        least_code: 0,
        largest_code: 15,
    };

    /// Two bits each: distances up to `least`, the two after it, and all greater ones.
    #[must_use]
    pub const fn two_bits(least: u8) -> Encoding {
        Encoding {
            entry_bits: 2,
            least_code: least,
            largest_code: least + 3,
        }
    }

    /// One bit each: distances up to `least`, and all greater ones.
    #[must_use]
    pub const fn one_bit(least: u8) -> Encoding {
        Encoding {
            entry_bits: 1,
            least_code: least,
            largest_code: least + 1,
        }
    }

    /// The bits of a filter that tells which positions are within distances up to `radius`. They are no
    /// codes of distances.
    #[must_use]
    pub const fn filter(radius: u8) -> Encoding {
        Encoding {
            entry_bits: 1,
            least_code: 0,
            largest_code: radius,
        }
    }

    /// Whether there can be such codes, and distances that they stand for.
    pub(super) fn is_possible(self) -> bool {
        let last = match self.entry_bits {
            1 | 2 | 4 | 8 => ((1u16 << self.entry_bits) - 1) as u8,
            _ => return false,
        };
        self.least_code <= self.largest_code && self.least_code.checked_add(last).is_some()
    }

    /// The length of `entries` entries in bytes.
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

    /// Packs distances, the first entry of a byte in its lowest bits. In place, so that a large table
    /// is never in memory twice.
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
