//! What a stage of the reduction method offers to a search.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::turns::{RunState, Turns};
use crate::cube::{Action, AxisMove, Cube, Symmetry};
use crate::limits::Meter;
use crate::stage::{Arrival, Endings, StageSearch, Visit};

/// A stage: its turns, its positions, and the ways to finish it.
pub trait StageKernel: Send + Sync {
    /// A position, with the state of the sequence that led to it.
    type Node: Copy + Send;

    /// The stage's turns, whose numbers paths consist of.
    fn turns(&self) -> &Turns;

    /// The position of a cube, and a lower bound of the turns to the stage's goal. `state` says what
    /// the last run of the stage before has turned.
    fn enter(&self, cube: &Cube, state: RunState) -> (Self::Node, u8);

    /// Visits every canonical way to finish the stage with exactly `cost` turns, once, as the
    /// numbers of its turns, until `visit` or `meter` breaks.
    fn endings(
        &self,
        node: &Self::Node,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut impl FnMut(&[u8], &mut Meter<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// How the whole cube must be turned after an ending, so that the next stage can be entered.
    fn settle(&self, ending: &Cube) -> Symmetry;
}

/// A kernel as the beam search sees it.
pub(super) struct KernelSearch<K> {
    pub(super) name: &'static str,
    pub(super) kernel: Arc<K>,
    /// The choices of colours to try on entry.
    pub(super) relabellings: Vec<Symmetry>,
}

impl<K: StageKernel> KernelSearch<K> {
    fn enter(&self, arrival: &Arrival) -> (K::Node, u8) {
        let state = RunState::of(arrival.last);
        if arrival.action == Action::IDENTITY {
            self.kernel.enter(&arrival.cube, state)
        } else {
            let cube = arrival.cube.transformed(arrival.action);
            self.kernel.enter(&cube, state)
        }
    }
}

impl<K: StageKernel> StageSearch for KernelSearch<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn moves(&self) -> &[AxisMove] {
        self.kernel.turns().moves()
    }

    fn relabellings(&self) -> &[Symmetry] {
        &self.relabellings
    }

    fn continues_runs(&self) -> bool {
        true
    }

    fn bounds(&self, arrivals: &[Arrival]) -> Vec<u8> {
        arrivals
            .iter()
            .map(|arrival| self.enter(arrival).1)
            .collect()
    }

    fn start(&self, arrivals: &[Arrival]) -> Box<dyn Endings + '_> {
        Box::new(KernelEndings {
            kernel: &*self.kernel,
            nodes: arrivals
                .iter()
                .map(|arrival| self.enter(arrival).0)
                .collect(),
        })
    }
}

/// The endings of a kernel from several positions.
struct KernelEndings<'a, K: StageKernel> {
    kernel: &'a K,
    nodes: Vec<K::Node>,
}

impl<K: StageKernel> Endings for KernelEndings<'_, K> {
    fn visit(
        &mut self,
        arrival: usize,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let settle = |ending: &Cube| self.kernel.settle(ending);
        let mut each = |path: &[u8], meter: &mut Meter<'_>| {
            meter.statistics.endings += 1;
            visit(path, &settle, meter)
        };
        self.kernel
            .endings(&self.nodes[arrival], cost, meter, &mut each)
    }
}
