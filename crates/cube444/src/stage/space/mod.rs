//! A declared stage constructed for a metric.

mod check;
mod class_distances;
mod error;
mod goals;
#[cfg(test)]
mod inspection;
mod move_tables;
mod near_goal;
mod neighbours;
mod position;
mod tabulate;

use std::fmt;
use std::sync::OnceLock;

use xxhash_rust::xxh3::Xxh3;

use crate::coord::{ActionGroup, ClassAction, Classes};
use crate::cube::{AxisMove, Metric, Symmetry};
use crate::search::{Entry, Freedom, Premove};
use crate::table::{Images, prefetch};

use self::class_distances::class_distances;
use self::goals::{Goals, raw_position};
use self::move_tables::MoveTables;
use self::near_goal::NearGoal;
use super::automaton::{Automaton, MOST_GENERATORS};
use super::generators::Generators;
use super::premoves::{premoves, reversals};
use super::spec::{Projection, StageSpec};

pub use self::error::StageError;
pub(crate) use self::position::Position;
pub(super) use self::position::Strides;

/// A declared stage constructed for a metric: generators, move tables and goal.
pub struct Space {
    next: Freedom,
    metric: Metric,
    automaton: Automaton,
    moves: MoveTables,
    goals: Goals,
    near_goal: NearGoal,
    class_distances: Vec<u8>,
    premoves: Vec<Premove>,
    fingerprint: OnceLock<u128>,
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Space")
            .field("method", &self.spec().method)
            .field("name", &self.name())
            .field("metric", &self.metric)
            .finish_non_exhaustive()
    }
}

impl Space {
    /// Constructs a stage for a metric. `next` are the turns of the next stage, [`Freedom::NONE`] for the last
    /// stage.
    ///
    /// # Errors
    ///
    /// If the declaration is wrong.
    pub fn new(spec: StageSpec, next: Freedom, metric: Metric) -> Result<Space, StageError> {
        let stage = spec.name;
        let group = ActionGroup::new(spec.symmetries.clone())
            .map_err(|reason| StageError::Group { stage, reason })?;
        let generators = Generators::new(&spec.freedom, metric, &group)
            .map_err(|(mv, image)| StageError::MovesNotSymmetric { stage, mv, image })?;
        if generators.len() > MOST_GENERATORS {
            return Err(StageError::TooLarge {
                stage,
                what: "the set of generators".to_owned(),
                size: generators.len() as u64,
                limit: MOST_GENERATORS as u64,
            });
        }
        // Turns with which a sequence need not end, because the next stage can make them.
        let next_turns = if spec.stops_at_goals {
            next.after_all(&spec.rotations)
        } else {
            next
        };
        let automaton = Automaton::new(&generators, &spec.freedom, &next_turns, metric);
        let moves = MoveTables::new(spec, group, generators)?;
        let goals = Goals::new(&next, &moves)?;
        Ok(Space {
            next,
            metric,
            automaton,
            near_goal: NearGoal::new(&moves, &goals),
            class_distances: class_distances(&moves, &goals),
            premoves: premoves(&moves.spec, metric, |cube| raw_position(&moves.spec, cube)),
            moves,
            goals,
            fingerprint: OnceLock::new(),
        })
    }

    /// The stage's name.
    pub(crate) fn name(&self) -> &'static str {
        self.moves.spec.name
    }

    /// The declaration.
    pub(crate) fn spec(&self) -> &StageSpec {
        &self.moves.spec
    }

    /// The group of symmetry actions.
    pub(crate) fn group(&self) -> &ActionGroup {
        &self.moves.group
    }

    /// The generators.
    pub(crate) fn generators(&self) -> &Generators {
        &self.moves.generators
    }

    /// The classes of the symmetry coordinate.
    pub(crate) fn classes(&self) -> &Classes {
        &self.moves.classes
    }

    /// The number of entries of a projection's pruning table.
    pub(crate) fn entries(&self, projection: Projection) -> usize {
        let (first, second) = self.projected_sizes(projection);
        self.moves.classes.count() * first * second
    }

    /// The strides of the pruning table of a projection.
    pub(crate) fn strides(&self, projection: Projection) -> Strides {
        self.moves.strides(projection)
    }

    /// The index of a position in the pruning table of a projection.
    pub(crate) fn index(&self, projection: Projection, position: &Position) -> usize {
        self.strides(projection).index(position)
    }

    /// Whether some combinations of values are unreachable.
    pub(crate) fn is_sparse(&self) -> bool {
        self.spec().expected.positions < self.spec().size()
    }

    /// The premoves of the stage, the first one without turns.
    pub(crate) fn premoves(&self) -> &[Premove] {
        &self.premoves
    }

    /// Premoves of half turns that cost nothing after earlier premoves; see [`reversals`].
    pub(crate) fn reversals(&self, premoves: &[AxisMove]) -> Vec<Premove> {
        reversals(&self.spec().freedom, &self.next, premoves)
    }

    /// The goals up to symmetry.
    pub(crate) fn goals(&self) -> &[Position] {
        self.goals.positions()
    }

    /// Whether a position is a goal.
    pub(crate) fn is_goal(&self, position: &Position) -> bool {
        self.goals.contains(self.moves.key(position))
    }

    /// The rotation of the whole cube that brings a goal to the orientation of the next stage; `None` if the
    /// position is not a goal.
    pub(crate) fn goal_rotation(&self, position: &Position) -> Option<Symmetry> {
        let number = self
            .goals
            .rotation(self.moves.key(position), position.action())?;
        Some(self.spec().rotations[number])
    }

    /// The positions of cubes at the entry of the stage.
    pub(crate) fn positions(&self, entries: &[Entry]) -> Vec<Position> {
        self.moves.positions(entries)
    }

    /// The images of a position under the stabiliser of its class' representative, the first one at the
    /// representative. Two positions are equal up to symmetry if and only if these sets are equal.
    pub(crate) fn images(&self, position: &Position) -> Vec<Position> {
        let images = self.moves.images(position).into_iter();
        images.map(|(image, _)| image).collect()
    }

    /// A hash of everything that the meaning of table entries depends on: numberings, moves, costs and goals.
    pub(crate) fn fingerprint(&self) -> u128 {
        *self.fingerprint.get_or_init(|| {
            let mut hash = Xxh3::new();
            hash.update(self.metric.name().as_bytes());
            let generators = &self.moves.generators;
            for (mv, cost) in generators.moves().iter().zip(generators.costs()) {
                hash.update(&[mv.axis() as u8]);
                hash.update(&mv.amounts());
                hash.update(&[*cost]);
            }
            self.moves.hash(&mut hash);
            for goal in self.goals.positions() {
                for number in [goal.class(), goal.first(), goal.second()] {
                    hash.update(&(number as u32).to_le_bytes());
                }
            }
            hash.digest128()
        })
    }

    /// The position with these values of the symmetry coordinate and the second raw coordinate. The stage
    /// must have no first raw coordinate.
    pub(crate) fn position_of(&self, symmetry: usize, second: usize) -> Position {
        let symmetry = self.moves.classes.of(symmetry);
        Position {
            symmetry,
            first: 0,
            second: self.second_carried(symmetry.action())[second],
        }
    }

    /// Prefetches what [`Space::position_of`] reads from the largest table.
    pub(crate) fn prefetch_class(&self, symmetry: usize) {
        prefetch(self.moves.classes.entry(symmetry));
    }

    /// The image of a value of the second raw coordinate under a generator.
    #[inline(always)]
    pub(crate) fn second_moved(&self, second: usize, generator: usize) -> u16 {
        self.moves.second_moved(second, generator)
    }

    /// The images of the values of the second raw coordinate under an action.
    #[inline(always)]
    pub(crate) fn second_carried(&self, action: usize) -> &[u16] {
        self.moves.second_carried(action)
    }

    /// The sizes of the raw coordinates of a projection; 1 for missing ones.
    pub(crate) fn projected_sizes(&self, projection: Projection) -> (usize, usize) {
        self.moves.projected_sizes(projection)
    }

    /// The image of a class' representative under a generator, as class and action.
    pub(super) fn class_move(&self, class: usize, generator: usize) -> ClassAction {
        self.moves.class_move(class, generator)
    }

    /// The images of the first raw coordinate; see [`MoveTables::first_images`].
    pub(super) fn first_images(&self, class: usize, generator: usize) -> Images<'_> {
        self.moves.first_images(class, generator)
    }

    /// The images of the second raw coordinate under a generator followed by an action.
    pub(super) fn second_images(&self, generator: usize, action: usize) -> Vec<u16> {
        self.moves.second_images(generator, action)
    }

    /// The images of both raw coordinates under an action that fixes a class' representative.
    pub(super) fn stabiliser_images(&self, class: usize, action: u8) -> (Images<'_>, &[u16]) {
        self.moves.stabiliser_images(class, action)
    }
}
