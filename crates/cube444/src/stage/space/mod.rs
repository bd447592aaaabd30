//! A declared stage constructed for a metric.

mod check;
mod goals;
mod graph;
#[cfg(test)]
mod inspection;
mod move_tables;
mod position;
mod tabulate;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use xxhash_rust::xxh3::Xxh3;

use crate::coord::{ActionGroup, ClassAction, Classes, Coordinate};
use crate::cube::{Action, Metric, Symmetry};
use crate::declaration::DeclarationError;
use crate::search::MoveSet;
use crate::search::turns::{Generators, MAX_GENERATORS};
use crate::table::prefetch;

use self::check::{check_coordinates, within};
use self::tabulate::{ImageTable, class_moves, first_images, second_tables};
use super::spec::{Projection, StageSpec};

pub(crate) use self::position::Position;
pub(super) use self::position::Strides;

/// A declared stage constructed for a metric: generators, move tables and goal.
#[derive(derive_more::Debug)]
#[debug("Space({}, {}, {metric})", spec.method, spec.name)]
pub struct Space {
    pub(crate) spec: StageSpec,
    /// The turns of the next stage.
    pub(crate) next: MoveSet,
    pub(super) metric: Metric,
    /// The group of symmetry actions.
    pub(crate) group: ActionGroup,
    pub(crate) generators: Generators,
    /// `action · generators + generator`: the conjugate generator.
    conjugates: Vec<u8>,
    /// `action · generators + conjugate`: the generator with this conjugate.
    originals: Vec<u8>,
    /// The classes of the symmetry coordinate.
    pub(crate) classes: Classes,
    /// `class · generators + generator`: the image of the representative under the generator.
    class_moves: Vec<ClassAction>,
    /// In the same order, the key of a dependent first raw coordinate; empty if there is none.
    keys: Vec<u16>,
    /// The size of the first raw coordinate; 1 if there is none.
    pub(crate) first_size: usize,
    /// `key · first_size + first`: the image of the first raw coordinate. The key is that of a dependent
    /// coordinate, otherwise `generator · actions + action`, where one more generator stands for no turn.
    pub(super) first_images: ImageTable,
    /// The size of the second raw coordinate; 1 if there is none.
    pub(super) second_size: usize,
    /// `second · generators + generator`: the image of the second raw coordinate.
    second_moves: Vec<u16>,
    /// `action · second_size + second`: the image of the second raw coordinate.
    second_actions: Vec<u16>,
    /// The goals up to symmetry by key, each with the rotations that bring its images under the inverses of all actions
    /// to the orientation of the next stage.
    goals: BTreeMap<u64, Vec<Symmetry>>,
    fingerprint: OnceLock<u128>,
}

impl Space {
    /// Constructs a stage for a metric. `next` are the turns of the next stage, [`MoveSet::NONE`] for the last
    /// stage.
    ///
    /// # Errors
    ///
    /// If the declaration is wrong.
    pub fn new(spec: StageSpec, next: MoveSet, metric: Metric) -> Result<Space, DeclarationError> {
        let stage = spec.name;
        Space::constructed(spec, next, metric)
            .map_err(|problem| format!("stage {stage}: {problem}").into())
    }

    fn constructed(
        spec: StageSpec,
        next: MoveSet,
        metric: Metric,
    ) -> Result<Space, DeclarationError> {
        let group = ActionGroup::new(spec.symmetries.clone())?;
        let generators = Generators::new(&spec.move_set, metric, &spec.symmetries)?;
        if generators.moves.is_empty() {
            return Err("it has no turns".into());
        }
        within(
            "the set of generators",
            generators.moves.len(),
            MAX_GENERATORS,
        )?;
        check_coordinates(&spec, &generators, &group)?;
        let classes = Classes::new(&*spec.symmetry, &group)?;
        let (class_moves, keys) = class_moves(&spec, &classes, &generators, &group);
        let [first_size, second_size] = [spec.first.coordinate(), spec.second.as_deref()]
            .map(|coordinate| coordinate.map_or(1, Coordinate::size));
        let (second_moves, second_actions) =
            second_tables(spec.second.as_deref(), &generators, &group);
        let inverses: Vec<Action> = group.actions().map(Action::inverse).collect();
        let mut space = Space {
            next,
            metric,
            conjugates: generators.conjugates(&spec.symmetries),
            originals: generators.conjugates(&inverses),
            keys,
            first_images: ImageTable::new(first_images(&spec.first, &generators, &group)),
            spec,
            group,
            generators,
            classes,
            class_moves,
            first_size,
            second_size,
            second_moves,
            second_actions,
            goals: BTreeMap::new(),
            fingerprint: OnceLock::new(),
        };
        space.goals = space.derived_goals()?;
        Ok(space)
    }

    /// The number of entries of a projection's pruning table.
    pub(crate) fn entries(&self, projection: Projection) -> usize {
        let Strides([row, ..]) = self.strides(projection);
        self.classes.count() * row
    }

    /// The goals up to symmetry, at the representatives of their classes.
    pub(crate) fn goals(&self) -> impl Iterator<Item = Position> + '_ {
        self.goals.keys().map(|&key| self.position_at(key))
    }

    /// The rotation of the whole cube that brings a goal to the orientation of the next stage; `None` if the
    /// position is not a goal.
    pub(crate) fn goal_rotation(&self, position: &Position) -> Option<Symmetry> {
        let rotations = self.goals.get(&self.key(position))?;
        Some(rotations[position.symmetry.action()])
    }

    /// A hash of everything that the meaning of table entries depends on: numberings, moves, costs and goals.
    pub(crate) fn fingerprint(&self) -> u128 {
        *self.fingerprint.get_or_init(|| {
            let mut hash = Xxh3::new();
            hash.update(self.metric.name().as_bytes());
            let generators = &self.generators;
            for (mv, cost) in generators.moves.iter().zip(&generators.costs) {
                hash.update(&[mv.axis() as u8]);
                hash.update(&mv.amounts());
                hash.update(&[*cost]);
            }
            let values = 0..self.spec.symmetry.size();
            let classes = values.map(|value| self.classes.of(value));
            let classes = classes.chain(self.class_moves.iter().copied());
            let mut words: Vec<u8> = classes.flat_map(|of| of.number().to_le_bytes()).collect();
            for table in [
                &self.keys,
                &self.first_images.words(),
                &self.second_moves,
                &self.second_actions,
            ] {
                words.extend(table.iter().flat_map(|word| word.to_le_bytes()));
            }
            hash.update(&words);
            for goal in self.goals() {
                for number in [
                    goal.symmetry.class() as u32,
                    goal.first.into(),
                    goal.second.into(),
                ] {
                    hash.update(&number.to_le_bytes());
                }
            }
            hash.digest128()
        })
    }

    /// The position with these values of the symmetry coordinate and the second raw coordinate. The stage
    /// must have no first raw coordinate.
    pub(crate) fn position_of(&self, symmetry: usize, second: usize) -> Position {
        let symmetry = self.classes.of(symmetry);
        Position {
            symmetry,
            first: 0,
            second: self.second_carried(symmetry.action())[second],
        }
    }

    /// Prefetches what [`Space::position_of`] reads from the largest table.
    pub(crate) fn prefetch_class(&self, symmetry: usize) {
        prefetch(self.classes.entry(symmetry));
    }
}
