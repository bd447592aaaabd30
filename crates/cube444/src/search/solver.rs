//! The beam search over a chain of stages.

use std::rc::Rc;

use crate::cube::{AxisMove, Cube, Symmetry};
use crate::declaration::DeclarationError;

use super::chain::Chain;
use super::effort::{Beam, Beams, Effort};
use super::limits::{Limits, Meter, Pace, Statistics, Stopped};
use super::profile::Profile;
use super::ranking::{Candidate, Ranking};
use super::stage::{End, Ending, Entrant, StageSearch};
use super::tables::TableSet;

/// Why a search has no result.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The search was cancelled.
    #[display("the search was cancelled")]
    Cancelled,
    /// No way to the goal of a stage was found, or its moves do not lead there: a defect.
    #[display("internal error: stage {stage} was not solved correctly")]
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
    /// Their cost in the chain's metric, before joining with the neighboring stages' moves.
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
        let last = joined.pop_if(|last| last.axis() == mv.axis());
        let mv = last.map_or(mv, |last| last.joined(mv));
        if mv.amounts() != [0; 4] {
            joined.push(mv);
        }
    }
    joined
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
/// let state = Cube::random(&mut cube444::rand::rng());
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
    pub fn new(tables: TableSet) -> Result<Solver, DeclarationError> {
        Solver::check(tables.chain())?;
        Ok(Solver { tables })
    }

    /// Checks that a chain has effort levels.
    pub(crate) fn check(chain: &Chain) -> Result<(), DeclarationError> {
        match chain.beams(Effort::MIN, Profile::Compact) {
            Some(_) => Ok(()),
            None => Err(format!("method {} supports analysis only", chain.name()).into()),
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
    /// The result depends only on the state, the beams and the tables, unless the deadline passes.
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
        // The last stage with endings in the attempt before, and their number.
        let mut listed = None;
        let mut attempt =
            |number| self.attempt(number, cube, beams, &mut listed, accept, &mut meter);
        let has_failed = |result: &Result<_, _>| matches!(result, Err(SearchError::Stage { .. }));
        let mut result = attempt(1);
        if has_failed(&result) {
            result = attempt(2);
        }
        // A state that was drawn must be solved, however long it takes. With a condition, the caller changes the state.
        if has_failed(&result) && accept.is_none() {
            result = attempt(3);
        }
        result
    }

    /// Goes through all stages. Fails if a stage has no ending within a limit of nodes: `Beam::patience` in the first
    /// attempt, and the one of [`Beam::again`] in the second. The third attempt has no limit before the first ending.
    /// `listed` is the last stage that had endings, and their number. The second attempt omits these.
    fn attempt(
        &self,
        attempt: u8,
        cube: &Cube,
        beams: &Beams,
        listed: &mut Option<(usize, usize)>,
        accept: Option<Accept<'_>>,
        meter: &mut Meter,
    ) -> Result<Solution, SearchError> {
        let searches = self.tables.searches();
        let is_hurried = meter.pace() == Pace::Hurried;
        // After the deadline the beams of the lowest effort limit the nodes.
        let beams = match is_hurried {
            true => self.beams(Effort::MIN),
            false => beams,
        };
        let listed_before = listed.take().filter(|_| !is_hurried && attempt == 2);
        // The given state with all relabelings and premoves of the first stage.
        let given = Rc::new(Candidate::given(*cube));
        let mut ranking = Ranking::new(&*searches[0], usize::MAX);
        let start = Ending {
            moves: &[],
            cube: *cube,
            rotation: Symmetry::IDENTITY,
        };
        ranking.add(&given, &start, 0);
        let mut candidates = ranking.finish();
        let mut work = Vec::with_capacity(searches.len());
        let mut before = Statistics::default();
        for number in 0..searches.len() {
            let mut beam = beams.beam(number);
            match attempt {
                1 => {}
                2 => beam = beam.again(),
                _ => beam.patience = None,
            }
            let is_next_last = number + 2 == searches.len();
            if is_next_last && accept.is_none() && searches[number + 1].is_exact() {
                // The candidate with the least key leads to the shortest solution, unless all of them are
                // very far from solved, which only happens with a few endings.
                beam.width = 1;
            }
            let omitted = listed_before.filter(|&(stage, _)| stage == number);
            let omitted = omitted.map_or(0, |(_, endings)| endings);
            let endings;
            (candidates, endings) =
                self.search_stage(number, &candidates, beam, omitted, accept, meter)?;
            *listed = Some((number, endings));
            work.push(meter.statistics - before);
            before = meter.statistics;
        }
        Ok(self.solution(&candidates[0], &work, meter))
    }

    /// Takes the candidates through a stage, and keeps those for the next stage with the least total cost plus lower
    /// bound. Endings that are not accepted do not count, and the first `omitted` ones are left out. Also
    /// returns the number of endings listed.
    fn search_stage(
        &self,
        number: usize,
        parents: &[Rc<Candidate>],
        mut beam: Beam,
        mut omitted: usize,
        accept: Option<Accept<'_>>,
        meter: &mut Meter,
    ) -> Result<(Vec<Rc<Candidate>>, usize), SearchError> {
        let searches = self.tables.searches();
        let search = &*searches[number];
        let next = searches.get(number + 1);
        let next = next.map_or(&End as &dyn StageSearch, |next| &**next);
        let mut ranking = Ranking::new(next, beam.width);
        let entrants: Vec<Entrant> = parents.iter().map(|parent| parent.entrant).collect();
        let times = accept.map_or(1, |_| ORIENTATIONS);
        beam.patience = beam.patience.map(|nodes| nodes.saturating_mul(times));
        let mut listed = 0;
        let mut take = |index: usize, cost: usize, ending: &Ending<'_>, meter: &mut Meter| {
            let parent = &parents[index];
            let moves = || {
                let line = line(parent);
                let steps = line.windows(2);
                let before = steps.flat_map(|step| step[0].in_given_frame(&step[1].moves));
                before.chain(parent.in_given_frame(ending.moves)).collect()
            };
            if accept.is_some_and(|accept| !accept(&ending.cube, &moves)) {
                // It does not count.
            } else if omitted > 0 {
                omitted -= 1;
            } else {
                ranking.add(parent, ending, cost);
                listed += 1;
                if listed == 1 {
                    meter.allow_nodes_after_ending(beam.nodes);
                }
            }
            if listed >= beam.endings || (listed > 0 && meter.pace() != Pace::Steady) {
                return Err(Stopped);
            }
            Ok(())
        };
        // It may be stopped with enough endings, or with none.
        let _ = search.search(&entrants, beam, &mut take, meter);
        match meter.pace() {
            Pace::Cancelled => Err(SearchError::Cancelled),
            _ if listed == 0 => Err(SearchError::Stage {
                stage: self.chain().stages()[number].name(),
            }),
            _ => Ok((ranking.finish(), listed)),
        }
    }

    /// The solution of a candidate, given the work of each stage.
    fn solution(&self, best: &Candidate, work: &[Statistics], meter: &Meter) -> Solution {
        let line = line(best);
        let stages = self.chain().stages().iter().zip(work);
        // The first candidate after the given state is at the entry of the first stage.
        let stages = stages.zip(line[1..].windows(2));
        let stages = stages.map(|((stage, work), step)| StageSolution {
            stage: stage.name(),
            moves: step[0].in_given_frame(&step[1].moves).collect(),
            cost: step[1].entrant.cost - step[1].premove_cost - step[0].entrant.cost,
            statistics: *work,
        });
        // At the end, places and labels are in one frame again.
        let undo = best.frame.inverse();
        Solution {
            stages: stages.collect(),
            premoves: best.premoves.iter().map(|mv| mv.conjugate(undo)).collect(),
            premove_cost: line.iter().map(|step| step.premove_cost).sum(),
            statistics: meter.statistics,
            hurried: meter.pace() == Pace::Hurried,
        }
    }
}

/// Whether a solution may continue from a cube, given up to rotation and relabeling. The second argument
/// gives the moves so far, in the frame of the given cube.
type Accept<'a> = &'a dyn Fn(&Cube, &dyn Fn() -> Vec<AxisMove>) -> bool;

/// The factor of patience for a search that accepts only some endings, about one of 24.
const ORIENTATIONS: u64 = 24;

/// The candidates that lead to a candidate: the given state, those at the entry of each stage, and itself.
fn line(last: &Candidate) -> Vec<&Candidate> {
    let backwards = std::iter::successors(Some(last), |of| of.parent.as_deref());
    let mut line: Vec<_> = backwards.collect();
    line.reverse();
    line
}

#[cfg(test)]
mod tests;
