//! Making scrambles and solutions, and checking them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rand::Rng;

use crate::cube::layout::{CENTERS, center_face};
use crate::cube::notation::Block;
use crate::cube::{Axis, AxisMove, Cube, Face, Pieces, Sequence};
use crate::search::{Effort, Limits, SearchError, Solution, Solver, Statistics, joined};

use super::canonical::{Writer, canonical_sequence};
use super::engine::{Engine, within_deadline};
use super::event::{Event, Orientation};
use super::states::random_state;

/// A checked scramble.
#[derive(Clone, Debug)]
pub struct Scramble {
    /// The turns in WCA notation. The only wide turns are `Uw`, `Rw` and `Fw`.
    pub sequence: Sequence,
    /// The state that the turns lead to from the solved cube with white (U) on top and green (F) in
    /// front.
    pub state: Cube,
    /// Whether the deadline cut the search short; see [`Limits::deadline`].
    pub hurried: bool,
    /// The work of the search.
    pub work: ScrambleWork,
}

/// The work of a search, and the lengths of the parts of its solution.
#[derive(Clone, Debug, Default)]
pub struct ScrambleWork {
    /// The work of all searches for a scramble.
    pub total: Statistics,
    /// The cost of each stage's turns, in the metric of the solver's chain, and the work of the stage in the last
    /// search.
    pub stages: Vec<(usize, Statistics)>,
    /// The cost of the solution's premoves.
    pub premove_cost: usize,
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

    /// The scramble to `state` that is the inverse of a solution of it, up to a rotation of the whole cube.
    ///
    /// # Errors
    ///
    /// If the written turns do not lead to the state, which is a defect of the solution.
    pub fn inverse_of(solution: &Solution, state: &Cube) -> Result<Scramble, ScrambleError> {
        let moves = solution.joined_moves();
        // The solution ends with the solved cube in any orientation, but the scramble begins in the home one.
        let orientation = state.moved_by(moves.iter().copied()).dbl_rotation();
        let inverse = moves.iter().rev();
        let inverse = inverse.map(|mv| mv.inverse().conjugate(orientation.inverse()));
        let sequence = canonical_sequence(&inverse.collect::<Vec<_>>());
        let stages = solution.stages.iter();
        Ok(Scramble {
            state: replay(&sequence, state)?,
            sequence,
            hurried: solution.hurried,
            work: ScrambleWork {
                total: solution.statistics,
                stages: stages.map(|stage| (stage.cost, stage.statistics)).collect(),
                premove_cost: solution.premove_cost,
            },
        })
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
    /// The written turns do not lead where they should, which is a defect.
    #[error("internal error: the replay of a solution failed")]
    Replay,
}

/// Makes scrambles and solutions. Clones share the tables.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use cube444::{Cube, Effort, Scrambler};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::in_memory()?;
/// let scramble = scrambler.scramble(&mut rand::rng())?;
/// assert_eq!(Cube::solved().moved_by(scramble.sequence.axis_moves()), scramble.state);
///
/// // Shorter, or in time.
/// let shorter = scrambler.with(Effort::new(8)?).within(Duration::from_secs(2));
/// println!("{}", shorter.scramble_to(&scramble.state)?.sequence);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Scrambler {
    solver: Arc<Solver>,
    effort: Effort,
    time: Option<Duration>,
}

impl Scrambler {
    /// Makes scrambles with `solver`, with the default effort and no limit of time.
    #[must_use]
    pub fn new(solver: Solver) -> Scrambler {
        Scrambler {
            solver: Arc::new(solver),
            effort: Effort::DEFAULT,
            time: None,
        }
    }

    /// A scrambler with this effort.
    #[must_use]
    pub fn with(&self, effort: Effort) -> Scrambler {
        Scrambler {
            effort,
            ..self.clone()
        }
    }

    /// A scrambler that cuts each search short after this time. A result may take a few milliseconds more.
    #[must_use]
    pub fn within(&self, time: Duration) -> Scrambler {
        Scrambler {
            time: Some(time),
            ..self.clone()
        }
    }

    /// The solver.
    #[must_use]
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    fn limits(&self) -> Limits {
        self.time.map_or_else(Limits::default, Limits::within)
    }

    /// A scramble to a state drawn uniformly from all states at least two turns from solved (WCA
    /// regulation 4b3). Blocks until it is found and checked.
    ///
    /// # Errors
    ///
    /// If the scramble fails its check, which is a defect.
    pub fn scramble(&self, rng: &mut impl Rng) -> Result<Scramble, ScrambleError> {
        self.scramble_to(&random_state(rng))
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
    /// use cube444::{Cube, Scrambler};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let scrambler = Scrambler::in_memory()?;
    /// let state = Cube::random(&mut rand::rng());
    /// let scramble = scrambler.scramble_to(&state)?;
    /// assert!(scramble.state.is_same_up_to_rotation(&state));
    ///
    /// // In the same orientation.
    /// assert_eq!(scrambler.scramble_exactly_to(&state)?.state, state);
    /// # Ok(())
    /// # }
    /// ```
    pub fn scramble_to(&self, state: &Cube) -> Result<Scramble, ScrambleError> {
        self.find_scramble(state, false, self.effort, &self.limits())
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
    pub fn scramble_exactly_to(&self, state: &Cube) -> Result<Scramble, ScrambleError> {
        self.find_scramble(state, true, self.effort, &self.limits())
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
    /// use cube444::{Cube, Scrambler};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let scrambler = Scrambler::in_memory()?;
    /// let state = Cube::random(&mut rand::rng());
    /// let solution = scrambler.solve(&state)?;
    /// for (stage, turns) in &solution.stages {
    ///     println!("{stage}: {turns}");
    /// }
    /// assert!(state.moved_by(solution.sequence.axis_moves()).is_solved());
    /// # Ok(())
    /// # }
    /// ```
    pub fn solve(&self, state: &Cube) -> Result<CheckedSolution, ScrambleError> {
        self.find_solution(state, self.effort, &self.limits())
    }
}

impl Engine for Scrambler {
    fn find_scramble(
        &self,
        state: &Cube,
        exactly: bool,
        effort: Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        let is_upright =
            |cube: &Cube, moves: &dyn Fn() -> Vec<AxisMove>| is_upright(state, cube, moves);
        let solution = within_deadline(effort, limits, |effort, limits| {
            let (beams, solver) = (self.solver.beams(effort), &self.solver);
            match exactly {
                true => solver.solve_if(state, beams, limits, Some(&is_upright)),
                false => solver.solve(state, beams, limits),
            }
        })?;
        let scramble = Scramble::inverse_of(&solution, state)?;
        if exactly && scramble.state != *state {
            return Err(ScrambleError::Replay);
        }
        Ok(scramble)
    }

    fn find_solution(
        &self,
        state: &Cube,
        effort: Effort,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        let solution = within_deadline(effort, limits, |effort, limits| {
            self.solver.solve(state, self.solver.beams(effort), limits)
        })?;
        let sequence = canonical_sequence(&solution.joined_moves());
        if !state.moved_by(sequence.axis_moves()).is_solved() {
            return Err(ScrambleError::Replay);
        }
        let mut writer = Writer::default();
        let stages = solution.stages.iter();
        let stages = stages.map(|stage| (stage.stage, &stage.moves));
        let parts = stages.chain([("premoves", &solution.premoves)]);
        Ok(CheckedSolution {
            method: self.method(),
            sequence,
            stages: parts
                .map(|(name, moves)| (name, writer.write(&joined(moves))))
                .collect(),
            hurried: solution.hurried,
        })
    }

    fn tables(&self) -> &'static str {
        self.solver.tables().profile().name()
    }

    fn method(&self) -> &'static str {
        self.solver.chain().name()
    }
}

/// Whether a solution of `state` that has reached `cube` by `moves` may end in the home orientation.
///
/// Methods bring the centers of opposite faces to an axis, where they stay, and solve them later. Beam entries are
/// rejected as soon as this is not their home axis or face.
fn is_upright(state: &Cube, cube: &Cube, moves: &dyn Fn() -> Vec<AxisMove>) -> bool {
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

/// The state that a written sequence leads to, which must be `state` up to a rotation.
fn replay(sequence: &Sequence, state: &Cube) -> Result<Cube, ScrambleError> {
    let reached = Cube::solved().moved_by(sequence.axis_moves());
    if reached.is_same_up_to_rotation(state) {
        Ok(reached)
    } else {
        Err(ScrambleError::Replay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{Action, Symmetry};

    fn solution(moves: Vec<AxisMove>) -> Solution {
        Solution {
            premoves: moves,
            ..Solution::default()
        }
    }

    #[test]
    fn the_inverse_of_a_solution_leads_to_the_state_up_to_a_rotation() {
        let text = "R2 Uw' F x L D2 y' Rw B' z2 Fw2";
        let sequence: Sequence = text.parse().unwrap();
        for rotation in Symmetry::rotations() {
            let start = Cube::solved().transformed(Action::turning(rotation));
            let state = start.moved_by(sequence.axis_moves());
            let mut moves: Vec<AxisMove> = sequence.inverse().axis_moves().collect();
            let scramble = Scramble::inverse_of(&solution(moves.clone()), &state).unwrap();
            let reached = Cube::solved().moved_by(scramble.sequence.axis_moves());
            assert!(reached.is_same_up_to_rotation(&state));
            assert_eq!(scramble.state, reached);
            moves.pop();
            let error = Scramble::inverse_of(&solution(moves), &state).unwrap_err();
            assert_eq!(error, ScrambleError::Replay);
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
        assert_eq!(replay(&written, &state), Ok(end("Rw U2 F' x")));
        for wrong in ["Rw U2 F", "Rw U2", "R U2 F'", ""] {
            let reached = replay(&wrong.parse().unwrap(), &state);
            assert_eq!(reached, Err(ScrambleError::Replay));
        }
    }
}
