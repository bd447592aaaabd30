//! Metrics: the costs of axis moves.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::layout::LAYERS;
use super::turn::{AMOUNTS, PATTERNS, Pattern, amounts_index, amounts_of};

/// A way of counting turns. Rotations of the whole cube are free in all metrics.
///
/// # Examples
///
/// ```
/// use cube444::Sequence;
/// use cube444::cube::Metric;
///
/// let turns: Sequence = "Rw R'".parse()?;
/// let lengths = Metric::ALL.map(|metric| (metric.to_string(), turns.length(metric)));
/// assert_eq!(lengths, [("obtm", 2), ("stm", 1), ("btm", 1)].map(|(name, length)| (name.to_owned(), length)));
/// # Ok::<(), cube444::cube::NotationError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Outer block turns: any turn of a block of layers that includes an outer one. The metric of WCA
    /// scrambles (Norskog's "twist turns").
    Obtm,
    /// Slice turns: any turn of a single layer. The metric of the published tables.
    Stm,
    /// Block turns: any turn of a single layer or of two neighbouring layers (Norskog's "block turns").
    Btm,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 3] = [Metric::Obtm, Metric::Stm, Metric::Btm];

    /// The name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Metric::Obtm => "obtm",
            Metric::Stm => "stm",
            Metric::Btm => "btm",
        }
    }

    /// The cost of turning layers by these amounts modulo 4.
    ///
    /// Outer block turns are counted modulo rotations of the whole cube: the cost is the number of boundaries at
    /// which neighbouring layers have different amounts. Slice turns and block turns are counted in a fixed
    /// orientation, as in the published tables: the cost is the number of layers that turn, or the minimum
    /// number of turns of single layers and neighbouring pairs.
    #[must_use]
    pub fn cost(self, amounts: [u8; LAYERS]) -> u8 {
        let amounts = amounts.map(|amount| amount % 4);
        let count = match self {
            Metric::Obtm => amounts.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            Metric::Stm => amounts.iter().filter(|&&amount| amount != 0).count(),
            Metric::Btm => return BLOCK_TURNS[amounts_index(amounts)],
        };
        count as u8
    }

    /// The cost of every pattern, that is, the minimum over rotations of the whole cube.
    #[must_use]
    pub fn pattern_costs(self) -> [u8; PATTERNS] {
        std::array::from_fn(|pattern| {
            let amounts = amounts_of(pattern as Pattern);
            let rotated = (0..4).map(|turn| self.cost(amounts.map(|amount| (amount + turn) % 4)));
            rotated
                .min()
                .expect("there are four rotations about an axis")
        })
    }
}

/// Minimum numbers of block turns by [`amounts_index`], found by breadth-first search.
static BLOCK_TURNS: LazyLock<[u8; AMOUNTS]> = LazyLock::new(|| {
    const BLOCKS: [[u8; LAYERS]; 7] = [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [1, 1, 0, 0],
        [0, 1, 1, 0],
        [0, 0, 1, 1],
    ];
    let mut costs = [u8::MAX; AMOUNTS];
    costs[0] = 0;
    let mut reached = vec![[0; LAYERS]];
    let mut next = 0;
    while next < reached.len() {
        let from = reached[next];
        next += 1;
        for block in BLOCKS {
            for quarters in 1..4 {
                let to = std::array::from_fn(|i| (from[i] + block[i] * quarters) % 4);
                if costs[amounts_index(to)] == u8::MAX {
                    costs[amounts_index(to)] = costs[amounts_index(from)] + 1;
                    reached.push(to);
                }
            }
        }
    }
    costs
});

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no metric of that name.
#[derive(Debug, thiserror::Error)]
#[error("unknown metric {0:?}: use obtm, stm or btm")]
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

    /// Minimum numbers of block turns, by breadth-first search over patterns.
    fn min_turns(blocks: &[[u8; LAYERS]]) -> [u8; PATTERNS] {
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
    fn pattern_costs_are_minimum_numbers_of_turns() {
        let outer = [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]];
        assert_eq!(Metric::Obtm.pattern_costs(), min_turns(&outer));
        let slices = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
        assert_eq!(Metric::Stm.pattern_costs(), min_turns(&slices));
        let pairs = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]];
        let blocks: Vec<_> = slices.into_iter().chain(pairs).collect();
        assert_eq!(Metric::Btm.pattern_costs(), min_turns(&blocks));
    }
}
