//! A stage's moves, tabulated for all its components.

use crate::coord::{ActionGroup, ClassAction};
use crate::cube::{Action, Cube};
use crate::stage::generators::Generators;
use crate::stage::spec::{MOST_COMPONENTS, Projection, StageSpec};
use crate::stage::stage_search::Arrival;

use super::check::{check_coordinates, symmetry_classes};
use super::component::Component;
use super::error::StageError;
use super::node::{Node, Strides};

/// A position in a stage: a node for each component; places beyond the stage's components are
/// filled with [`Node::default`].
pub type Position = [Node; MOST_COMPONENTS];

/// The symmetries, generators and components of a stage, with their tables.
pub(super) struct MoveTables {
    pub(super) group: ActionGroup,
    pub(super) generators: Generators,
    /// `action · generators + generator`: the conjugate generator.
    conjugates: Vec<u8>,
    pub(super) components: Vec<Component>,
    /// What each component adds to a key.
    digits: Vec<Digit>,
}

/// A digit of a key: a component's node.
#[derive(Clone, Copy)]
struct Digit {
    entries: u64,
    strides: Strides,
}

/// See [`MoveTables::key`].
#[inline]
fn key(group: &ActionGroup, digits: &[Digit], nodes: &[Node]) -> u64 {
    let mut key = 0;
    for (number, (digit, node)) in digits.iter().zip(nodes).enumerate() {
        if number > 0 {
            let relative = group.then(group.inverse(nodes[0].action()), node.action());
            key = (key * group.len() as u64 + relative as u64) * digit.entries;
        }
        key += digit.strides.index(node) as u64;
    }
    key
}

/// What keys are made with, at hand for many positions of a known number of components.
pub(super) struct Keying<'a, const P: usize> {
    group: &'a ActionGroup,
    digits: [Digit; P],
}

impl<const P: usize> Keying<'_, P> {
    /// As [`MoveTables::key`].
    #[inline]
    pub(super) fn key(&self, nodes: &[Node; P]) -> u64 {
        key(self.group, &self.digits, nodes)
    }
}

impl MoveTables {
    /// Takes the components out of a declaration and tabulates them.
    pub(super) fn new(
        spec: &mut StageSpec,
        group: ActionGroup,
        generators: Generators,
    ) -> Result<MoveTables, StageError> {
        check_coordinates(spec, &generators, &group)?;
        let components = std::mem::take(&mut spec.components)
            .into_iter()
            .map(|component| {
                let classes = symmetry_classes(spec.name, &component, &group)?;
                Ok(Component::new(component, classes, &generators, &group))
            })
            .collect::<Result<Vec<Component>, StageError>>()?;
        let tables = MoveTables {
            conjugates: generators.conjugates(&group),
            group,
            generators,
            digits: components
                .iter()
                .map(|component| Digit {
                    entries: component.entries(Projection::Whole) as u64,
                    strides: component.strides(Projection::Whole),
                })
                .collect(),
            components,
        };
        if tables.keys().is_none() {
            return Err(StageError::TooLarge {
                stage: spec.name,
                what: "all components together".to_owned(),
                size: spec.size(),
                limit: u64::MAX,
            });
        }
        Ok(tables)
    }

    /// The number of keys, unless 64 bits are too few; see [`MoveTables::key`].
    fn keys(&self) -> Option<u64> {
        let mut keys = 1u64;
        for (number, component) in self.components.iter().enumerate() {
            let (first, second) = component.raw_sizes();
            let actions = if number == 0 { 1 } else { self.group.len() };
            for factor in [component.classes().count(), first, second, actions] {
                keys = keys.checked_mul(factor as u64)?;
            }
        }
        Some(keys)
    }

    /// The keys of positions, of the first `P` components.
    #[inline]
    pub(super) fn keying<const P: usize>(&self) -> Keying<'_, P> {
        Keying {
            group: &self.group,
            digits: std::array::from_fn(|number| self.digits[number]),
        }
    }

    /// A number for a position up to symmetry: each component's node told in the frame of the first
    /// component's representative. With a single component, the node's place in an exact table.
    ///
    /// Positions that are the same up to symmetry have the same keys up to
    /// [`MoveTables::images`].
    pub(super) fn key(&self, nodes: &[Node]) -> u64 {
        key(&self.group, &self.digits, nodes)
    }

    /// The action from the frame of the first component's representative to another's.
    #[inline]
    fn relative(&self, base: Node, other: Node) -> usize {
        self.group
            .then(self.group.inverse(base.action()), other.action())
    }

    /// A position in the frame of its first component's representative.
    pub(super) fn canonical(&self, position: &Position) -> Position {
        let mut canonical = *position;
        for node in &mut canonical[..self.components.len()] {
            *node = node.with_action(self.relative(position[0], *node));
        }
        canonical
    }

    /// All canonical positions with the meaning of one up to symmetry, itself first, each with the
    /// action that carried it there: more than one where symmetries keep a representative.
    pub(super) fn images(&self, position: &Position) -> Vec<(Position, usize)> {
        let position = self.canonical(position);
        let group = &self.group;
        let mut images = Vec::new();
        for (base, carried) in self.components[0].images(position[0], group) {
            let mut image = position;
            image[0] = base;
            let back = group.inverse(carried);
            for node in &mut image[1..self.components.len()] {
                *node = node.with_action(group.then(back, node.action()));
            }
            images.push((image, carried));
        }
        for (number, component) in self.components.iter().enumerate().skip(1) {
            let found = std::mem::take(&mut images);
            for (position, carried) in found {
                let node = position[number];
                for (image, onward) in component.images(node, group) {
                    let mut position = position;
                    position[number] = image.with_action(group.then(node.action(), onward));
                    images.push((position, carried));
                }
            }
        }
        images
    }

    /// The position of a cube.
    pub(super) fn position(&self, cube: &Cube) -> Position {
        let mut position = [Node::default(); MOST_COMPONENTS];
        for (node, component) in position.iter_mut().zip(&self.components) {
            let value = component.spec().symmetry.rank(cube);
            let symmetry = component.classes().of(value);
            *node = component.node(cube, Action::IDENTITY, symmetry, &self.group);
        }
        position
    }

    /// The positions of arriving cubes. Cheaper than transforming whole cubes first, since each
    /// coordinate looks at pieces of one kind, and than one after the other, since the processor
    /// waits for the classes of all together.
    pub(super) fn positions(&self, arrivals: &[Arrival]) -> Vec<Position> {
        let mut positions = vec![[Node::default(); MOST_COMPONENTS]; arrivals.len()];
        for (number, component) in self.components.iter().enumerate() {
            let coordinate = &*component.spec().symmetry;
            let values: Vec<usize> = arrivals
                .iter()
                .map(|arrival| {
                    let pieces = coordinate.pieces();
                    coordinate.rank(&arrival.cube.transformed_in(arrival.action, pieces))
                })
                .collect();
            let classes: Vec<ClassAction> = values
                .iter()
                .map(|&value| component.classes().of(value))
                .collect();
            for ((position, arrival), symmetry) in positions.iter_mut().zip(arrivals).zip(classes) {
                let Arrival { cube, action, .. } = arrival;
                position[number] = component.node(cube, *action, symmetry, &self.group);
            }
        }
        positions
    }

    /// The conjugates of the generators in the frame of a node's representative.
    #[inline]
    pub(super) fn conjugates(&self, node: &Node) -> &[u8] {
        let count = self.generators.len();
        &self.conjugates[node.action() * count..][..count]
    }

    /// The position after a generator.
    pub(super) fn child(&self, position: &Position, generator: u8) -> Position {
        let mut child = *position;
        for (node, component) in child.iter_mut().zip(&self.components) {
            let conjugate = self.conjugates(node)[generator as usize];
            *node = component.rows(*node).child(conjugate as usize, &self.group);
        }
        child
    }
}
