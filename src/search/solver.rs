//! The beam search over a chain of stages.

use std::ops::ControlFlow;

use crate::cube::{AxisMove, Cube, Metric, Symmetry};
use crate::limits::{Limits, Meter, Pace, Statistics};
use crate::stage::{
    Beam, Chain, CustomSearch, Effort, EffortLevel, Finish, FinishSearch, Settle, StageSearch,
    TableSet,
};

use super::ranking::{Candidate, Ranking};
use super::stage_search::stage_search;

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
    /// What the search of the stage took, from all its candidates.
    pub statistics: Statistics,
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
    /// Whether the deadline passed before it was found, so that the search took what there was.
    pub hurried: bool,
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
        let declared: Vec<Box<dyn StageSearch + '_>> =
            std::iter::zip(self.chain.stages(), self.tables.stages())
                .map(|(space, tables)| stage_search(space, tables))
                .collect();
        let mut searches: Vec<&dyn StageSearch> = declared.iter().map(|search| &**search).collect();
        let mut finish = None;
        for custom in self.tables.custom_stages() {
            match custom {
                CustomSearch::Stage(search) => searches.push(&**search),
                CustomSearch::Finish(search) => finish = Some(&**search),
            }
        }
        let mut meter = Meter::new(limits);
        let given = Candidate::given(*cube);
        let first = searches.first().copied();
        let mut entries = Ranking::new(first, &[], usize::MAX, (0, &given));
        entries.add(given.cube, Symmetry::IDENTITY, 0, &[]);
        let entries = entries.finish();
        let mut generations = vec![vec![given], entries];
        let mut work = Work::default();
        for (number, search) in searches.iter().enumerate() {
            let next = searches.get(number + 1).copied();
            let beam = effort.beam(number);
            let parents = &generations[number + 1];
            let reached = pass(*search, next, parents, beam, &mut meter)?;
            generations.push(reached);
            work.end_stage(&meter);
        }
        let Some(finish) = finish else {
            let line = line(&generations, 0);
            return Ok(trace(&searches, &line, &work, &meter));
        };
        let reached = &generations[searches.len() + 1];
        let beam = effort.beam(searches.len());
        let finished = complete(finish, reached, beam, &mut meter)?;
        work.end_stage(&meter);
        let line = line(&generations, finished.from);
        let mut solution = trace(&searches, &line, &work, &meter);
        let frame = line.iter().fold(Symmetry::IDENTITY, |frame, step| {
            frame.then(step.action.places())
        });
        let undo = frame.inverse();
        let moves = finished.moves.iter().map(|mv| mv.conjugate(undo));
        solution.stages.push(StageSolution {
            stage: finish.name(),
            moves: moves.collect(),
            cost: finished.cost,
            after: Cube::solved(),
            statistics: work.of_stage(searches.len()),
        });
        Ok(solution)
    }
}

/// What has been done after each stage.
#[derive(Default)]
struct Work(Vec<Statistics>);

impl Work {
    fn end_stage(&mut self, meter: &Meter<'_>) {
        self.0.push(meter.statistics);
    }

    fn of_stage(&self, number: usize) -> Statistics {
        let before = number.checked_sub(1).map(|before| self.0[before]);
        self.0[number].since(before.unwrap_or_default())
    }

    fn total(&self) -> Statistics {
        self.0.last().copied().unwrap_or_default()
    }
}

/// Takes candidates through the last stage.
fn complete(
    finish: &dyn FinishSearch,
    from: &[Candidate],
    beam: Beam,
    meter: &mut Meter<'_>,
) -> Result<Finish, SearchError> {
    meter.allow_nodes(None);
    let cubes: Vec<(Cube, usize)> = from.iter().map(|from| (from.cube, from.cost)).collect();
    let finished = finish.finish(&cubes, beam.candidates, meter);
    if meter.pace() == Pace::Cancelled {
        return Err(SearchError::Cancelled);
    }
    finished.ok_or(SearchError::Stage {
        stage: finish.name(),
    })
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
    let mut ranking = Ranking::new(next, search.moves(), beam.width, (0, first));
    let arrivals: Vec<_> = parents.iter().map(Candidate::arrival).collect();
    let mut listing = search.start(&arrivals);
    let mut endings = 0;
    meter.allow_nodes(None);

    for total in least..least + MOST_DETOUR {
        for (index, parent) in parents.iter().enumerate().filter(|(_, p)| p.key <= total) {
            ranking.set_parent((index, parent));
            let mut replay = Replay::new(search.moves(), parent.cube);
            let mut visit = |path: &[u8], settle: &Settle<'_>, meter: &mut Meter<'_>| {
                let cube = replay.after(path);
                if !search.is_done(&cube) {
                    return ControlFlow::Continue(());
                }
                ranking.add(cube, settle(&cube), total, path);
                endings += 1;
                if endings == 1 {
                    meter.allow_nodes(beam.nodes);
                }
                if endings >= beam.candidates || meter.pace() != Pace::Steady {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            let cost = (total - parent.cost) as u8;
            let flow = listing.visit(index, cost, meter, &mut visit);
            if meter.pace() == Pace::Cancelled {
                return Err(SearchError::Cancelled);
            }
            let hurried = meter.pace() == Pace::Hurried && endings > 0;
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

/// How a candidate of the last generation came about: the given state, and what was kept of it on
/// entry to each stage and in the end.
fn line(generations: &[Vec<Candidate>], mut index: usize) -> Vec<&Candidate> {
    let mut line = Vec::new();
    for generation in generations[1..].iter().rev() {
        line.push(&generation[index]);
        index = generation[index].parent;
    }
    line.reverse();
    line
}

/// The stages' moves that led to the end of a line, and its premoves, in the given cube's frame.
fn trace(
    searches: &[&dyn StageSearch],
    line: &[&Candidate],
    work: &Work,
    meter: &Meter<'_>,
) -> Solution {
    let mut frame = Symmetry::IDENTITY;
    let steps = searches.iter().zip(line.windows(2)).enumerate();
    let stages = steps
        .map(|(number, (search, step))| {
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
                statistics: work.of_stage(number),
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
        statistics: work.total(),
        hurried: meter.pace() == Pace::Hurried,
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
