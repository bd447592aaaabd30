//! Metrics: the costs of axis moves.

use super::layout::LAYERS;
use super::turn::{PATTERNS, Pattern, amounts_of};
use crate::names::named;

/// A way of counting turns. Rotations of the whole cube are free in all metrics.
///
/// # Examples
///
/// ```
/// use cube444::cube::Metric;
/// use cube444::Sequence;
///
/// let turns: Sequence = "Rw R'".parse()?;
/// let lengths = Metric::ALL.map(|metric| (metric.to_string(), turns.length(metric)));
/// assert_eq!(lengths, [("obtm", 2), ("stm", 1), ("btm", 1)].map(|(name, length)| (name.to_owned(), length)));
/// # Ok::<(), cube444::cube::NotationError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Outer block turns: any turn of a block of layers that includes an outer one. The metric of WCA
    /// scrambles (Norskog's "twist turns").
    Obtm,
    /// Slice turns: any turn of a single layer. The metric of the published tables.
    Stm,
    /// Block turns: any turn of a single layer or of two neighboring layers (Norskog's "block turns").
    Btm,
}

named!(
    Metric {
        Obtm: "obtm",
        Stm: "stm",
        Btm: "btm"
    },
    |text| format!("unknown metric {text:?}: use obtm, stm or btm")
);

impl Metric {
    /// The cost of turning layers by these amounts modulo 4.
    ///
    /// Outer block turns are counted modulo rotations of the whole cube: the cost is the number of boundaries at
    /// which neighboring layers have different amounts. Slice turns and block turns are counted in a fixed
    /// orientation, as in the published tables: the cost is the number of layers that turn, or the minimum
    /// number of turns of single layers and neighboring pairs.
    #[must_use]
    pub fn cost(self, amounts: [u8; LAYERS]) -> u8 {
        let amounts = amounts.map(|amount| amount % 4);
        let count = match self {
            Metric::Obtm => amounts.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            Metric::Stm => amounts.iter().filter(|&&amount| amount != 0).count(),
            Metric::Btm => block_turns(amounts),
        };
        count as u8
    }

    /// The cost of every pattern, that is, the minimum over rotations of the whole cube.
    #[must_use]
    pub fn pattern_costs(self) -> [u8; PATTERNS] {
        std::array::from_fn(|pattern| {
            let amounts = amounts_of(pattern as Pattern);
            let rotated = (0..4).map(|turn| self.cost(amounts.map(|amount| amount + turn)));
            rotated.min().expect("there are four rotations")
        })
    }
}

/// The minimum number of turns of single layers and neighboring pairs, over all amounts by which the three pairs
/// can turn. Single layers turn by the rest.
fn block_turns([a, b, c, d]: [u8; LAYERS]) -> usize {
    let turns = |pairs| {
        let [_, ab, bc, cd] = amounts_of(pairs);
        let single = [4 + a - ab, 8 + b - ab - bc, 8 + c - bc - cd, 4 + d - cd];
        let blocks = single.into_iter().chain([ab, bc, cd]);
        blocks.filter(|amount| amount % 4 != 0).count()
    };
    let numbers = (0..PATTERNS as Pattern).map(turns);
    numbers.min().expect("pairs need not turn")
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
