//! The starts of the search, in the order of their lower bounds.

use super::cubies::Arrangement;
use super::phase_one::NodeOne;
use super::phases::ThreeByThree;
use super::roots::PhaseRoot;
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
    pub(super) root: PhaseRoot,
    pub(super) node: NodeOne,
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
        let mut roots = Vec::new();
        for (reduction, from) in reductions.iter().enumerate() {
            let take = |root| roots.push((reduction, root));
            self.premoves
                .roots(&self.one, &from.cube, from.premoves, take);
        }
        // Each step handles all roots, so that their cache misses overlap.
        let node = |(_, root): &(usize, PhaseRoot)| {
            let node = self.one.node(root.coordinates);
            self.one.table.prefetch(self.one.entry(&node.position));
            node
        };
        let nodes: Vec<NodeOne> = roots.iter().map(node).collect();
        let start = |((reduction, root), node): ((usize, PhaseRoot), NodeOne)| {
            let spent = reductions[reduction].cost + root.cost;
            Start {
                reduction,
                root,
                node,
                spent,
                key: spent + self.one.bound(&node.position),
                variants: Vec::new(),
            }
        };
        let mut starts: Vec<Start> = roots.into_iter().zip(nodes).map(start).collect();
        starts.sort_by_key(|start| start.key);
        starts
    }
}
