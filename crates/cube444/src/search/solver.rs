//! The beam search over a chain of stages.

use crate::cube::{AxisMove, Cube, Symmetry};

use super::chain::Chain;
use super::effort::{ATTEMPTS, Beam, Beams, Effort};
use super::limits::{Limits, Meter, Pace, Statistics, Stopped};
use super::profile::Profile;
use super::ranking::{Candidate, Ranking};
use super::stage::{Ending, Finish, FinishSearch, Root, StageSearch, last_run};
use super::tables::TableSet;

/// Why a search has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The search was cancelled.
    #[error("the search was cancelled")]
    Cancelled,
    /// No way to the goal of a stage was found, or its moves do not lead there: a defect.
    #[error("internal error: stage {stage} was not solved correctly")]
    Stage {
        /// The stage's name.
        stage: &'static str,
    },
}

/// The part of a solution that belongs to one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageSolution {
    /// The stage's name.
    pub stage: &'static str,
    /// Its axis moves, in the frame of the given cube.
    pub moves: Vec<AxisMove>,
    /// Their cost in the chain's metric, before joining with the neighbouring stages' moves.
    pub cost: usize,
    /// The work of the stage's search, from all candidates.
    pub statistics: Statistics,
}

/// A solution of a state.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Solution {
    /// The stages in order.
    pub stages: Vec<StageSolution>,
    /// Outer turns at the end of the solution, which the stages treat as turns before the state; see
    /// [`Premove`](super::Premove).
    pub premoves: Vec<AxisMove>,
    /// The cost of the premoves, in the chain's metric.
    pub premove_cost: usize,
    /// The work of the search.
    pub statistics: Statistics,
    /// Whether the deadline cut the search short; see [`Limits::deadline`].
    pub hurried: bool,
}

impl Solution {
    /// All axis moves in order, with adjacent moves about the same axis joined into one.
    #[must_use]
    pub fn joined_moves(&self) -> Vec<AxisMove> {
        let stages = self.stages.iter().flat_map(|stage| &stage.moves);
        joined(stages.chain(&self.premoves))
    }
}

/// Axis moves in order, with adjacent moves about the same axis joined into one.
pub(crate) fn joined<'a>(moves: impl IntoIterator<Item = &'a AxisMove>) -> Vec<AxisMove> {
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

/// Why a chain has no solver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The method has no effort levels.
    #[error("method {method} supports analysis only")]
    AnalysisOnly {
        /// The method.
        method: &'static str,
    },
}

/// Solves states by a chain of stages.
///
/// A [`Scrambler`](crate::scramble::Scrambler) contains a solver, checks its solutions, and writes them in
/// notation. A solver alone is for other methods and for measurements.
///
/// # Examples
///
/// ```
/// use cube444::search::Limits;
/// use cube444::{Cube, Effort, Scrambler};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::in_memory()?;
/// let solver = scrambler.solver();
/// let state = Cube::random(&mut rand::rng());
/// let beams = solver.beams(Effort::DEFAULT);
/// let solution = solver.solve(&state, beams, &Limits::default())?;
/// for stage in &solution.stages {
///     println!("{}: {} turns, {} nodes", stage.stage, stage.cost, stage.statistics.nodes);
/// }
/// assert!(state.moved_by(solution.joined_moves()).is_solved());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Solver {
    tables: TableSet,
}

impl Solver {
    /// A solver with the open tables of a chain.
    ///
    /// # Errors
    ///
    /// If the method is for analysis only.
    pub fn new(tables: TableSet) -> Result<Solver, SolverError> {
        Solver::check(tables.chain())?;
        Ok(Solver { tables })
    }

    /// Checks that a chain has effort levels.
    pub(crate) fn check(chain: &Chain) -> Result<(), SolverError> {
        match chain.beams(Effort::MIN, Profile::Compact) {
            Some(_) => Ok(()),
            None => Err(SolverError::AnalysisOnly {
                method: chain.name(),
            }),
        }
    }

    /// The chain of stages.
    #[must_use]
    pub fn chain(&self) -> &Chain {
        self.tables.chain()
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &TableSet {
        &self.tables
    }

    /// The beams of an effort.
    #[must_use]
    pub fn beams(&self, effort: Effort) -> &Beams {
        let beams = self.chain().beams(effort, self.tables.profile());
        beams.expect("the constructor has checked that the chain has effort levels")
    }

    /// Finds a short solution. Blocks until it is found.
    ///
    /// The result depends on nothing but the state and the effort, unless the deadline passes.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) a stage fails.
    pub fn solve(
        &self,
        cube: &Cube,
        beams: &Beams,
        limits: &Limits,
    ) -> Result<Solution, SearchError> {
        self.solve_if(cube, beams, limits, None)
    }

    /// Like [`Solver::solve`], but keeps only endings that `accept` accepts. This finds solutions that meet
    /// a rare condition faster than rejecting whole solutions would.
    pub(crate) fn solve_if(
        &self,
        cube: &Cube,
        beams: &Beams,
        limits: &Limits,
        accept: Option<Accept<'_>>,
    ) -> Result<Solution, SearchError> {
        let mut meter = Meter::new(limits);
        // With a condition, each attempt has more patience.
        let attempts = accept.map_or(ATTEMPTS, |_| 3);
        let mut attempt = 0;
        loop {
            // After the deadline the limits of nodes are those of the lowest effort.
            let beams = match meter.pace() {
                Pace::Hurried => self.beams(Effort::MIN),
                Pace::Steady | Pace::Cancelled => beams,
            };
            let result = self.attempt(cube, beams, 1 << attempt, accept, &mut meter);
            attempt += 1;
            if attempt == attempts || !matches!(result, Err(SearchError::Stage { .. })) {
                return result;
            }
        }
    }

    /// Goes through all stages with beams multiplied by `factor`. Fails if a stage has no ending within its
    /// limit of nodes.
    fn attempt(
        &self,
        cube: &Cube,
        beams: &Beams,
        factor: usize,
        accept: Option<Accept<'_>>,
        meter: &mut Meter<'_>,
    ) -> Result<Solution, SearchError> {
        let searches = self.tables.searches();
        let given = Candidate::given(*cube);
        let entries = entries(searches.first().map(|first| &**first), &given);
        let mut generations = vec![vec![given], entries];
        let mut work = WorkByStage::default();
        for (number, search) in searches.iter().enumerate() {
            let before = number
                .checked_sub(1)
                .map_or(&[][..], |before| searches[before].moves());
            let next = searches.get(number + 1).map(|next| &**next);
            let mut beam = beams.beam(number).times(factor);
            let is_next_last = number + 2 == searches.len() && self.tables.finish().is_none();
            if is_next_last && accept.is_none() && next.is_some_and(StageSearch::is_exact) {
                // The candidate with the least key leads to the shortest solution, unless all of them are
                // very far from solved, which only happens with a few endings.
                beam.width = 1;
            }
            let parents = &generations[number + 1];
            let condition = accept.map(|accept| Acceptance {
                accept,
                searches,
                generations: &generations,
            });
            let reached = search_stage(&**search, before, next, parents, beam, condition, meter)?;
            generations.push(reached);
            work.end_stage(meter);
        }
        let Some(finish) = self.tables.finish() else {
            let line = line(&generations, 0);
            return Ok(trace(searches, &line, &work, meter));
        };
        let reached = &generations[searches.len() + 1];
        let beam = beams.beam(searches.len()).times(factor);
        let finished = complete(finish, reached, beam, meter)?;
        work.end_stage(meter);
        let line = line(&generations, finished.from);
        let mut solution = trace(searches, &line, &work, meter);
        let frame = line.iter().fold(Symmetry::IDENTITY, |frame, step| {
            frame.then(step.action.places())
        });
        let undo = frame.inverse();
        let moves = finished.moves.iter().map(|mv| mv.conjugate(undo));
        solution.stages.push(StageSolution {
            stage: finish.name(),
            moves: moves.collect(),
            cost: finished.cost,
            statistics: work.of_stage(searches.len()),
        });
        Ok(solution)
    }
}

/// Whether a solution may continue from a cube, given up to rotation and relabelling. The second argument
/// gives the moves so far, in the frame of the given cube.
type Accept<'a> = &'a dyn Fn(&Cube, &dyn Fn() -> Vec<AxisMove>) -> bool;

/// A condition on the endings of a stage.
struct Acceptance<'a> {
    accept: Accept<'a>,
    searches: &'a [Box<dyn StageSearch>],
    /// The candidates of all stages up to this one.
    generations: &'a [Vec<Candidate>],
}

impl Acceptance<'_> {
    /// The moves that have led to a candidate, and the rotation of its frame.
    fn lead(&self, parent: usize) -> (Vec<AxisMove>, Symmetry) {
        let line = line(self.generations, parent);
        let mut frame = Symmetry::IDENTITY;
        let mut moves = Vec::new();
        for (number, step) in line.iter().enumerate() {
            if let Some(search) = number.checked_sub(1).map(|before| &self.searches[before]) {
                moves.extend(moves_of(&**search, &step.path, frame));
            }
            frame = frame.then(step.action.places());
        }
        (moves, frame)
    }

    fn is_met(
        &self,
        search: &dyn StageSearch,
        (lead, frame): &(Vec<AxisMove>, Symmetry),
        ending: &Ending<'_>,
    ) -> bool {
        let moves = || {
            let rest = moves_of(search, ending.path, *frame);
            lead.iter().copied().chain(rest).collect()
        };
        (self.accept)(&ending.cube, &moves)
    }
}

/// The moves of a path, in the frame of the given cube. `frame` is the rotation of the stage's frame.
fn moves_of(
    search: &dyn StageSearch,
    path: &[u8],
    frame: Symmetry,
) -> impl Iterator<Item = AxisMove> {
    let (moves, undo) = (search.moves(), frame.inverse());
    path.iter()
        .map(move |&generator| moves[generator as usize].conjugate(undo))
}

/// The work of the search up to the end of each stage.
#[derive(Default)]
struct WorkByStage(Vec<Statistics>);

impl WorkByStage {
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
    meter.allow_nodes(beam.most_nodes());
    let cubes: Vec<(Cube, usize)> = from.iter().map(|from| (from.cube, from.cost)).collect();
    let finished = finish.finish(&cubes, beam.candidates, meter);
    if meter.pace() == Pace::Cancelled {
        return Err(SearchError::Cancelled);
    }
    finished.ok_or(SearchError::Stage {
        stage: finish.name(),
    })
}

/// The candidates that enter the first stage: the given state with all its relabellings and premoves.
fn entries(first: Option<&dyn StageSearch>, given: &Candidate) -> Vec<Candidate> {
    let mut entries = Ranking::new(first, usize::MAX, (0, given));
    let ending = Ending {
        path: &[],
        cube: given.cube,
        rotation: Symmetry::IDENTITY,
    };
    entries.add(&ending, 0);
    entries.finish()
}

/// The root of a candidate. `before` are the moves of the stage before.
fn root(candidate: &Candidate, before: &[AxisMove]) -> Root {
    Root {
        cube: candidate.cube,
        last_run: last_run(before, &candidate.path).conjugate(candidate.action.places()),
    }
}

/// Takes candidates through a stage: lists endings in the order of total cost, and keeps those with the
/// least total cost plus lower bound of the next stage. `before` are the moves of the stage before. Endings
/// that do not meet the condition do not count.
fn search_stage(
    search: &dyn StageSearch,
    before: &[AxisMove],
    next: Option<&dyn StageSearch>,
    parents: &[Candidate],
    beam: Beam,
    condition: Option<Acceptance<'_>>,
    meter: &mut Meter<'_>,
) -> Result<Vec<Candidate>, SearchError> {
    let failed = || SearchError::Stage {
        stage: search.name(),
    };
    // Candidates are in ascending order of their keys.
    let first = parents.first().ok_or_else(failed)?;
    let least = first.key;
    let mut ranking = Ranking::new(next, beam.width, (0, first));
    let roots: Vec<Root> = parents.iter().map(|parent| root(parent, before)).collect();
    let mut endings = search.start(&roots);
    let mut found = 0;
    let patience = match condition {
        Some(_) => beam.patience.map(|nodes| ORIENTATIONS * nodes),
        None => beam.patience,
    };
    meter.allow_nodes(patience);

    for total in least..least + MOST_DETOUR {
        for (index, parent) in parents.iter().enumerate().filter(|(_, p)| p.key <= total) {
            ranking.set_parent((index, parent));
            endings.begin(index, (total - parent.cost) as u8);
            let lead = condition.as_ref().map(|condition| condition.lead(index));
            let is_met = |ending: &Ending<'_>| {
                let condition = condition.as_ref().zip(lead.as_ref());
                condition.is_none_or(|(condition, lead)| condition.is_met(search, lead, ending))
            };
            let is_done = loop {
                match endings.next(meter) {
                    Ok(Some(ending)) if !is_met(&ending) => {}
                    Ok(Some(ending)) => {
                        ranking.add(&ending, total);
                        found += 1;
                        if found == 1 {
                            meter.allow_nodes(beam.nodes);
                        }
                    }
                    Ok(None) => break false,
                    Err(Stopped) => break true,
                }
                if found >= beam.candidates || (found > 0 && meter.pace() != Pace::Steady) {
                    break true;
                }
            };
            match meter.pace() {
                Pace::Cancelled => return Err(SearchError::Cancelled),
                Pace::Hurried if found > 0 => return Ok(ranking.finish()),
                _ if is_done && found > 0 => return Ok(ranking.finish()),
                _ if is_done => return Err(failed()),
                _ => {}
            }
        }
    }
    if found > 0 {
        Ok(ranking.finish())
    } else {
        Err(failed())
    }
}

/// The factor of patience for a search with a condition, which one of about 24 endings meets.
const ORIENTATIONS: u64 = 24;

/// The ancestors of a candidate of the last generation: its candidate at the entry of each stage, and
/// itself.
fn line(generations: &[Vec<Candidate>], mut index: usize) -> Vec<&Candidate> {
    let mut line = Vec::new();
    for generation in generations[1..].iter().rev() {
        line.push(&generation[index]);
        index = generation[index].parent;
    }
    line.reverse();
    line
}

/// The solution that a line stands for, in the frame of the given cube.
fn trace(
    searches: &[Box<dyn StageSearch>],
    line: &[&Candidate],
    work: &WorkByStage,
    meter: &Meter<'_>,
) -> Solution {
    let mut frame = Symmetry::IDENTITY;
    let steps = searches.iter().zip(line.windows(2)).enumerate();
    let stages = steps
        .map(|(number, (search, step))| {
            let moves = moves_of(&**search, &step[1].path, frame).collect();
            frame = frame.then(step[1].action.places());
            StageSolution {
                stage: search.name(),
                moves,
                cost: step[1].cost - step[1].premove_cost - step[0].cost,
                statistics: work.of_stage(number),
            }
        })
        .collect();
    // At the end, places and labels are in one frame again.
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

/// The search of a stage fails if it finds no ending within this much of the least total cost.
const MOST_DETOUR: usize = 40;

#[cfg(test)]
mod tests;
