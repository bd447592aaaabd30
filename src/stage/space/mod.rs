//! A stage worked out for a metric: generators, move tables, goal.

mod check;
mod component;
mod error;
mod fingerprint;
mod goals;
mod move_tables;
mod near_goal;
mod neighbours;
mod node;

use std::fmt;

use crate::coord::{ActionGroup, Classes};
use crate::cube::{AxisMove, Cube, Metric, Symmetry};

use self::goals::{Goals, raw_position};
use self::move_tables::MoveTables;
use self::near_goal::NearGoal;
use super::automaton::Automaton;
use super::freedom::Freedom;
use super::generators::Generators;
use super::premoves::{Premove, premoves, reversals};
use super::spec::{ComponentSpec, Projection, StageSpec};
use super::stage_search::Arrival;

pub(crate) use self::component::Component;
pub(crate) use self::node::Strides;

pub use self::error::StageError;
pub use self::move_tables::Position;
pub use self::node::Node;

/// The most generators that a stage may have: a bit of a mask for each.
const MOST_GENERATORS: usize = u128::BITS as usize;

/// A stage, ready to be searched and to have pruning tables built.
pub struct Space {
    /// The declaration, but for its components, which are in `moves`.
    spec: StageSpec,
    size: u64,
    next: Freedom,
    metric: Metric,
    automaton: Automaton,
    moves: MoveTables,
    goals: Goals,
    near_goal: NearGoal,
    premoves: Vec<Premove>,
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Space")
            .field("method", &self.spec.method)
            .field("name", &self.spec.name)
            .field("metric", &self.metric)
            .finish_non_exhaustive()
    }
}

impl Space {
    /// Works out a stage in a metric, given what may be turned after it ([`Freedom::NONE`] after the
    /// last one).
    ///
    /// # Errors
    ///
    /// What is wrong with the declaration; see [`StageError`].
    pub fn new(mut spec: StageSpec, next: Freedom, metric: Metric) -> Result<Space, StageError> {
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
        let size = spec.size();
        let automaton = Automaton::new(&generators, &spec.freedom, &next, metric);
        let moves = MoveTables::new(&mut spec, group, generators)?;
        let goals = Goals::new(&spec, &next, &moves)?;
        let near_goal = NearGoal::new(&moves, &goals);
        let premoves = premoves(&spec, metric, |cube| raw_position(&moves, cube));
        Ok(Space {
            spec,
            size,
            next,
            metric,
            automaton,
            moves,
            goals,
            near_goal,
            premoves,
        })
    }

    /// The stage's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// The declaration, without its components; see [`Space::component_specs`].
    #[must_use]
    pub fn spec(&self) -> &StageSpec {
        &self.spec
    }

    /// The declarations of the components in order.
    pub fn component_specs(&self) -> impl ExactSizeIterator<Item = &ComponentSpec> {
        self.moves.components.iter().map(Component::spec)
    }

    /// A component.
    pub(crate) fn component(&self, number: usize) -> &Component {
        &self.moves.components[number]
    }

    /// What may be turned after the stage.
    #[must_use]
    pub fn next(&self) -> &Freedom {
        &self.next
    }

    /// The metric.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The group of symmetry actions.
    #[must_use]
    pub fn group(&self) -> &ActionGroup {
        &self.moves.group
    }

    /// The generators.
    #[must_use]
    pub fn generators(&self) -> &Generators {
        &self.moves.generators
    }

    /// The automaton that enumerates sequences of generators.
    #[must_use]
    #[inline]
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The classes of a component's symmetry coordinate.
    #[must_use]
    pub fn classes(&self, component: usize) -> &Classes {
        self.component(component).classes()
    }

    /// Sizes of the first and second raw coordinate of a component; 1 where there is none.
    #[must_use]
    pub fn raw_sizes(&self, component: usize) -> (usize, usize) {
        self.component(component).raw_sizes()
    }

    /// The number of entries of a projection's pruning table.
    #[must_use]
    pub fn entries(&self, component: usize, projection: Projection) -> usize {
        self.component(component).entries(projection)
    }

    /// A position's place in a projection's pruning table.
    #[must_use]
    pub fn index(&self, component: usize, projection: Projection, position: &Position) -> usize {
        let strides = self.component(component).strides(projection);
        strides.index(&position[component])
    }

    /// Whether a projection's pruning table has the exact distances of the stage.
    #[must_use]
    pub fn is_exact(&self, projection: Projection) -> bool {
        projection == Projection::Whole
            && self.moves.components.len() == 1
            && self.spec.condition.is_none()
    }

    /// Whether some values of the coordinates go together with no reachable position.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        self.spec.expected.positions < self.size
    }

    /// The turns before a state with which the stage can be entered, nothing first.
    #[must_use]
    pub fn premoves(&self) -> &[Premove] {
        &self.premoves
    }

    /// What can be put before turns before a state, for nothing, on entry to the stage: see
    /// [`Premove`].
    #[must_use]
    pub fn reversals(&self, premoves: &[AxisMove]) -> Vec<Premove> {
        reversals(&self.spec.freedom, &self.next, premoves)
    }

    /// The number of positions, unreduced, in which the stage is done.
    #[must_use]
    pub fn goal_count(&self) -> usize {
        self.goals.count()
    }

    /// Every position up to symmetry in which the stage is done.
    #[must_use]
    pub fn goals(&self) -> &[Position] {
        self.goals.positions()
    }

    /// Whether the stage is done at a position.
    #[must_use]
    pub fn is_goal(&self, nodes: &[Node]) -> bool {
        self.goals.contains(self.moves.key(nodes))
    }

    /// The whole rotation that brings a position at the goal to the next stage's orientation; none
    /// if the stage is not done.
    #[must_use]
    pub fn goal_rotation(&self, nodes: &[Node]) -> Option<Symmetry> {
        let number = self.goals.rotation(self.moves.key(nodes), &nodes[0])?;
        Some(self.spec.rotations[number])
    }

    /// The position of a cube, which must be one on which the stage is defined.
    #[must_use]
    pub fn position(&self, cube: &Cube) -> Position {
        self.moves.position(cube)
    }

    /// The positions of arriving cubes, cheaper than one after the other.
    #[must_use]
    pub fn positions(&self, arrivals: &[Arrival]) -> Vec<Position> {
        self.moves.positions(arrivals)
    }

    /// A position and those that are the same up to the symmetries that keep a class'
    /// representative, each in the frame of the first component's representative. Positions are the
    /// same up to symmetry if and only if these are the same.
    #[must_use]
    pub fn images(&self, position: &Position) -> Vec<Position> {
        let images = self.moves.images(position).into_iter();
        images.map(|(image, _)| image).collect()
    }
}
