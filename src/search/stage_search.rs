//! A stage with its tables, as the enumeration and the beam search see it.

use std::ops::ControlFlow;

use super::enumerate::enumerate_metered;
use super::limits::Meter;
use super::space::SearchSpace;
use crate::cube::{Action, AxisMove, Cube, Symmetry};
use crate::stage::{MOST_COMPONENTS, Node, Position, Premove, Space, StageTables, Step};

/// A stage of `P` components with its tables.
#[derive(Clone, Copy)]
pub struct BoundedSpace<'a, const P: usize> {
    /// The stage.
    pub space: &'a Space,
    /// Its tables.
    pub tables: &'a StageTables,
}

impl<const P: usize> SearchSpace for BoundedSpace<'_, P> {
    type Node = [Node; P];

    #[inline]
    fn expand(&self, node: &[Node; P], state: u8, left: u8, into: &mut Vec<([Node; P], Step)>) {
        let known = into.len();
        self.space.expand(node, state, left, into);
        for (child, step) in &into[known..] {
            if !self.is_known(left - step.cost) {
                self.tables.prefetch(child);
            }
        }
    }

    #[inline]
    fn is_known(&self, left: u8) -> bool {
        left <= self.space.known_radius()
    }

    #[inline]
    fn exceeds(&self, node: &[Node; P], limit: u8) -> bool {
        self.tables.exceeds(node, limit)
    }

    fn is_goal(&self, node: &[Node; P]) -> bool {
        self.space.is_goal(node)
    }
}

/// What is called with each ending of a stage: the numbers of its moves in order, and the whole
/// rotation that brings it to the next stage's orientation.
pub(super) type Visit<'v> = dyn FnMut(&[u8], Symmetry, &mut Meter<'_>) -> ControlFlow<()> + 'v;

/// A stage as the beam search sees it, whatever its positions are made of.
pub(super) trait StageSearch {
    /// The stage's name.
    fn name(&self) -> &'static str;

    /// The moves that the numbers of a path stand for.
    fn moves(&self) -> &[AxisMove];

    /// The choices of colours to try on entry.
    fn relabellings(&self) -> &[Symmetry];

    /// What can be put before a state, on entry, that has been preceded by some turns already.
    fn premoves(&self, earlier: &[AxisMove]) -> Vec<Premove>;

    /// Where cubes after actions enter the stage, each with a lower bound of the cost to finish it.
    fn enter(&self, asked: &[(Cube, Action)]) -> Vec<(Position, u8)>;

    /// Visits every ending of exactly `cost` from a position.
    fn endings(
        &self,
        from: &Position,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()>;
}

/// The search of a stage with its tables.
pub(super) fn stage_search<'a>(
    space: &'a Space,
    tables: &'a StageTables,
) -> Box<dyn StageSearch + 'a> {
    match space.component_specs().len() {
        1 => Box::new(BoundedSpace::<1> { space, tables }),
        2 => Box::new(BoundedSpace::<2> { space, tables }),
        _ => Box::new(BoundedSpace::<MOST_COMPONENTS> { space, tables }),
    }
}

impl<const P: usize> StageSearch for BoundedSpace<'_, P> {
    fn name(&self) -> &'static str {
        self.space.name()
    }

    fn moves(&self) -> &[AxisMove] {
        self.space.generators().moves()
    }

    fn relabellings(&self) -> &[Symmetry] {
        &self.space.spec().relabellings
    }

    fn premoves(&self, earlier: &[AxisMove]) -> Vec<Premove> {
        let premoves = self.space.premoves().iter().copied();
        premoves.chain(self.space.reversals(earlier)).collect()
    }

    fn enter(&self, asked: &[(Cube, Action)]) -> Vec<(Position, u8)> {
        let positions = self.space.positions_after(asked);
        for position in &positions {
            self.tables.prefetch(&position[..P]);
        }
        let bounded = positions.into_iter();
        bounded
            .map(|position| (position, self.tables.bound(&position[..P])))
            .collect()
    }

    fn endings(
        &self,
        from: &Position,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let root = std::array::from_fn(|component| from[component]);
        let mut visit = |path: &[u8], nodes: &[Node; P], meter: &mut Meter<'_>| {
            let rotation = self.space.goal_rotation(nodes);
            let rotation = rotation.expect("an enumeration ends at goals alone");
            visit(path, rotation, meter)
        };
        enumerate_metered(self, root, cost, meter, &mut visit)
    }
}
