//! The shortest solution in both phases: many endings of the first one, each with the best of the second.

use super::phases::ThreeByThree;
use super::search::{BATCH, PhaseSearch};
use super::starts::Reduction;
use crate::cube::AxisMove;
use crate::search::Meter;

/// The shortest solution found.
pub(super) struct Finished {
    /// The index of the reduction that it solves.
    pub(super) reduction: usize,
    /// The moves that solve it.
    pub(super) moves: Vec<AxisMove>,
    /// The total number of turns, including those of the reduction.
    pub(super) total: u8,
}

impl ThreeByThree {
    /// The shortest solution of any of the reductions among `endings` endings of the first phase, in the
    /// order of total length. `None` if the meter stops the search before there is one.
    pub(super) fn shortest(
        &self,
        reductions: &[Reduction],
        endings: usize,
        meter: &mut Meter<'_>,
    ) -> Option<Finished> {
        let mut starts = self.starts(reductions);
        let least = starts.first()?.key;
        let mut search = PhaseSearch {
            phases: self,
            endings_left: endings,
            best: None,
            pending: Vec::with_capacity(2 * BATCH),
            path: Vec::with_capacity(32),
            children: Vec::with_capacity(256),
            placed: Vec::new(),
            placed_path: Vec::new(),
            meter,
        };
        'search: for total in least..u8::MAX {
            if search.best.as_ref().is_some_and(|best| total >= best.total) {
                break;
            }
            for (number, start) in starts.iter_mut().enumerate() {
                if start.key > total {
                    break;
                }
                if start.variants.is_empty() {
                    start.variants = self.premoves.variants(&start.root).collect();
                }
                search.begin(&start.variants);
                let flow = search.endings(number, start.node, total - start.spent, total);
                if flow.is_err() {
                    break 'search;
                }
            }
            search.settle(total);
        }
        let best = search.best?;
        let start = &starts[best.start];
        let moves = |numbers: &[u8], moves: &[AxisMove]| -> Vec<AxisMove> {
            let moves = numbers.iter().map(|&number| moves[usize::from(number)]);
            moves.collect()
        };
        let mut solution = moves(&best.one, self.one.turns.moves());
        solution.extend(moves(&best.two, self.two.turns.moves()));
        let variant = best.variant.into();
        Some(Finished {
            reduction: start.reduction,
            moves: self.premoves.solution(&start.root, variant, &solution),
            total: best.total,
        })
    }
}

#[cfg(test)]
mod tests;
