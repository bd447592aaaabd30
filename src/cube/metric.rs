//! Metrics: what an axis move costs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::layout::LAYERS;
use super::turn::{PATTERNS, Pattern, amounts_of};

/// A way of counting turns. Whole rotations are free in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Outer block turns: a block of layers that includes an outer one, turned once. What WCA
    /// scrambles are counted in (Norskog's "twist turns").
    Obtm,
    /// Slice turns: any single layer, turned once. What the published tables are counted in.
    Stm,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Metric; 2] = [Metric::Obtm, Metric::Stm];

    /// The metric's lower-case name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Metric::Obtm => "obtm",
            Metric::Stm => "stm",
        }
    }

    /// The cost of turning layers by exactly these amounts.
    ///
    /// Outer block turns are counted modulo whole rotations, as the number of boundaries at which
    /// neighbouring layers turn differently. Slice turns are counted as the number of layers that
    /// turn, as in the published tables, where the cube's orientation is held fixed.
    #[must_use]
    pub fn cost(self, amounts: [u8; LAYERS]) -> u8 {
        let count = match self {
            Metric::Obtm => amounts.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            Metric::Stm => amounts.iter().filter(|&&amount| amount != 0).count(),
        };
        count as u8
    }

    /// The cost of every pattern, whole rotations being free: the least over its realisations.
    #[must_use]
    pub fn pattern_costs(self) -> [u8; PATTERNS] {
        std::array::from_fn(|pattern| {
            let amounts = amounts_of(pattern as Pattern);
            let rotated = (0..4).map(|turn| self.cost(amounts.map(|amount| (amount + turn) % 4)));
            rotated.min().unwrap_or_default()
        })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is of no known metric.
#[derive(Debug, thiserror::Error)]
#[error("unknown metric {0:?}: use obtm or stm")]
pub struct UnknownMetric(String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Metric, UnknownMetric> {
        Metric::ALL
            .into_iter()
            .find(|metric| metric.name() == name)
            .ok_or_else(|| UnknownMetric(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::turn::{join, pattern_of};
    use super::*;

    /// Least numbers of block turns, by breadth-first search over patterns.
    fn searched(blocks: &[[u8; LAYERS]]) -> [u8; PATTERNS] {
        let mut costs = [u8::MAX; PATTERNS];
        costs[0] = 0;
        let mut reached: Vec<Pattern> = vec![0];
        for next in 0..PATTERNS {
            let from = reached[next];
            for block in blocks {
                for amount in 1..4 {
                    let to = join(from, pattern_of(block.map(|turned| turned * amount)));
                    if costs[to as usize] == u8::MAX {
                        costs[to as usize] = costs[from as usize] + 1;
                        reached.push(to);
                    }
                }
            }
        }
        costs
    }

    #[test]
    fn pattern_costs_are_least_numbers_of_turns() {
        let outer = [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]];
        assert_eq!(Metric::Obtm.pattern_costs(), searched(&outer));
        let slices = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
        assert_eq!(Metric::Stm.pattern_costs(), searched(&slices));
    }
}
