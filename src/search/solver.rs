//! The beam search over a chain of stages.

use std::ops::ControlFlow;

use crate::cube::{AxisMove, Cube, Metric, Symmetry};
use crate::stage::{Beam, Chain, Effort, EffortLevel, TableSet};

use super::limits::{Limits, Meter, Pace, Statistics};
use super::ranking::{Candidate, Ranking};
use super::stage_search::{StageSearch, stage_search};

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

/// A chain and tables that make no solver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The tables are of another method, metric or version.
    #[error("the tables are of method {found}, not of method {wanted} in {metric}")]
    OtherTables {
        /// The method of the tables.
        found: &'static str,
        /// The method of the chain.
        wanted: &'static str,
        /// The metric of the chain.
        metric: Metric,
    },
    /// The method has no effort levels.
    #[error("method {method} is there to be analyzed, not to solve with")]
    AnalysisOnly {
        /// The method.
        method: &'static str,
    },
}

/// Solves states by a chain of stages.
#[derive(Debug)]
pub struct Solver {
    chain: Chain,
    tables: TableSet,
}

impl Solver {
    /// A solver on open tables of the chain.
    ///
    /// # Errors
    ///
    /// If the tables are not those of the chain, or the chain is there to be analyzed only.
    pub fn new(chain: Chain, tables: TableSet) -> Result<Solver, SolverError> {
        if !tables.is_of(&chain) {
            return Err(SolverError::OtherTables {
                found: tables.method(),
                wanted: chain.name(),
                metric: chain.metric(),
            });
        }
        if chain.effort(EffortLevel::LEAST).is_none() {
            return Err(SolverError::AnalysisOnly {
                method: chain.name(),
            });
        }
        Ok(Solver { chain, tables })
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

    /// How much work goes into a solution at a level.
    #[must_use]
    pub fn effort(&self, level: EffortLevel) -> &Effort {
        let effort = self.chain.effort(level);
        effort.expect("a chain of a solver has all effort levels or it would not have been taken")
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
        let searches: Vec<Box<dyn StageSearch + '_>> =
            std::iter::zip(self.chain.stages(), self.tables.stages())
                .map(|(space, tables)| stage_search(space, tables))
                .collect();
        let given = Candidate::given(*cube);
        let mut entries = Ranking::new(Some(&*searches[0]), usize::MAX, (0, &given));
        entries.add(given.cube, Symmetry::IDENTITY, 0, &[]);
        let entries = entries.finish();
        let mut generations = vec![vec![given], entries];
        for (number, search) in searches.iter().enumerate() {
            let next = searches.get(number + 1).map(|next| &**next);
            let beam = effort.beam(number);
            let parents = &generations[number + 1];
            let reached = pass(&**search, next, parents, beam, &mut meter)?;
            generations.push(reached);
        }
        Ok(trace(&searches, &generations, meter.statistics))
    }
}

/// Takes candidates through a stage: lists endings in the order of total cost, and keeps those from
/// which the next stage promises the least.
fn pass(
    search: &dyn StageSearch,
    next: Option<&dyn StageSearch>,
    parents: &[Candidate],
    beam: Beam,
    meter: &mut Meter<'_>,
) -> Result<Vec<Candidate>, SearchError> {
    let failed = || SearchError::Stage {
        stage: search.name(),
    };
    // The first is the most promising.
    let first = parents.first().ok_or_else(failed)?;
    let least = first.key;
    let mut ranking = Ranking::new(next, beam.width, (0, first));
    let mut endings = 0;

    for total in least..least + MOST_DETOUR {
        for (index, parent) in parents.iter().enumerate().filter(|(_, p)| p.key <= total) {
            ranking.set_parent((index, parent));
            let mut replay = Replay::new(search.moves(), parent.cube);
            let mut visit = |path: &[u8], rotation: Symmetry, meter: &mut Meter<'_>| {
                ranking.add(replay.after(path), rotation, total, path);
                endings += 1;
                if endings >= beam.candidates || meter.pace != Pace::Steady {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            let cost = (total - parent.cost) as u8;
            let flow = search.endings(&parent.position, cost, meter, &mut visit);
            if meter.pace == Pace::Cancelled {
                return Err(SearchError::Cancelled);
            }
            let hurried = meter.pace == Pace::Hurried && endings > 0;
            if flow.is_break() || hurried {
                return Ok(ranking.finish());
            }
        }
    }
    if endings > 0 {
        Ok(ranking.finish())
    } else {
        Err(failed())
    }
}

/// The stages' moves that led to the best of the last candidates, and its premoves, in the given
/// cube's frame.
fn trace(
    searches: &[Box<dyn StageSearch + '_>],
    generations: &[Vec<Candidate>],
    statistics: Statistics,
) -> Solution {
    let mut line = Vec::new();
    let mut index = 0;
    for generation in generations[1..].iter().rev() {
        line.push(&generation[index]);
        index = generation[index].parent;
    }
    line.reverse();
    let mut frame = Symmetry::IDENTITY;
    let steps = searches.iter().zip(line.windows(2));
    let stages = steps
        .map(|(search, step)| {
            let undo = frame.inverse();
            frame = frame.then(step[1].action.places());
            let moves = search.moves();
            StageSolution {
                stage: search.name(),
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
    fn new(moves: &'a [AxisMove], cube: Cube) -> Replay<'a> {
        Replay {
            moves,
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
