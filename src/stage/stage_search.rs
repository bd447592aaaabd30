//! A stage as the beam search sees it, whatever its positions are made of.

use std::ops::ControlFlow;

use crate::cube::{Action, AxisMove, Cube, Symmetry};
use crate::limits::Meter;

use super::premoves::Premove;

/// A cube on its way into a stage.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// The cube.
    pub cube: Cube,
    /// The stage is entered with the cube after this.
    pub action: Action,
    /// What the run of turns about one axis did with which the stage before ended, after the action;
    /// [`AxisMove::STILL`] if there was none, or if the stage does not ask for it
    /// ([`StageSearch::continues_runs`]).
    pub last: AxisMove,
}

/// What the moves at the end of a path that are about one axis do together. A path is of the moves'
/// numbers.
#[must_use]
pub fn last_run(moves: &[AxisMove], path: &[u8]) -> AxisMove {
    let mut backwards = path.iter().rev().map(|&number| moves[number as usize]);
    let Some(last) = backwards.next() else {
        return AxisMove::STILL;
    };
    let run = backwards.take_while(|mv| mv.axis() == last.axis());
    let amounts = run.fold(last.amounts(), |sum, mv| {
        std::array::from_fn(|layer| sum[layer] + mv.amounts()[layer])
    });
    AxisMove::new(last.axis(), amounts)
}

/// How the whole cube must be turned after an ending, given the cube there, so that the next stage
/// can be entered.
pub type Settle<'s> = dyn Fn(&Cube) -> Symmetry + 's;

/// What is called with each ending of a stage: the numbers of its moves in order, and how to go on.
pub type Visit<'v> = dyn FnMut(&[u8], &Settle<'_>, &mut Meter<'_>) -> ControlFlow<()> + 'v;

/// A stage with its tables.
pub trait StageSearch: Send + Sync {
    /// The stage's name: what it reaches.
    fn name(&self) -> &'static str;

    /// The moves that the numbers of a path stand for.
    fn moves(&self) -> &[AxisMove];

    /// The choices of colours to try on entry.
    fn relabellings(&self) -> &[Symmetry];

    /// What can be put before a state, on entry, that has been preceded by some turns already.
    fn premoves(&self, earlier: &[AxisMove]) -> Vec<Premove> {
        let _ = earlier;
        vec![Premove::nothing()]
    }

    /// Whether the stage must be told how the one before it ended.
    fn continues_runs(&self) -> bool {
        false
    }

    /// For each arrival, a lower bound of the cost to finish the stage from there.
    fn bounds(&self, arrivals: &[Arrival]) -> Vec<u8>;

    /// Whether the stage is done at a cube that an ending leads to. Some endings may turn out not to
    /// be ones, where what is cheap to list does not tell; see [`Condition`](super::Condition).
    fn is_done(&self, cube: &Cube) -> bool {
        let _ = cube;
        true
    }

    /// Prepares to list endings from some arrivals.
    fn start(&self, arrivals: &[Arrival]) -> Box<dyn Endings + '_>;
}

/// Lists the ways to finish a stage.
pub trait Endings {
    /// Visits every canonical way of exactly `cost` from the arrival with a number, until `visit` or
    /// the meter breaks.
    fn visit(
        &mut self,
        arrival: usize,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()>;
}

/// A last stage that looks for the shortest way to the solved cube from many cubes at once, where a
/// list of endings by cost from one of them is not what serves best.
pub trait FinishSearch: Send + Sync {
    /// The stage's name.
    fn name(&self) -> &'static str;

    /// The shortest whole solution, counted from the given cubes with what they have cost, that is
    /// found by looking at so many candidates; in a hurry, at fewer. `None` only if the meter
    /// breaks, or if a cube is not one that the stage takes.
    fn finish(
        &self,
        from: &[(Cube, usize)],
        candidates: usize,
        meter: &mut Meter<'_>,
    ) -> Option<Finish>;
}

/// How a [`FinishSearch`] ends.
pub struct Finish {
    /// The number of the cube that is solved.
    pub from: usize,
    /// The moves that solve it.
    pub moves: Vec<AxisMove>,
    /// Their cost.
    pub cost: usize,
}
