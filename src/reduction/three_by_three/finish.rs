//! The search over both phases: many ways through the first one, the best through the second.

use std::sync::Arc;

use super::super::bands::Bands;
use super::super::lanes::{Shuffle32, Speed};
use super::cubies::{Arrangement, shuffle};
use super::near_subgroup::{NearSubgroup, RADIUS};
use super::phase_one::{PhaseOneNode, PhaseOneSpace};
use super::phase_two::PhaseTwo;
use super::roots::{Premoves, Root};
use super::search::{BATCH, Search};
use crate::cube::{AxisMove, Cube};
use crate::limits::Meter;
use crate::table::Table;

/// Both phases with their tables.
pub struct ThreeByThree {
    pub(super) space: Arc<PhaseOneSpace>,
    pub(super) table: Bands,
    pub(super) near: NearSubgroup,
    pub(super) two: PhaseTwo,
    premoves: Premoves,
    pub(super) shuffles: Vec<Shuffle32>,
    pub(super) speed: Speed,
}

/// A reduced cube from which to finish.
pub struct Reduction {
    /// The cube, its centers at home and its wings paired up.
    pub cube: Cube,
    /// What it has cost to come here.
    pub cost: u8,
    /// The most turns that may come before it.
    pub premoves: u8,
}

/// The shortest solution found.
pub struct Finished {
    /// Which of the reductions it finishes.
    pub reduction: usize,
    /// The moves that solve it.
    pub moves: Vec<AxisMove>,
    /// Turns in all, with those that led to the reduction.
    pub total: u8,
}

/// A root of one of the reductions.
pub(super) struct Start {
    reduction: usize,
    pub(super) root: Root,
    /// What has been spent before the first phase.
    spent: u8,
    /// A lower bound of what has been spent after the first phase.
    key: u8,
    /// Where the pieces are, for each variant; filled when first needed.
    variants: Vec<Arrangement>,
}

impl ThreeByThree {
    /// The phases with their tables.
    #[must_use]
    pub fn new(
        space: Arc<PhaseOneSpace>,
        table: Arc<Table>,
        two: PhaseTwo,
        speed: Speed,
    ) -> ThreeByThree {
        ThreeByThree {
            near: NearSubgroup::new(&space),
            premoves: Premoves::new(&space),
            shuffles: space.turns.moves().iter().map(|&mv| shuffle(mv)).collect(),
            table: Bands::new(table),
            space,
            two,
            speed,
        }
    }

    /// A lower bound of the first phase.
    fn bound(&self, node: PhaseOneNode) -> u8 {
        let at = self.space.reduced(node);
        match self.table.bound(at.index()) {
            0 => self
                .near
                .guide(at)
                .map_or(RADIUS + 1, |guide| guide.distance),
            bound => bound,
        }
    }

    pub(super) fn starts(&self, reductions: &[Reduction]) -> Vec<Start> {
        let mut starts = Vec::new();
        for (reduction, from) in reductions.iter().enumerate() {
            self.premoves
                .roots(&self.space, &from.cube, from.premoves, |root| {
                    self.table.prefetch(self.space.reduced(root.node).index());
                    let spent = from.cost + root.cost;
                    starts.push(Start {
                        reduction,
                        root,
                        spent,
                        key: spent,
                        variants: Vec::new(),
                    });
                });
        }
        for start in &mut starts {
            start.key += self.bound(start.root.node);
        }
        starts.sort_by_key(|start| start.key);
        starts
    }

    /// The shortest solution of any of the reductions that is found by looking at so many ways
    /// through the first phase, in the order of total length; `None` if the meter breaks before
    /// there is one.
    #[must_use]
    pub fn finish(
        &self,
        reductions: &[Reduction],
        endings: usize,
        meter: &mut Meter<'_>,
    ) -> Option<Finished> {
        let mut starts = self.starts(reductions);
        let least = starts.first()?.key;
        let mut search = Search {
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
                let flow = search.endings(number, start.root.node, total - start.spent, total);
                if flow.is_break() {
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
        let mut solution = moves(&best.one, self.space.turns.moves());
        solution.extend(moves(&best.two, self.two.space.turns.moves()));
        let variant = best.variant.into();
        Some(Finished {
            reduction: start.reduction,
            moves: self.premoves.solution(&start.root, variant, &solution),
            total: best.total,
        })
    }
}
