//! Drawing, solving, writing down and checking.

use std::collections::HashSet;

use rand::Rng;

use crate::cube::layout::{CENTERS, center_face};
use crate::cube::notation::Block;
use crate::cube::{Action, Axis, AxisMove, Cube, Face, Metric, Pieces, Sequence, Symmetry};
use crate::search::Effort;
use crate::search::{Limits, SearchError, Solution, Solver, Statistics, joined};

use super::canonical::{Writer, written};
use super::draw::draw;
use super::event::{Event, Orientation};

/// A scramble that has been checked.
#[derive(Clone)]
pub struct Scramble {
    /// The turns, in WCA notation with only `Uw`, `Rw` and `Fw` as wide turns.
    pub sequence: Sequence,
    /// The state that the turns lead to from the solved cube, white (U) on top and green (F) in
    /// front.
    pub state: Cube,
    /// What each stage of the solution cost, in the metric of the solver's chain.
    pub stage_costs: Vec<usize>,
    /// What the solution's premoves cost.
    pub premove_cost: usize,
    /// What finding it took.
    pub statistics: Statistics,
    /// What the search of each stage took.
    pub stage_statistics: Vec<Statistics>,
    /// Whether the deadline passed before it was found; see [`Limits::deadline`].
    pub hurried: bool,
}

impl Scramble {
    /// The number of turns written, which is the length in outer block turns. Rotations of the whole
    /// cube do not count.
    #[must_use]
    pub fn moves(&self) -> usize {
        let turns = self.sequence.tokens().iter();
        turns
            .filter(|token| !matches!(token.block(), Block::Rotation(_)))
            .count()
    }

    /// The scramble as an event has it: for the blindfolded one it ends in the orientation.
    #[must_use]
    pub fn for_event(self, event: Event, orientation: Orientation) -> Scramble {
        match event {
            Event::Sighted => self,
            Event::Blindfolded => self.oriented(orientation),
        }
    }

    /// The same scramble with the cube turned as a whole in the end.
    #[must_use]
    pub fn oriented(mut self, orientation: Orientation) -> Scramble {
        for rotation in orientation.rotations() {
            self.sequence.extend([rotation]);
            self.state = self.state.moved(rotation.axis_move());
        }
        self
    }

    /// The same scramble with the cube turned as a whole in the end so that it leads to just this state;
    /// none if it leads to another one, from whichever side it is seen.
    #[must_use]
    pub fn turned_to(&self, state: &Cube) -> Option<Scramble> {
        let mut turned = Orientation::all().map(|orientation| self.clone().oriented(orientation));
        turned.find(|scramble| scramble.state == *state)
    }

    /// The length in a metric.
    #[must_use]
    pub fn length(&self, metric: Metric) -> usize {
        self.sequence.length(metric)
    }
}

/// A solution that has been checked.
#[derive(Clone)]
pub struct Solved {
    /// The name of the method.
    pub method: &'static str,
    /// Turns that solve the state as it is seen, in WCA notation with only `Uw`, `Rw` and `Fw` as
    /// wide turns.
    pub sequence: Sequence,
    /// The turns of each stage by its name, and those of `premoves`, that make up the sequence; where
    /// they meet, turns about one axis are joined in the sequence.
    pub stages: Vec<(&'static str, Sequence)>,
    /// What finding it took.
    pub statistics: Statistics,
    /// Whether the deadline passed before it was found; see [`Limits::deadline`].
    pub hurried: bool,
}

/// Why there is no scramble.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScrambleError {
    /// The search ended without a result.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The solution did not stand the check: a defect. It never leaves the solver.
    #[error("internal error: the replay of a solution failed at {at}")]
    Replay {
        /// The stage, "the end" (not solved after all stages), or "notation".
        at: &'static str,
    },
}

/// Makes scrambles.
pub struct Scrambler {
    solver: Solver,
}

impl Scrambler {
    /// A scrambler that uses a solver.
    #[must_use]
    pub fn new(solver: Solver) -> Scrambler {
        Scrambler { solver }
    }

    /// The solver.
    #[must_use]
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// A scramble to a state drawn uniformly from all states at least 2 turns from solved (WCA
    /// regulation 4b3). Blocks until it is found and checked.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) the solution does not stand the check.
    pub fn scramble(
        &self,
        rng: &mut impl Rng,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.scramble_to(&draw(rng), effort, limits)
    }

    /// A scramble to a given state, seen from whichever side.
    ///
    /// # Errors
    ///
    /// As [`Scrambler::scramble`].
    pub fn scramble_to(
        &self,
        state: &Cube,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        let solution = self.solver.solve(state, effort, limits)?;
        scramble_of(state, solution)
    }

    /// A scramble to a given state, just as it is held.
    ///
    /// The turns that are written keep a layer of each axis where it is, and rotations of the whole cube
    /// are left out. So a solution leads back to the solved cube held in one of 24 ways, of which this
    /// takes none but the first. That makes it somewhat longer than that of [`Scrambler::scramble_to`].
    /// It is meant for states far from solved: near a solved cube held in another way, the search has to
    /// leave what it has found first, and may take very long.
    ///
    /// # Errors
    ///
    /// As [`Scrambler::scramble`].
    pub fn scramble_exactly_to(
        &self,
        state: &Cube,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        // Methods gather the centers of opposite faces on an axis, where they stay, and then solve them. What
        // is gathered or solved elsewhere than at home is of no use.
        let is_upright = |cube: &Cube, moves: &dyn Fn() -> Vec<AxisMove>| {
            if !Axis::ALL
                .into_iter()
                .any(|axis| gathered(cube, axis).is_some())
            {
                return true;
            }
            let centers = |cube: Cube, mv| cube.moved_in(mv, Pieces::Centers);
            let reached = written(&moves()).axis_moves().fold(*state, centers);
            let may_stay = |axis: Axis| gathered(&reached, axis).is_none_or(|home| home == axis);
            let is_home = |slot: usize| reached.center(slot) == center_face(slot);
            Axis::ALL.into_iter().all(may_stay)
                && (!has_solved_centers(&reached) || (0..CENTERS).all(is_home))
        };
        let solution = self
            .solver
            .solve_if(state, effort, limits, Some(&is_upright))?;
        let scramble = scramble_of(state, solution)?;
        if scramble.state == *state {
            Ok(scramble)
        } else {
            Err(ScrambleError::Replay { at: "notation" })
        }
    }

    /// A solution of a state. Blocks until it is found and checked.
    ///
    /// # Errors
    ///
    /// As [`Scrambler::scramble`].
    pub fn solve(
        &self,
        state: &Cube,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Solved, ScrambleError> {
        let solution = self.solver.solve(state, effort, limits)?;
        replayed(state, &solution)?;
        let sequence = written(&solution.joined_moves());
        if !state.moved_by(sequence.axis_moves()).is_solved() {
            return Err(ScrambleError::Replay { at: "notation" });
        }
        let mut writer = Writer::default();
        let stages = solution.stages.iter();
        let stages = stages.map(|stage| (stage.stage, &stage.moves));
        let parts = stages.chain([("premoves", &solution.premoves)]);
        Ok(Solved {
            method: self.solver.chain().name(),
            sequence,
            stages: parts
                .map(|(name, moves)| (name, writer.write(&joined(moves))))
                .collect(),
            statistics: solution.statistics,
            hurried: solution.hurried,
        })
    }
}

/// The axis whose faces' colours the centers on an axis have; none if they have others too.
fn gathered(cube: &Cube, axis: Axis) -> Option<Axis> {
    let slots = (0..CENTERS).filter(|&slot| center_face(slot).axis() == axis);
    let mut colours = slots.map(|slot| cube.center(slot).axis());
    let first = colours.next()?;
    colours.all(|other| other == first).then_some(first)
}

/// Whether each face has centers of one colour.
fn has_solved_centers(cube: &Cube) -> bool {
    let slots = (0..CENTERS).map(|slot| (center_face(slot), cube.center(slot)));
    let pairs: HashSet<(Face, Face)> = slots.collect();
    pairs.len() == Face::ALL.len()
}

/// The scramble that undoes a solution of a state, checked.
fn scramble_of(state: &Cube, solution: Solution) -> Result<Scramble, ScrambleError> {
    let sequence = checked_scramble(state, &solution)?;
    Ok(Scramble {
        state: end_as_written(&sequence, state)?,
        sequence,
        stage_costs: solution.stages.iter().map(|stage| stage.cost).collect(),
        premove_cost: solution.premove_cost,
        statistics: solution.statistics,
        stage_statistics: solution
            .stages
            .iter()
            .map(|stage| stage.statistics)
            .collect(),
        hurried: solution.hurried,
    })
}

/// Replays a solution, and writes its inverse.
fn checked_scramble(state: &Cube, solution: &Solution) -> Result<Sequence, ScrambleError> {
    let turned = replayed(state, solution)?.dbl_rotation();
    // The solution ends with the solved cube turned as a whole; the scramble begins without that.
    let undone = solution.joined_moves().into_iter().rev();
    let undone = undone.map(|mv| mv.inverse().conjugate(turned.inverse()));
    Ok(written(&undone.collect::<Vec<_>>()))
}

/// Where the turns lead that are handed out, which must be to a state, seen from some side.
fn end_as_written(sequence: &Sequence, state: &Cube) -> Result<Cube, ScrambleError> {
    let reached = Cube::solved().moved_by(sequence.axis_moves());
    if reached.is_same_up_to_rotation(state) {
        Ok(reached)
    } else {
        Err(ScrambleError::Replay { at: "notation" })
    }
}

/// Replays a solution stage by stage to the solved cube, turned in whichever way.
fn replayed(state: &Cube, solution: &Solution) -> Result<Cube, ScrambleError> {
    let mut cube = *state;
    for stage in &solution.stages {
        cube = cube.moved_by(stage.moves.iter().copied());
        if !is_same_up_to_colours(&cube, &stage.after) {
            return Err(ScrambleError::Replay { at: stage.stage });
        }
    }
    cube = cube.moved_by(solution.premoves.iter().copied());
    if cube.is_solved() {
        Ok(cube)
    } else {
        Err(ScrambleError::Replay { at: "the end" })
    }
}

/// Whether two states are the same up to turning the whole cube and up to naming its colours, as
/// seen from another side.
fn is_same_up_to_colours(a: &Cube, b: &Cube) -> bool {
    let b = b.normalized();
    Symmetry::rotations()
        .any(|rotation| a.transformed(Action::relabelling(rotation)).normalized() == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::StageSolution;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    fn solution(state: &Cube, moves: &[AxisMove]) -> Solution {
        let after = state.moved_by(moves.iter().copied());
        let stage = StageSolution {
            stage: "only",
            moves: moves.to_vec(),
            cost: 0,
            after,
            statistics: Statistics::default(),
        };
        Solution {
            stages: vec![stage],
            premoves: Vec::new(),
            premove_cost: 0,
            statistics: Statistics::default(),
            hurried: false,
        }
    }

    #[test]
    fn the_inverse_of_any_solution_leads_to_the_state_seen_from_some_side() {
        let text = "R2 Uw' F x L D2 y' Rw B' z2 Fw2";
        let sequence: Sequence = text.parse().unwrap();
        for rotation in Symmetry::rotations() {
            let start = Cube::solved().transformed(Action::turning(rotation));
            let state = start.moved_by(sequence.axis_moves());
            let moves: Vec<AxisMove> = sequence.inverse().axis_moves().collect();
            let scramble = checked_scramble(&state, &solution(&state, &moves)).unwrap();
            let reached = Cube::solved().moved_by(scramble.axis_moves());
            assert!(reached.is_same_up_to_rotation(&state));
        }
    }

    #[test]
    fn turns_that_are_written_wrongly_are_an_error() {
        let end = |text: &str| {
            let sequence: Sequence = text.parse().unwrap();
            Cube::solved().moved_by(sequence.axis_moves())
        };
        let state = end("Rw U2 F'");
        let written = "Rw U2 F' x".parse().unwrap();
        assert_eq!(end_as_written(&written, &state), Ok(end("Rw U2 F' x")));
        for wrong in ["Rw U2 F", "Rw U2", "R U2 F'", ""] {
            let reached = end_as_written(&wrong.parse().unwrap(), &state);
            assert_eq!(reached, Err(ScrambleError::Replay { at: "notation" }));
        }
    }

    #[test]
    fn a_wrong_solution_is_an_error_that_names_the_stage() {
        let state = Cube::random(&mut ChaCha20Rng::seed_from_u64(3));
        let error = checked_scramble(&state, &solution(&state, &[])).unwrap_err();
        assert_eq!(error, ScrambleError::Replay { at: "the end" });
        let mut wrong = solution(&Cube::solved(), &[]);
        wrong.stages[0].after = state;
        let error = checked_scramble(&Cube::solved(), &wrong).unwrap_err();
        assert_eq!(error, ScrambleError::Replay { at: "only" });
    }
}
