//! Distance distributions.

use std::fmt;

use super::encoding::Encoding;
#[cfg(feature = "serde")]
use super::encoding::is_default;
use super::graph::{RowGraph, RowStep};
use rayon::prelude::*;

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

    /// The distribution after encoding. Distances below the least code become the least code; distances above
    /// the largest code, and unreachable combinations, become the largest code.
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
        self.positions.iter().sum()
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "distance  {:>20}  {:>20}", "positions", "unique")?;
        let counts = self.positions.iter().zip(&self.unique).enumerate();
        for (distance, (&positions, &unique)) in counts {
            let (positions, unique) = (grouped(positions), grouped(unique));
            writeln!(f, "{distance:>8}  {positions:>20}  {unique:>20}")?;
        }
        let [positions, unique] = [self.total(), self.unique.iter().sum()].map(grouped);
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
}
