//! A component of a stage worked out: its symmetry classes and move tables.

use rayon::prelude::*;

use crate::coord::{ActionGroup, ClassAction, Classes, Coordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::stage::generators::Generators;
use crate::stage::spec::{ComponentSpec, Projection, Raw};
use crate::table::Images;

use super::node::{Node, Strides};

/// A component, ready for its nodes to be moved.
pub(crate) struct Component {
    spec: ComponentSpec,
    classes: Classes,
    actions: usize,
    generators: usize,
    /// `class · generators + generator`: class and action after the generator.
    class_moves: Vec<ClassAction>,
    /// The same for the key of a dependent first coordinate; empty for others.
    keys: Vec<u16>,
    first_size: usize,
    /// `key · first_size + first`: what becomes of the first coordinate. The key is that of a
    /// dependent coordinate, or else `generator · actions + action`; generator number `generators`
    /// turns nothing.
    first_images: ImageTable,
    second_size: usize,
    /// `second · generators + generator`.
    second_moves: Vec<u16>,
    /// `action · second_size + second`.
    second_actions: Vec<u16>,
}

/// What becomes of the first coordinate's values, row after row, as in [`Images`].
enum ImageTable {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

impl ImageTable {
    fn new(images: Vec<u16>) -> ImageTable {
        let bytes: Result<Vec<u8>, _> = images.iter().map(|&image| u8::try_from(image)).collect();
        bytes.map_or(ImageTable::Words(images), ImageTable::Bytes)
    }

    #[inline]
    fn get(&self, at: usize) -> u16 {
        match self {
            ImageTable::Bytes(images) => u16::from(images[at]),
            ImageTable::Words(images) => images[at],
        }
    }

    fn row(&self, row: usize, length: usize) -> Images<'_> {
        match self {
            ImageTable::Bytes(images) => Images::Bytes(&images[row * length..][..length]),
            ImageTable::Words(images) => Images::Words(&images[row * length..][..length]),
        }
    }

    fn words(&self) -> Vec<u16> {
        match self {
            ImageTable::Bytes(images) => images.iter().map(|&image| u16::from(image)).collect(),
            ImageTable::Words(images) => images.clone(),
        }
    }
}

impl Component {
    /// Tabulates a component. Its coordinates must have been checked to be closed under the
    /// generators and the group.
    pub(super) fn new(
        spec: ComponentSpec,
        classes: Classes,
        generators: &Generators,
        group: &ActionGroup,
    ) -> Component {
        let class_moves = class_moves(&*spec.symmetry, &classes, generators);
        let keys = keys(&spec, &classes, generators, group, &class_moves);
        let first_images = first_images(&spec.first, generators, group);
        let (second_moves, second_actions) = match &spec.second {
            Some(second) => second_tables(&**second, generators, group),
            None => (vec![0; generators.len()], vec![0; group.len()]),
        };
        Component {
            first_size: spec.first.coordinate().map_or(1, Coordinate::size),
            second_size: spec.second.as_deref().map_or(1, Coordinate::size),
            spec,
            classes,
            actions: group.len(),
            generators: generators.len(),
            class_moves,
            keys,
            first_images: ImageTable::new(first_images),
            second_moves,
            second_actions,
        }
    }

    /// The declaration.
    pub(crate) fn spec(&self) -> &ComponentSpec {
        &self.spec
    }

    /// The classes of the symmetry coordinate.
    pub(crate) fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Sizes of the first and second raw coordinate.
    pub(crate) fn raw_sizes(&self) -> (usize, usize) {
        (self.first_size, self.second_size)
    }

    /// Sizes of the raw coordinates as far as a projection has them; 1 stands for none.
    pub(crate) fn projected_sizes(&self, projection: Projection) -> (usize, usize) {
        match projection {
            Projection::Whole => (self.first_size, self.second_size),
            Projection::First => (self.first_size, 1),
            Projection::Second => (1, self.second_size),
        }
    }

    /// The number of entries of a projection's pruning table.
    pub(crate) fn entries(&self, projection: Projection) -> usize {
        let (first, second) = self.projected_sizes(projection);
        self.classes.count() * first * second
    }

    /// By how much a node's place in a projection's pruning table grows with its class, first and
    /// second coordinate.
    pub(crate) fn strides(&self, projection: Projection) -> Strides {
        let (first, second) = (self.first_size, self.second_size);
        match projection {
            Projection::Whole => Strides([first * second, second, 1]),
            Projection::First => Strides([first, 1, 0]),
            Projection::Second => Strides([second, 0, 1]),
        }
    }

    /// The node of a cube after an action, given the class of its symmetry coordinate then.
    pub(super) fn node(
        &self,
        cube: &Cube,
        action: Action,
        symmetry: ClassAction,
        group: &ActionGroup,
    ) -> Node {
        let canonical = action.then(group.action(symmetry.action()));
        let rank = |coordinate: Option<&dyn Coordinate>| {
            coordinate.map_or(0, |coordinate| {
                coordinate.rank(&cube.transformed_in(canonical, coordinate.pieces())) as u16
            })
        };
        Node {
            symmetry,
            first: rank(self.spec.first.coordinate()),
            second: rank(self.spec.second.as_deref()),
        }
    }

    /// The rows of the move tables that belong to a node.
    #[inline]
    pub(super) fn rows(&self, node: Node) -> Rows<'_> {
        let row = |index: usize| index * self.generators..(index + 1) * self.generators;
        Rows {
            component: self,
            node,
            class_moves: &self.class_moves[row(node.class())],
            keys: (!self.keys.is_empty()).then(|| &self.keys[row(node.class())]),
            second: &self.second_moves[row(node.second())],
        }
    }

    /// Class and action after a generator, from a class' representative.
    pub(crate) fn class_move(&self, class: usize, generator: usize) -> ClassAction {
        self.class_moves[class * self.generators + generator]
    }

    /// What becomes of the first coordinate when a class' representative is moved by a generator
    /// and carried by the following action to its new class' representative.
    pub(crate) fn first_images(&self, class: usize, generator: usize) -> Images<'_> {
        let at = class * self.generators + generator;
        let key = if self.keys.is_empty() {
            generator * self.actions + self.class_moves[at].action()
        } else {
            self.keys[at] as usize
        };
        self.first_images.row(key, self.first_size)
    }

    /// What becomes of the second coordinate under a generator followed by an action.
    pub(crate) fn second_images(&self, generator: usize, action: usize) -> Vec<u16> {
        let images = &self.second_actions[action * self.second_size..][..self.second_size];
        let moved = |second| self.second_moves[second * self.generators + generator];
        (0..self.second_size)
            .map(|second| images[moved(second) as usize])
            .collect()
    }

    /// What becomes of both raw coordinates under an action that fixes a class' representative.
    pub(crate) fn stabiliser_images(
        &self,
        class: usize,
        action: u8,
        group: &ActionGroup,
    ) -> (Images<'_>, &[u16]) {
        let key = match &self.spec.first {
            Raw::Dependent(coordinate) => {
                let cube = self
                    .spec
                    .symmetry
                    .unrank(self.classes.representative(class));
                coordinate.key(&cube, AxisMove::STILL, group.action(action as usize))
            }
            _ => self.generators * self.actions + action as usize,
        };
        (
            self.first_images.row(key, self.first_size),
            &self.second_actions[action as usize * self.second_size..][..self.second_size],
        )
    }

    /// The nodes with the same meaning as one at a class' representative: the node itself, and
    /// those to which the symmetries that keep the representative carry it, with the symmetry.
    pub(super) fn images(&self, node: Node, group: &ActionGroup) -> Vec<(Node, usize)> {
        let stabiliser = self.classes.stabiliser(node.class()).iter();
        let carried = stabiliser.map(|&action| {
            let (first, second) = self.stabiliser_images(node.class(), action, group);
            let image = Node {
                first: first.of(node.first()) as u16,
                second: second[node.second()],
                ..node
            };
            (image, action as usize)
        });
        std::iter::once((node, 0)).chain(carried).collect()
    }

    /// Feeds everything on which the meaning of a node depends.
    pub(super) fn hash(&self, mut feed: impl FnMut(&[u8])) {
        let mut words: Vec<u8> = Vec::new();
        let word = |of: ClassAction| of.number().to_le_bytes();
        for value in 0..self.spec.symmetry.size() {
            words.extend(word(self.classes.of(value)));
        }
        for &of in &self.class_moves {
            words.extend(word(of));
        }
        let mut extend =
            |table: &[u16]| words.extend(table.iter().flat_map(|word| word.to_le_bytes()));
        extend(&self.keys);
        extend(&self.first_images.words());
        extend(&self.second_moves);
        extend(&self.second_actions);
        feed(&words);
    }
}

/// A node's rows of the move tables, for looking several of its neighbours up.
pub(super) struct Rows<'a> {
    component: &'a Component,
    node: Node,
    class_moves: &'a [ClassAction],
    keys: Option<&'a [u16]>,
    second: &'a [u16],
}

impl Rows<'_> {
    /// The node after a generator; `conjugate` is what it is in the frame of the representative.
    #[inline(always)]
    pub(super) fn child(&self, conjugate: usize, group: &ActionGroup) -> Node {
        let Rows {
            component, node, ..
        } = self;
        let moved = self.class_moves[conjugate];
        let key = match self.keys {
            Some(keys) => keys[conjugate] as usize,
            None => conjugate * component.actions + moved.action(),
        };
        let second = self.second[conjugate] as usize;
        Node {
            symmetry: moved.with_action(group.then(node.action(), moved.action()) as u8),
            first: component
                .first_images
                .get(key * component.first_size + node.first()),
            second: component.second_actions[moved.action() * component.second_size + second],
        }
    }
}

fn class_moves(
    coordinate: &dyn Coordinate,
    classes: &Classes,
    generators: &Generators,
) -> Vec<ClassAction> {
    let pieces = coordinate.pieces();
    (0..classes.count())
        .into_par_iter()
        .flat_map_iter(|class| {
            let cube = coordinate.unrank(classes.representative(class));
            let moves = generators.moves().iter();
            moves.map(move |&mv| classes.of(coordinate.rank(&cube.moved_in(mv, pieces))))
        })
        .collect()
}

fn keys(
    spec: &ComponentSpec,
    classes: &Classes,
    generators: &Generators,
    group: &ActionGroup,
    class_moves: &[ClassAction],
) -> Vec<u16> {
    let Raw::Dependent(dependent) = &spec.first else {
        return Vec::new();
    };
    (0..classes.count())
        .into_par_iter()
        .flat_map_iter(|class| {
            let cube = spec.symmetry.unrank(classes.representative(class));
            let after = &class_moves[class * generators.len()..];
            let moves = generators.moves().iter().zip(after);
            moves.map(move |(&mv, after)| {
                dependent.key(&cube, mv, group.action(after.action())) as u16
            })
        })
        .collect()
}

fn first_images(first: &Raw, generators: &Generators, group: &ActionGroup) -> Vec<u16> {
    match first {
        Raw::None => vec![0; (generators.len() + 1) * group.len()],
        Raw::Dependent(dependent) => (0..dependent.keys())
            .into_par_iter()
            .flat_map_iter(|key| {
                (0..dependent.size()).map(move |value| dependent.image(key, value) as u16)
            })
            .collect(),
        Raw::Independent(coordinate) => {
            let pieces = coordinate.pieces();
            let moves = generators.moves().iter().copied().chain([AxisMove::STILL]);
            let steps: Vec<(AxisMove, Action)> = moves
                .flat_map(|mv| group.actions().map(move |action| (mv, action)))
                .collect();
            steps
                .into_par_iter()
                .flat_map_iter(|(mv, action)| {
                    (0..coordinate.size()).map(move |value| {
                        let moved = coordinate.unrank(value).moved_in(mv, pieces);
                        coordinate.rank(&moved.transformed_in(action, pieces)) as u16
                    })
                })
                .collect()
        }
    }
}

fn second_tables(
    coordinate: &dyn Coordinate,
    generators: &Generators,
    group: &ActionGroup,
) -> (Vec<u16>, Vec<u16>) {
    let pieces = coordinate.pieces();
    let cubes: Vec<Cube> = (0..coordinate.size())
        .map(|value| coordinate.unrank(value))
        .collect();
    let moves = cubes
        .par_iter()
        .flat_map_iter(|cube| {
            let moves = generators.moves().iter();
            moves.map(move |&mv| coordinate.rank(&cube.moved_in(mv, pieces)) as u16)
        })
        .collect();
    let actions = (0..group.len())
        .into_par_iter()
        .flat_map_iter(|number| {
            let action = group.action(number);
            let images = cubes.iter();
            images.map(move |cube| coordinate.rank(&cube.transformed_in(action, pieces)) as u16)
        })
        .collect();
    (moves, actions)
}
