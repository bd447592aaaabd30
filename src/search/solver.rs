//! The candidate search over a chain of stages.

use std::ops::ControlFlow;

use crate::cube::{AxisMove, Cube, Symmetry};
use crate::stage::{Chain, Node, Space, TableSet};

use super::effort::Effort;
use super::enumerate::enumerate_metered;
use super::harvest::{Candidate, Harvest};
use super::limits::{Limits, Meter, Pace, Statistics};
use super::space::BoundedSpace;

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The search was called off.
    #[error("the search was cancelled")]
    Cancelled,
    /// A stage's moves did not lead to its goal, or no way to it was found: a defect.
    #[error("internal error: stage {stage} was not solved correctly")]
    Stage {
        /// The stage's name.
        stage: &'static str,
    },
}

/// What one stage contributes to a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageSolution {
    /// The stage's name.
    pub stage: &'static str,
    /// Its axis moves, in the frame of the cube that was given.
    pub moves: Vec<AxisMove>,
    /// Their cost in the chain's metric, before joining with the neighbouring stages' moves.
    pub cost: usize,
    /// The state that the search believes to be reached, with whatever colours it calls by which
    /// name, seen from whichever side; for checking.
    pub after: Cube,
}

/// A way to solve a state.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Stage by stage.
    pub stages: Vec<StageSolution>,
    /// Outer turns that end the solution. To the stages they have come before the state; see
    /// [`Premove`](crate::stage::Premove).
    pub premoves: Vec<AxisMove>,
    /// What they cost, in the chain's metric.
    pub premove_cost: usize,
    /// What finding it took.
    pub statistics: Statistics,
}

impl Solution {
    /// All axis moves in order; neighbouring ones about the same axis joined into one.
    #[must_use]
    pub fn joined_moves(&self) -> Vec<AxisMove> {
        let stages = self.stages.iter().flat_map(|stage| &stage.moves);
        joined(stages.chain(&self.premoves))
    }
}

/// Axis moves in order; neighbouring ones about the same axis joined into one.
#[must_use]
pub fn joined<'a>(moves: impl IntoIterator<Item = &'a AxisMove>) -> Vec<AxisMove> {
    let mut joined: Vec<AxisMove> = Vec::new();
    for &mv in moves {
        let mv = match joined.pop_if(|last| last.axis() == mv.axis()) {
            Some(last) => {
                let sum = |i| last.amounts()[i] + mv.amounts()[i];
                AxisMove::new(mv.axis(), std::array::from_fn(sum))
            }
            None => mv,
        };
        if mv.amounts() != [0; 4] {
            joined.push(mv);
        }
    }
    joined
}

/// Solves states by a chain of stages.
pub struct Solver {
    chain: Chain,
    tables: TableSet,
}

impl Solver {
    /// A solver on open tables of the chain.
    #[must_use]
    pub fn new(chain: Chain, tables: TableSet) -> Solver {
        Solver { chain, tables }
    }

    /// The chain of stages.
    #[must_use]
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &TableSet {
        &self.tables
    }

    fn bounded(&self, stage: usize) -> BoundedSpace<'_> {
        BoundedSpace {
            space: &self.chain.stages[stage],
            tables: &self.tables.stages[stage],
        }
    }

    /// Finds a short solution; blocks until it is found.
    ///
    /// Deterministic for a given state and effort, unless the deadline passes.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) a stage fails.
    pub fn solve(
        &self,
        cube: &Cube,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Solution, SearchError> {
        let mut meter = Meter::new(limits);
        let given = Candidate::given(*cube);
        let entries = self.entries(&given);
        let mut generations = vec![vec![given], entries];
        for stage in 0..self.chain.stages.len() {
            let next = self.pass(stage, &generations[stage + 1], effort, &mut meter)?;
            generations.push(next);
        }
        Ok(self.trace(&generations, meter.statistics))
    }

    /// The candidates with which the first stage begins.
    fn entries(&self, given: &Candidate) -> Vec<Candidate> {
        let mut harvest = Harvest::new(Some(self.bounded(0)), usize::MAX, (0, given));
        harvest.add(given.cube, given.node, Symmetry::IDENTITY, 0, &[]);
        harvest.finish()
    }

    /// Takes candidates through a stage: lists endings in the order of total cost, and keeps those
    /// from which the next stage promises the least.
    fn pass(
        &self,
        stage: usize,
        parents: &[Candidate],
        effort: &Effort,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Candidate>, SearchError> {
        let bounded = self.bounded(stage);
        let space = bounded.space;
        let failed = || SearchError::Stage {
            stage: space.spec().name,
        };
        let next = (stage + 1 < self.chain.stages.len()).then(|| self.bounded(stage + 1));
        let budget = effort.of(stage);
        // The first is the most promising.
        let first = parents.first().ok_or_else(failed)?;
        let least = first.key;
        let mut harvest = Harvest::new(next, budget.kept, (0, first));
        let mut endings = 0;
        let mut unsettled = false;

        for total in least..least + MOST_DETOUR {
            for (index, parent) in parents.iter().enumerate().filter(|(_, p)| p.key <= total) {
                harvest.set_parent((index, parent));
                let mut replay = Replay::new(space, parent.cube);
                let mut visit = |path: &[u8], node: &Node, meter: &mut Meter<'_>| {
                    let Some(turn) = space.settling_turn(node) else {
                        unsettled = true;
                        return ControlFlow::Break(());
                    };
                    harvest.add(replay.after(path), *node, turn, total, path);
                    endings += 1;
                    if endings >= budget.endings || meter.pace != Pace::Steady {
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                };
                let cost = (total - parent.cost) as u8;
                let flow = enumerate_metered(&bounded, parent.node, cost, meter, &mut visit);
                if unsettled {
                    return Err(failed());
                }
                if meter.pace == Pace::Cancelled {
                    return Err(SearchError::Cancelled);
                }
                let hurried = meter.pace == Pace::Hurried && endings > 0;
                if flow.is_break() || hurried {
                    return Ok(harvest.finish());
                }
            }
        }
        if endings > 0 {
            Ok(harvest.finish())
        } else {
            Err(failed())
        }
    }

    /// The stages' moves that led to the best of the last candidates, and its premoves, in the given
    /// cube's frame.
    fn trace(&self, generations: &[Vec<Candidate>], statistics: Statistics) -> Solution {
        let mut line = Vec::new();
        let mut index = 0;
        for generation in generations[1..].iter().rev() {
            line.push(&generation[index]);
            index = generation[index].parent;
        }
        line.reverse();
        let mut frame = Symmetry::IDENTITY;
        let steps = self.chain.stages.iter().zip(line.windows(2));
        let stages = steps
            .map(|(space, step)| {
                let undo = frame.inverse();
                frame = frame.then(step[1].action.places());
                let moves = space.generators().moves();
                StageSolution {
                    stage: space.spec().name,
                    moves: step[1]
                        .path
                        .iter()
                        .map(|&generator| moves[generator as usize].conjugate(undo))
                        .collect(),
                    cost: step[1].cost - step[1].premove_cost - step[0].cost,
                    after: step[1].bare(),
                }
            })
            .collect();
        // In the end places and labels are in one frame again.
        let premoves = line.last().map_or(&[][..], |last| &last.premoves);
        let undo = frame.inverse();
        Solution {
            stages,
            premoves: premoves.iter().map(|mv| mv.conjugate(undo)).collect(),
            premove_cost: line.iter().map(|step| step.premove_cost).sum(),
            statistics,
        }
    }
}

/// A stage is given up after looking this much beyond the least total cost.
const MOST_DETOUR: usize = 40;

/// Applies successive paths to one cube, repeating only what differs from the path before.
struct Replay<'a> {
    moves: &'a [AxisMove],
    path: Vec<u8>,
    /// The cube after each prefix of `path`.
    cubes: Vec<Cube>,
}

impl<'a> Replay<'a> {
    fn new(space: &'a Space, cube: Cube) -> Replay<'a> {
        Replay {
            moves: space.generators().moves(),
            path: Vec::new(),
            cubes: vec![cube],
        }
    }

    fn after(&mut self, path: &[u8]) -> Cube {
        let common = self
            .path
            .iter()
            .zip(path)
            .take_while(|(a, b)| a == b)
            .count();
        self.path.truncate(common);
        self.cubes.truncate(common + 1);
        let mut cube = self.cubes[common];
        for &generator in &path[common..] {
            cube = cube.moved(self.moves[generator as usize]);
            self.path.push(generator);
            self.cubes.push(cube);
        }
        cube
    }
}
