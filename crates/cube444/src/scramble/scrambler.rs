//! Making scrambles and solutions, and checking them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rand::Rng;

use crate::cancel::CancelFlag;
use crate::coord::centers::places;
use crate::cube::layout::{CENTERS, center_face};
use crate::cube::{Axis, AxisMove, Cube, Face, Symmetry};
use crate::search::{Effort, Limits, SearchError, Solution, Solver, joined};

use super::canonical::{canonical_sequence, write};
use super::checked::{CheckedSolution, Scramble, ScrambleError};
use super::engine::{Engine, within_deadline};
use super::event::{Event, Orientation};
use super::recipe::{Recipe, random_state};

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
/// let scramble = scrambler.scramble(&mut cube444::rand::rng())?;
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
    cancel: CancelFlag,
}

impl Scrambler {
    /// Makes scrambles with `solver`, with the default effort and no limit of time.
    #[must_use]
    pub fn new(solver: impl Into<Arc<Solver>>) -> Scrambler {
        Scrambler {
            solver: solver.into(),
            effort: Effort::DEFAULT,
            time: None,
            cancel: CancelFlag::default(),
        }
    }

    /// A scrambler with this effort; [`Effort::DEFAULT`] by default.
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

    /// A scrambler whose work ends with [`SearchError::Cancelled`] when the flag is set.
    #[must_use]
    pub fn cancelled_by(&self, cancel: &CancelFlag) -> Scrambler {
        Scrambler {
            cancel: cancel.clone(),
            ..self.clone()
        }
    }

    /// The solver.
    #[must_use]
    pub fn solver(&self) -> &Arc<Solver> {
        &self.solver
    }

    fn limits(&self) -> Limits {
        Limits {
            cancel: self.cancel.clone(),
            ..self.time.map_or_else(Limits::default, Limits::within)
        }
    }

    /// A scramble to a state drawn uniformly from all states at least two turns from solved (WCA
    /// regulation 4b3). Blocks until it is found and checked. The generator is one of [`rand`] 0.10.
    ///
    /// # Errors
    ///
    /// If it is cancelled, or if the scramble fails its check, which is a defect.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::Scrambler;
    /// use cube444::rand::rngs::StdRng;
    /// use cube444::rand::{Rng, SeedableRng};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scrambler = Scrambler::in_memory()?;
    /// // The same seed gives the same scramble, with the same versions, tables and effort.
    /// let generator: &mut dyn Rng = &mut StdRng::seed_from_u64(1);
    /// let scramble = scrambler.scramble(generator)?;
    /// let again = scrambler.scramble(&mut StdRng::seed_from_u64(1))?;
    /// assert_eq!(scramble.sequence, again.sequence);
    /// # Ok(())
    /// # }
    /// ```
    pub fn scramble(&self, rng: &mut (impl Rng + ?Sized)) -> Result<Scramble, ScrambleError> {
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
    /// let state = Cube::random(&mut cube444::rand::rng());
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
    /// orientation, the search rejects what it finds first.
    ///
    /// # Errors
    ///
    /// See [`Scrambler::scramble`]. Near a solved cube in another orientation, the search may also find nothing within
    /// its node limits.
    pub fn scramble_exactly_to(&self, state: &Cube) -> Result<Scramble, ScrambleError> {
        self.find_scramble(state, true, self.effort, &self.limits())
    }

    /// A scramble of a kind for an event: in it are the draw of the state and, for the blindfolded event, the rotations to
    /// a random orientation, also for recipes that [`Recipe::new`] refuses for it. A limit of time is that of all searches
    /// together.
    ///
    /// # Errors
    ///
    /// See [`Scrambler::scramble`].
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::Scrambler;
    /// use cube444::scramble::{Event, Recipe};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let scrambler = Scrambler::in_memory()?;
    /// let mut rng = cube444::rand::rng();
    /// let blindfolded = scrambler.scramble_for(Event::Blindfolded, Recipe::Standard, &mut rng)?;
    /// let training = Recipe::Subset("last-layer".parse()?);
    /// let last_layer = scrambler.scramble_for(Event::Sighted, training, &mut rng)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn scramble_for(
        &self,
        event: Event,
        recipe: Recipe,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Scramble, ScrambleError> {
        let limits = self.limits();
        let find = |state: &_, exactly| self.find_scramble(state, exactly, self.effort, &limits);
        let state = recipe.draw(rng);
        let scramble = recipe.scramble_to(&state, rng, find)?;
        Ok(scramble.for_event(event, Orientation::random(rng)))
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
    /// let state = Cube::random(&mut cube444::rand::rng());
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

    /// The solution of a state whose inverse [`Engine::find_scramble`] returns, with the work of the search.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) a stage fails.
    pub fn search(
        &self,
        state: &Cube,
        exactly: bool,
        effort: Effort,
        limits: &Limits,
    ) -> Result<Solution, SearchError> {
        let is_upright =
            |cube: &Cube, moves: &dyn Fn() -> Vec<AxisMove>| is_upright(state, cube, moves);
        let accept = exactly.then_some(&is_upright as _);
        within_deadline(effort, limits, |effort, limits| {
            let beams = self.solver.beams(effort);
            self.solver.solve_if(state, beams, limits, accept)
        })
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
        let solution = self.search(state, exactly, effort, limits)?;
        let mut scramble = Scramble::inverse_of(&solution, state)?;
        if exactly && scramble.state != *state {
            return Err(ScrambleError::Replay);
        }
        if !scramble.hurried {
            scramble.effort = effort;
        }
        Ok(scramble)
    }

    fn find_solution(
        &self,
        state: &Cube,
        effort: Effort,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        let solution = self.search(state, false, effort, limits)?;
        let sequence = canonical_sequence(&solution.joined_moves());
        if !state.moved_by(sequence.axis_moves()).is_solved() {
            return Err(ScrambleError::Replay);
        }
        let mut rotation = Symmetry::IDENTITY;
        let stages = solution.stages.iter().map(|it| (it.stage, &it.moves));
        let parts = stages.chain([("premoves", &solution.premoves)]);
        let parts = parts.map(|(name, moves)| (name, write(&joined(moves), &mut rotation)));
        Ok(CheckedSolution {
            method: self.method(),
            sequence,
            stages: parts.collect(),
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
    let reached = state.moved_by(canonical_sequence(&moves()).axis_moves());
    let may_stay = |axis: Axis| center_axis(&reached, axis).is_none_or(|home| home == axis);
    // The faces with the colors of their centers: six pairs if the centers are solved.
    let slots = (0..CENTERS).map(|slot| (center_face(slot), reached.center(slot)));
    let colors: HashSet<(Face, Face)> = slots.collect();
    Axis::ALL.into_iter().all(may_stay)
        && (colors.len() > Face::ALL.len() || colors.iter().all(|(face, color)| face == color))
}

/// The home axis of all centers that are on `axis`; `None` if they have different ones.
fn center_axis(cube: &Cube, axis: Axis) -> Option<Axis> {
    let mut homes = Axis::ALL.into_iter();
    homes.find(|&home| places(cube, home) == 0xff << (8 * axis as u32))
}
