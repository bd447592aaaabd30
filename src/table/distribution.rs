//! How many positions are at each distance.

use serde::{Deserialize, Serialize};

/// Counts by distance, from 0 to the greatest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    /// Positions: every value of the unreduced coordinates counts.
    pub positions: Vec<u64>,
    /// Positions up to symmetry.
    pub unique: Vec<u64>,
}

impl Distribution {
    /// Adds counts at a distance.
    pub(crate) fn add(&mut self, distance: usize, positions: u64, unique: u64) {
        let length = self.positions.len().max(distance + 1);
        self.positions.resize(length, 0);
        self.unique.resize(length, 0);
        self.positions[distance] += positions;
        self.unique[distance] += unique;
    }

    /// The sum of two distributions.
    #[must_use]
    pub(crate) fn merged(mut self, other: &Distribution) -> Distribution {
        for (distance, (&positions, &unique)) in
            other.positions.iter().zip(&other.unique).enumerate()
        {
            self.add(distance, positions, unique);
        }
        self
    }

    /// The greatest distance.
    #[must_use]
    pub fn greatest(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }

    /// The number of positions in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.positions.iter().sum()
    }
}
