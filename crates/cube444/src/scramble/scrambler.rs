//! Making scrambles and solutions, and checking them.

use std::collections::HashSet;

use rand::Rng;

use crate::cube::layout::{CENTERS, center_face};
use crate::cube::notation::Block;
use crate::cube::{Action, Axis, AxisMove, Cube, Face, Metric, Pieces, Sequence, Symmetry};
use crate::search::{Effort, Limits, SearchError, Solution, Solver, Statistics, joined};

use super::canonical::{Writer, canonical_sequence};
use super::event::{Event, Orientation};
use super::random_state::random_state;

/// A checked scramble.
#[derive(Clone, Debug)]
pub struct Scramble {
    /// The turns in WCA notation. The only wide turns are `Uw`, `Rw` and `Fw`.
    pub sequence: Sequence,
    /// The state that the turns lead to from the solved cube with white (U) on top and green (F) in
    /// front.
    pub state: Cube,
    /// The cost of each stage of the solution, in the metric of the solver's chain.
    pub stage_costs: Vec<usize>,
    /// The cost of the solution's premoves.
    pub premove_cost: usize,
    /// The work of all searches for this scramble.
    pub statistics: Statistics,
    /// The work of each stage in the last search.
    pub stage_statistics: Vec<Statistics>,
    /// Whether the deadline cut the search short; see [`Limits::deadline`].
    pub hurried: bool,
}

impl Scramble {
    /// The number of turns, which is the length in outer block turns. Rotations of the whole
    /// cube do not count.
    #[must_use]
    pub fn moves(&self) -> usize {
        let turns = self.sequence.tokens().iter();
        turns
            .filter(|token| !matches!(token.block(), Block::Rotation(_)))
            .count()
    }

    /// The scramble for an event. For the blindfolded one it ends in the orientation.
    #[must_use]
    pub fn for_event(self, event: Event, orientation: Orientation) -> Scramble {
        match event {
            Event::Sighted => self,
            Event::Blindfolded => self.oriented(orientation),
        }
    }

    /// The scramble followed by the rotations of an orientation.
    #[must_use]
    pub fn oriented(mut self, orientation: Orientation) -> Scramble {
        for rotation in orientation.rotations() {
            self.sequence.extend([rotation]);
            self.state = self.state.moved(rotation.axis_move());
        }
        self
    }

    /// The scramble followed by rotations such that it leads to exactly `state`; `None` if it leads to
    /// another state up to rotations.
    #[must_use]
    pub fn rotated_to(&self, state: &Cube) -> Option<Scramble> {
        let mut rotated = Orientation::all().map(|orientation| self.clone().oriented(orientation));
        rotated.find(|scramble| scramble.state == *state)
    }

    /// The length in a metric.
    #[must_use]
    pub fn length(&self, metric: Metric) -> usize {
        self.sequence.length(metric)
    }
}

/// A checked solution.
#[derive(Clone, Debug)]
pub struct CheckedSolution {
    /// The name of the method.
    pub method: &'static str,
    /// The turns that solve the state, in WCA notation. The only wide turns are `Uw`, `Rw` and `Fw`.
    pub sequence: Sequence,
    /// The turns of each stage with its name, and those of `premoves`. In `sequence`, turns about the
    /// same axis are joined where two stages meet.
    pub stages: Vec<(&'static str, Sequence)>,
    /// The work of the search.
    pub statistics: Statistics,
    /// Whether the deadline cut the search short; see [`Limits::deadline`].
    pub hurried: bool,
}

/// A scramble or a solution cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScrambleError {
    /// The search ended without a result.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// No turns fit between those that a [`Recipe`](super::Recipe) demands, which is a defect.
    #[error("internal error: no scramble fits its first and last turns")]
    Frame,
    /// The result failed its check, which is a defect.
    #[error("internal error: the replay of a solution failed at {at}")]
    Replay {
        /// The name of the stage, "the end" if the cube is not solved after all stages, or "notation".
        at: &'static str,
    },
}

/// Makes scrambles and solutions.
///
/// # Examples
///
/// ```
/// use cube444::{EffortLevel, Limits, Scrambler};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::in_memory()?;
/// let effort = scrambler.solver().effort(EffortLevel::DEFAULT);
/// let scramble = scrambler.scramble(&mut rand::rng(), effort, &Limits::default())?;
/// println!("{}", scramble.sequence);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Scrambler {
    solver: Solver,
}

impl Scrambler {
    /// Makes scrambles with `solver`.
    #[must_use]
    pub fn new(solver: Solver) -> Scrambler {
        Scrambler { solver }
    }

    /// The solver.
    #[must_use]
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// A scramble to a state drawn uniformly from all states at least two turns from solved (WCA
    /// regulation 4b3). Blocks until it is found and checked.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or if the scramble fails its check, which is a defect.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use cube444::{Cube, EffortLevel, Limits, Scrambler};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scrambler = Scrambler::in_memory()?;
    /// let effort = scrambler.solver().effort(EffortLevel::LEAST);
    /// let limits = Limits::within(Duration::from_secs(10));
    /// let scramble = scrambler.scramble(&mut rand::rng(), effort, &limits)?;
    /// let turns = scramble.sequence.axis_moves();
    /// assert_eq!(Cube::solved().moved_by(turns), scramble.state);
    /// # Ok(())
    /// # }
    /// ```
    pub fn scramble(
        &self,
        rng: &mut impl Rng,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.scramble_to(&random_state(rng), effort, limits)
    }

    /// A scramble to a state, up to rotations of the whole cube.
    ///
    /// # Errors
    ///
    /// See [`Scrambler::scramble`].
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::{Cube, EffortLevel, Limits, Scrambler};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let scrambler = Scrambler::in_memory()?;
    /// # let effort = scrambler.solver().effort(EffortLevel::LEAST);
    /// let state = Cube::random(&mut rand::rng());
    /// let scramble = scrambler.scramble_to(&state, effort, &Limits::default())?;
    /// assert!(scramble.state.is_same_up_to_rotation(&state));
    ///
    /// // In the same orientation.
    /// let scramble = scrambler.scramble_exactly_to(&state, effort, &Limits::default())?;
    /// assert_eq!(scramble.state, state);
    /// # Ok(())
    /// # }
    /// ```
    pub fn scramble_to(
        &self,
        state: &Cube,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        let solution = self.solver.solve(state, effort, limits)?;
        scramble_of(state, solution)
    }

    /// A scramble to a state in this orientation.
    ///
    /// Since rotations of the whole cube are not written, a solution ends in one of 24 orientations. This
    /// accepts only the home orientation, which makes scrambles somewhat longer than those of
    /// [`Scrambler::scramble_to`]. Use it for states far from solved: near a solved cube in another
    /// orientation, the search rejects what it finds first and may take very long.
    ///
    /// # Errors
    ///
    /// See [`Scrambler::scramble`].
    pub fn scramble_exactly_to(
        &self,
        state: &Cube,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        // Methods bring the centers of opposite faces to an axis, where they stay, and solve them later. Reject
        // beam entries as soon as this is not their home axis or face.
        let is_upright = |cube: &Cube, moves: &dyn Fn() -> Vec<AxisMove>| {
            let mut axes = Axis::ALL.into_iter();
            if !axes.any(|axis| center_axis(cube, axis).is_some()) {
                return true;
            }
            let centers = |cube: Cube, mv| cube.moved_in(mv, Pieces::Centers);
            let reached = canonical_sequence(&moves())
                .axis_moves()
                .fold(*state, centers);
            let may_stay = |axis: Axis| center_axis(&reached, axis).is_none_or(|home| home == axis);
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
    /// See [`Scrambler::scramble`].
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::{Cube, EffortLevel, Limits, Scrambler};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let scrambler = Scrambler::in_memory()?;
    /// # let effort = scrambler.solver().effort(EffortLevel::LEAST);
    /// let state = Cube::random(&mut rand::rng());
    /// let solution = scrambler.solve(&state, effort, &Limits::default())?;
    /// for (stage, turns) in &solution.stages {
    ///     println!("{stage}: {turns}");
    /// }
    /// assert!(state.moved_by(solution.sequence.axis_moves()).is_solved());
    /// # Ok(())
    /// # }
    /// ```
    pub fn solve(
        &self,
        state: &Cube,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        let solution = self.solver.solve(state, effort, limits)?;
        replay(state, &solution)?;
        let sequence = canonical_sequence(&solution.joined_moves());
        if !state.moved_by(sequence.axis_moves()).is_solved() {
            return Err(ScrambleError::Replay { at: "notation" });
        }
        let mut writer = Writer::default();
        let stages = solution.stages.iter();
        let stages = stages.map(|stage| (stage.stage, &stage.moves));
        let parts = stages.chain([("premoves", &solution.premoves)]);
        Ok(CheckedSolution {
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

/// The home axis of all centers that are on `axis`; `None` if they have different ones.
fn center_axis(cube: &Cube, axis: Axis) -> Option<Axis> {
    let slots = (0..CENTERS).filter(|&slot| center_face(slot).axis() == axis);
    let mut homes = slots.map(|slot| cube.center(slot).axis());
    let first = homes.next()?;
    homes.all(|other| other == first).then_some(first)
}

/// Whether the centers of each face have one colour.
fn has_solved_centers(cube: &Cube) -> bool {
    let slots = (0..CENTERS).map(|slot| (center_face(slot), cube.center(slot)));
    let pairs: HashSet<(Face, Face)> = slots.collect();
    pairs.len() == Face::ALL.len()
}

/// The checked scramble that is the inverse of a solution.
fn scramble_of(state: &Cube, solution: Solution) -> Result<Scramble, ScrambleError> {
    let sequence = inverse_sequence(state, &solution)?;
    Ok(Scramble {
        state: replay_sequence(&sequence, state)?,
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

/// Replays a solution and writes its inverse.
fn inverse_sequence(state: &Cube, solution: &Solution) -> Result<Sequence, ScrambleError> {
    // The solution ends with the solved cube in any orientation, but the scramble begins in the home one.
    let orientation = replay(state, solution)?.dbl_rotation();
    let moves = solution.joined_moves().into_iter().rev();
    let inverse = moves.map(|mv| mv.inverse().conjugate(orientation.inverse()));
    Ok(canonical_sequence(&inverse.collect::<Vec<_>>()))
}

/// The state that a written sequence leads to, which must be `state` up to a rotation.
fn replay_sequence(sequence: &Sequence, state: &Cube) -> Result<Cube, ScrambleError> {
    let reached = Cube::solved().moved_by(sequence.axis_moves());
    if reached.is_same_up_to_rotation(state) {
        Ok(reached)
    } else {
        Err(ScrambleError::Replay { at: "notation" })
    }
}

/// Replays a solution and checks each stage. Returns the solved cube, in any orientation.
fn replay(state: &Cube, solution: &Solution) -> Result<Cube, ScrambleError> {
    let mut cube = *state;
    for stage in &solution.stages {
        cube = cube.moved_by(stage.moves.iter().copied());
        if !is_same_up_to_recolouring(&cube, &stage.after) {
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

/// Whether two states are equal up to rotations of the whole cube and rotations of its colours.
fn is_same_up_to_recolouring(a: &Cube, b: &Cube) -> bool {
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
    fn the_inverse_of_a_solution_leads_to_the_state_up_to_a_rotation() {
        let text = "R2 Uw' F x L D2 y' Rw B' z2 Fw2";
        let sequence: Sequence = text.parse().unwrap();
        for rotation in Symmetry::rotations() {
            let start = Cube::solved().transformed(Action::turning(rotation));
            let state = start.moved_by(sequence.axis_moves());
            let moves: Vec<AxisMove> = sequence.inverse().axis_moves().collect();
            let scramble = inverse_sequence(&state, &solution(&state, &moves)).unwrap();
            let reached = Cube::solved().moved_by(scramble.axis_moves());
            assert!(reached.is_same_up_to_rotation(&state));
        }
    }

    #[test]
    fn premoves_are_the_end_of_a_solution() {
        let sequence: Sequence = "R2 Uw' F L D2 Rw B' Fw2".parse().unwrap();
        let state = Cube::solved().moved_by(sequence.axis_moves());
        let moves: Vec<AxisMove> = sequence.inverse().axis_moves().collect();
        for at in 0..=moves.len() {
            let (stage, premoves) = moves.split_at(at);
            let mut solution = solution(&state, stage);
            solution.premoves = premoves.to_vec();
            let scramble = inverse_sequence(&state, &solution).unwrap();
            assert_eq!(Cube::solved().moved_by(scramble.axis_moves()), state);
            if !premoves.is_empty() {
                solution.premoves.pop();
                let error = inverse_sequence(&state, &solution).unwrap_err();
                assert_eq!(error, ScrambleError::Replay { at: "the end" });
            }
        }
    }

    #[test]
    fn a_wrong_sequence_is_an_error() {
        let end = |text: &str| {
            let sequence: Sequence = text.parse().unwrap();
            Cube::solved().moved_by(sequence.axis_moves())
        };
        let state = end("Rw U2 F'");
        let written = "Rw U2 F' x".parse().unwrap();
        assert_eq!(replay_sequence(&written, &state), Ok(end("Rw U2 F' x")));
        for wrong in ["Rw U2 F", "Rw U2", "R U2 F'", ""] {
            let reached = replay_sequence(&wrong.parse().unwrap(), &state);
            assert_eq!(reached, Err(ScrambleError::Replay { at: "notation" }));
        }
    }

    #[test]
    fn a_wrong_solution_is_an_error_that_names_the_stage() {
        let state = Cube::random(&mut ChaCha20Rng::seed_from_u64(3));
        let error = inverse_sequence(&state, &solution(&state, &[])).unwrap_err();
        assert_eq!(error, ScrambleError::Replay { at: "the end" });
        let mut wrong = solution(&Cube::solved(), &[]);
        wrong.stages[0].after = state;
        let error = inverse_sequence(&Cube::solved(), &wrong).unwrap_err();
        assert_eq!(error, ScrambleError::Replay { at: "only" });
    }
}
