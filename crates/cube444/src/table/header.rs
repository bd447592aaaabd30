//! The headers of tables: their identity, how their entries are encoded, and their distribution.

use std::fmt;

use rayon::prelude::*;

use super::graph::{RowGraph, RowStep};

/// Version of the file layout; see `docs/table-format.md`.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// The identity of a table. Tables with equal identities are equal.
#[derive(Clone, Debug, derive_more::Display, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[display(
    "{label} in {metric} of {entries} entries of {} bits from {} to {}, fingerprint {fingerprint}",
    encoding.entry_bits, encoding.least_code, encoding.largest_code
)]
pub struct Identity {
    /// Method, stage and projection; also the name of the file.
    pub label: String,
    /// The metric's name.
    pub metric: String,
    /// A hash of everything that the meaning of the entries depends on: 32 hexadecimal digits.
    pub fingerprint: String,
    /// The number of entries.
    pub entries: u64,
    /// How the entries are stored.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub encoding: Encoding,
}

/// The header of a table file, stored as JSON.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Header {
    /// The identity of the table.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub identity: Identity,
    /// The distribution of the exact distances, before they are encoded.
    pub distribution: Distribution,
    /// The XXH3 hash (64 bits) of the payload: 16 hexadecimal digits.
    pub payload_checksum: String,
    /// The time that building took, in seconds.
    pub build_seconds: f64,
}

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
    /// The maximum distance stored as the first code, 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub least_code: u8,
    /// The least distance stored as the last code.
    pub largest_code: u8,
}

/// Whether a value need not be in a header.
#[cfg(feature = "serde")]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
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

    /// Whether the number of bits is valid, and all codes have distances.
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

/// The number of positions at each distance, from 0 to the greatest. Displayed as a table with a line of totals.
///
/// # Examples
///
/// ```
/// use cube444::table::Distribution;
///
/// let mut distribution = Distribution::default();
/// distribution.positions = vec![1, 18, 243];
/// distribution.unique = vec![1, 2, 9];
/// assert_eq!(distribution.greatest(), 2);
/// assert_eq!(distribution.total(), 262);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Distribution {
    /// The number of positions, not reduced by symmetry.
    pub positions: Vec<u64>,
    /// The number of positions up to symmetry.
    pub unique: Vec<u64>,
    /// The number of unreachable combinations of coordinates.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub unreachable: Unreachable,
}

/// The number of unreachable combinations of coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Unreachable {
    /// The number of combinations, not reduced by symmetry.
    pub positions: u64,
    /// The number of combinations up to symmetry.
    pub unique: u64,
}

/// The distance of an unreachable entry.
pub(super) const UNREACHED: u8 = u8::MAX;

impl Distribution {
    /// Adds counts at a distance, or of unreachable combinations at [`UNREACHED`].
    pub(crate) fn add(&mut self, distance: usize, positions: u64, unique: u64) {
        if distance == usize::from(UNREACHED) {
            self.unreachable.positions += positions;
            self.unreachable.unique += unique;
            return;
        }
        let length = self.positions.len().max(distance + 1);
        self.positions.resize(length, 0);
        self.unique.resize(length, 0);
        self.positions[distance] += positions;
        self.unique[distance] += unique;
    }

    /// The counts at each distance, as in [`Distribution::add`].
    fn counts(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        let counts = std::iter::zip(&self.positions, &self.unique).enumerate();
        let counts = counts.map(|(distance, (&positions, &unique))| (distance, positions, unique));
        let Unreachable { positions, unique } = self.unreachable;
        counts.chain([(UNREACHED.into(), positions, unique)])
    }

    /// Adds the counts that are not 0.
    fn with(mut self, counts: impl Iterator<Item = (usize, u64, u64)>) -> Distribution {
        for (distance, positions, unique) in counts.filter(|&(_, positions, _)| positions > 0) {
            self.add(distance, positions, unique);
        }
        self
    }

    /// Counts the entries of a table. `get` gives the distance of an entry.
    pub(crate) fn of(graph: &impl RowGraph, get: impl Fn(usize) -> u8 + Sync) -> Distribution {
        let rows = (0..graph.rows()).into_par_iter();
        rows.map(|row| Distribution::of_row(graph, row, &get))
            .reduce(Distribution::default, |a, b| a.with(b.counts()))
    }

    fn of_row(graph: &impl RowGraph, row: usize, get: &impl Fn(usize) -> u8) -> Distribution {
        let (first, second) = graph.row_shape();
        let images = graph.self_images(row);
        let mut positions = [0u64; 256];
        let mut unique = positions;
        for i in 0..first {
            for j in 0..second {
                let distance = get((row * first + i) * second + j) as usize;
                positions[distance] += 1;
                // Of symmetric entries, the first one counts.
                let is_first = |step: &RowStep<'_>| {
                    (step.first[i] as usize, step.second[j] as usize) >= (i, j)
                };
                unique[distance] += u64::from(images.iter().all(is_first));
            }
        }
        let weight = (graph.symmetries() / (images.len() + 1)) as u64;
        let counts = positions.into_iter().zip(unique).enumerate();
        let counts = counts.map(|(distance, (all, unique))| (distance, all * weight, unique));
        Distribution::default().with(counts)
    }

    /// The distribution after encoding. Distances less than `least_code` become `least_code`; greater
    /// ones, and unreachable combinations, become `largest_code`.
    pub(crate) fn clipped(&self, encoding: Encoding) -> Distribution {
        let (least, largest) = (encoding.least_code, encoding.largest_code);
        let clip = |distance: usize| distance.clamp(least.into(), largest.into());
        let counts = self.counts();
        let clipped = counts.map(|(at, positions, unique)| (clip(at), positions, unique));
        Distribution::default().with(clipped)
    }

    /// The maximum distance.
    #[must_use]
    pub fn greatest(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }

    /// The number of all positions.
    #[must_use]
    pub fn total(&self) -> u64 {
        sum(&self.positions)
    }
}

/// Saturates, as a file may have any counts.
fn sum(counts: &[u64]) -> u64 {
    counts.iter().copied().fold(0, u64::saturating_add)
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "distance  {:>20}  {:>20}", "positions", "unique")?;
        let counts = self.positions.iter().zip(&self.unique).enumerate();
        for (distance, (&positions, &unique)) in counts {
            let (positions, unique) = (grouped(positions), grouped(unique));
            writeln!(f, "{distance:>8}  {positions:>20}  {unique:>20}")?;
        }
        let [positions, unique] =
            [&self.positions, &self.unique].map(|counts| grouped(sum(counts)));
        write!(f, "   total  {positions:>20}  {unique:>20}")
    }
}

/// A number whose digits are in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
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

    #[test]
    fn digits_are_grouped_by_three() {
        let distribution = Distribution {
            positions: vec![0, 999, 1_000, 1_608_475_077],
            unique: vec![1; 4],
            ..Distribution::default()
        };
        let text = distribution.to_string();
        let lines = text.lines().skip(1);
        let positions = lines.filter_map(|line| line.split_whitespace().nth(1));
        let expected = ["0", "999", "1,000", "1,608,475,077", "1,608,477,076"];
        assert_eq!(positions.collect::<Vec<_>>(), expected);
        assert!(
            text.starts_with("distance             positions                unique\n       0 ")
        );
        assert!(text.ends_with("                     4"));
    }

    #[test]
    fn counts_of_any_file_have_a_total() {
        let positions = vec![u64::MAX, 1];
        let forged = Distribution {
            positions,
            ..Distribution::default()
        };
        assert_eq!(forged.total(), u64::MAX);
    }
}
