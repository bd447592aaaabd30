//! Where the search through the first phase begins.

use super::cubies::Arrangement;
use super::phases::ThreeByThree;
use super::roots::Root;
use crate::cube::Cube;

/// A reduced cube from which to finish.
pub(super) struct Reduction {
    /// The cube, its centers at home and its wings paired up.
    pub(super) cube: Cube,
    /// What it has cost to come here.
    pub(super) cost: u8,
    /// The most turns that may come before it.
    pub(super) premoves: u8,
}

/// A root of one of the reductions.
pub(super) struct Start {
    pub(super) reduction: usize,
    pub(super) root: Root,
    /// What has been spent before the first phase.
    pub(super) spent: u8,
    /// A lower bound of what has been spent after the first phase.
    pub(super) key: u8,
    /// Where the pieces are, for each variant; filled when first needed.
    pub(super) variants: Vec<Arrangement>,
}

impl ThreeByThree {
    /// The roots of some reductions, the most promising first.
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
