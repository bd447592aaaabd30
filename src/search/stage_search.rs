//! A declared stage with its tables, as the enumeration and the beam search see it.

use std::ops::ControlFlow;

use super::enumerate::enumerate_metered;
use super::space::SearchSpace;
use crate::cube::{AxisMove, Cube, Symmetry};
use crate::limits::Meter;
use crate::stage::{
    Arrival, Endings, MOST_COMPONENTS, Node, Premove, Space, StageSearch, StageTables, Step, Visit,
};

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

    fn bounds(&self, arrivals: &[Arrival]) -> Vec<u8> {
        let positions = self.space.positions(arrivals);
        for position in &positions {
            self.tables.prefetch(&position[..P]);
        }
        let bounded = positions.iter();
        bounded
            .map(|position| self.tables.bound(&position[..P]))
            .collect()
    }

    fn is_done(&self, cube: &Cube) -> bool {
        let condition = self.space.spec().condition;
        condition.is_none_or(|holds| holds(cube))
    }

    fn start(&self, arrivals: &[Arrival]) -> Box<dyn Endings + '_> {
        let positions = self.space.positions(arrivals);
        let roots = positions.iter();
        Box::new(DeclaredEndings {
            stage: *self,
            roots: roots
                .map(|position| std::array::from_fn(|component| position[component]))
                .collect(),
        })
    }
}

/// The endings of a declared stage from several positions.
struct DeclaredEndings<'a, const P: usize> {
    stage: BoundedSpace<'a, P>,
    roots: Vec<[Node; P]>,
}

impl<const P: usize> Endings for DeclaredEndings<'_, P> {
    fn visit(
        &mut self,
        arrival: usize,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let mut at_goal = |path: &[u8], nodes: &[Node; P], meter: &mut Meter<'_>| {
            let settle = |_: &Cube| {
                let rotation = self.stage.space.goal_rotation(nodes);
                rotation.expect("an enumeration ends at goals alone")
            };
            visit(path, &settle, meter)
        };
        enumerate_metered(&self.stage, self.roots[arrival], cost, meter, &mut at_goal)
    }
}
