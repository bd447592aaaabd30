//! The starts of the search, in the order of their lower bounds.

use super::cubies::Arrangement;
use super::phases::ThreeByThree;
use super::roots::Root;
use crate::cube::Cube;

/// A reduced cube to solve.
pub(super) struct Reduction {
    /// The cube, with solved centers and paired wings.
    pub(super) cube: Cube,
    /// The cost so far.
    pub(super) cost: u8,
    /// The greatest cost of premoves.
    pub(super) premoves: u8,
}

/// A root of one of the reductions.
pub(super) struct Start {
    pub(super) reduction: usize,
    pub(super) root: Root,
    /// The cost before the first phase.
    pub(super) spent: u8,
    /// A lower bound of the cost after the first phase.
    pub(super) key: u8,
    /// The arrangement of each variant; filled on first use.
    pub(super) variants: Vec<Arrangement>,
}

impl ThreeByThree {
    /// The roots of reductions by ascending lower bound.
    pub(super) fn starts(&self, reductions: &[Reduction]) -> Vec<Start> {
        let mut starts = Vec::new();
        for (reduction, from) in reductions.iter().enumerate() {
            self.premoves
                .roots(&self.one, &from.cube, from.premoves, |root| {
                    self.one.table.prefetch(self.one.entry(&root.node.position));
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
            start.key += self.one.bound(&start.root.node.position);
        }
        starts.sort_by_key(|start| start.key);
        starts
    }
}
