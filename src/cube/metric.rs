//! Metrics: what an axis move costs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::layout::LAYERS;
use super::turn::{PATTERNS, Pattern, join, pattern_of};

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

    /// The blocks of layers that cost 1 to turn, by any amount.
    fn blocks(self) -> &'static [[bool; LAYERS]] {
        match self {
            Metric::Obtm => &[
                [false, true, true, true],
                [false, false, true, true],
                [false, false, false, true],
            ],
            Metric::Stm => &[
                [true, false, false, false],
                [false, true, false, false],
                [false, false, true, false],
                [false, false, false, true],
            ],
        }
    }

    /// The cost of every pattern: the least number of block turns that make it.
    #[must_use]
    pub fn costs(self) -> [u8; PATTERNS] {
        let turns: Vec<Pattern> = self
            .blocks()
            .iter()
            .flat_map(|block| {
                (1..4).map(|amount| pattern_of(block.map(|turned| if turned { amount } else { 0 })))
            })
            .collect();
        let mut costs = [u8::MAX; PATTERNS];
        costs[0] = 0;
        let mut reached: Vec<Pattern> = vec![0];
        let mut next = 0;
        while next < reached.len() {
            let from = reached[next];
            next += 1;
            for &turn in &turns {
                let to = join(from, turn);
                if costs[to as usize] == u8::MAX {
                    costs[to as usize] = costs[from as usize] + 1;
                    reached.push(to);
                }
            }
        }
        costs
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
    use super::super::turn::amounts_of;
    use super::*;

    #[test]
    fn outer_block_turns_count_unequal_neighbours() {
        let costs = Metric::Obtm.costs();
        for pattern in 0..PATTERNS {
            let a = amounts_of(pattern as Pattern);
            let boundaries = (1..LAYERS).filter(|&i| a[i] != a[i - 1]).count();
            assert_eq!(costs[pattern] as usize, boundaries);
        }
    }

    #[test]
    fn slice_turns_count_layers_off_the_commonest_amount() {
        let costs = Metric::Stm.costs();
        for pattern in 0..PATTERNS {
            let a = amounts_of(pattern as Pattern);
            let kept = (0..4).map(|amount| a.iter().filter(|&&x| x == amount).count()).max();
            assert_eq!(Some(LAYERS - costs[pattern] as usize), kept);
        }
    }
}
