//! Move tables: the images of the values of coordinates under moves and actions.

use xxhash_rust::xxh3::Xxh3;

use crate::coord::{ActionGroup, ClassAction, Classes, Coordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::search::Entry;
use crate::stage::generators::Generators;
use crate::stage::spec::{Projection, Raw, StageSpec};
use crate::table::{Images, prefetch};

use super::check::{check_coordinates, symmetry_classes};
use super::error::StageError;
use super::position::{Position, Strides};
use super::tabulate::{ImageTable, class_moves, first_images, keys, second_tables};

/// A declaration with its symmetries, generators and move tables.
pub(super) struct MoveTables {
    pub(super) spec: StageSpec,
    pub(super) group: ActionGroup,
    pub(super) generators: Generators,
    /// `action · generators + generator`: the conjugate generator.
    conjugates: Vec<u8>,
    /// `action · generators + conjugate`: the generator with this conjugate.
    originals: Vec<u8>,
    pub(super) classes: Classes,
    /// `class · generators + generator`: the image of the representative under the generator.
    class_moves: Vec<ClassAction>,
    /// In the same order, the key of a dependent first raw coordinate; empty if there is none.
    keys: Vec<u16>,
    pub(super) first_size: usize,
    /// `key · first_size + first`: the image of the first raw coordinate. The key is that of a dependent
    /// coordinate, otherwise `generator · actions + action`, where one more generator stands for no turn.
    first_images: ImageTable,
    pub(super) second_size: usize,
    /// `second · generators + generator`: the image of the second raw coordinate.
    second_moves: Vec<u16>,
    /// `action · second_size + second`: the image of the second raw coordinate.
    second_actions: Vec<u16>,
    whole: Strides,
}

impl MoveTables {
    /// Checks the coordinates of a declaration, and computes their move tables.
    pub(super) fn new(
        spec: StageSpec,
        group: ActionGroup,
        generators: Generators,
    ) -> Result<MoveTables, StageError> {
        check_coordinates(&spec, &generators, &group)?;
        let classes = symmetry_classes(&spec, &group)?;
        let class_moves = class_moves(&*spec.symmetry, &classes, &generators);
        let (second_moves, second_actions) = match &spec.second {
            Some(second) => second_tables(&**second, &generators, &group),
            None => (vec![0; generators.len()], vec![0; group.len()]),
        };
        let first_size = spec.first.coordinate().map_or(1, Coordinate::size);
        let second_size = spec.second.as_deref().map_or(1, Coordinate::size);
        let conjugates = generators.conjugates(&group);
        let rows = conjugates.chunks(generators.len());
        let originals = rows.flat_map(|row| {
            let mut originals: Vec<u8> = (0..row.len() as u8).collect();
            originals.sort_by_key(|&generator| row[generator as usize]);
            originals
        });
        Ok(MoveTables {
            originals: originals.collect(),
            conjugates,
            keys: keys(&spec, &classes, &generators, &group, &class_moves),
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
            whole: Strides([first_size * second_size, second_size, 1]),
        })
    }

    /// The sizes of the raw coordinates of a projection; 1 for missing ones.
    pub(super) fn projected_sizes(&self, projection: Projection) -> (usize, usize) {
        match projection {
            Projection::Whole => (self.first_size, self.second_size),
            Projection::First => (self.first_size, 1),
            Projection::Second => (1, self.second_size),
        }
    }

    /// The strides of the pruning table of a projection.
    pub(super) fn strides(&self, projection: Projection) -> Strides {
        match projection {
            Projection::Whole => self.whole,
            Projection::First => Strides([self.first_size, 1, 0]),
            Projection::Second => Strides([self.second_size, 0, 1]),
        }
    }

    /// The key of a position: its index in an exact table. Positions that are equal up to symmetry may have
    /// different keys, each of one of their [`MoveTables::images`].
    #[inline]
    pub(super) fn key(&self, position: &Position) -> u64 {
        self.whole.index(position) as u64
    }

    /// The images of a position under the stabiliser of its class' representative, each with the action that
    /// maps the first one to it. The first one is at the representative, with the identity.
    pub(super) fn images(&self, position: &Position) -> Vec<(Position, usize)> {
        let position = position.canonical();
        let stabiliser = self.classes.stabiliser(position.class()).iter();
        let carried = stabiliser.map(|&action| {
            let (first, second) = self.stabiliser_images(position.class(), action);
            let image = Position {
                first: first.of(position.first()) as u16,
                second: second[position.second()],
                ..position
            };
            (image, action as usize)
        });
        std::iter::once((position, 0)).chain(carried).collect()
    }

    /// The position of a cube.
    pub(super) fn position(&self, cube: &Cube) -> Position {
        let symmetry = self.classes.of(self.spec.symmetry.rank(cube));
        self.position_after(cube, Action::IDENTITY, symmetry)
    }

    /// The positions of cubes at the entry of the stage. Transforms only the pieces that each coordinate
    /// needs, and looks up all classes together, so that their cache misses overlap.
    pub(super) fn positions(&self, entries: &[Entry]) -> Vec<Position> {
        let coordinate = &*self.spec.symmetry;
        let values: Vec<usize> = entries
            .iter()
            .map(|Entry { cube, action }| {
                coordinate.rank(&cube.transformed_in(*action, coordinate.pieces()))
            })
            .collect();
        let classes: Vec<ClassAction> =
            values.iter().map(|&value| self.classes.of(value)).collect();
        let classes = entries.iter().zip(classes);
        classes
            .map(|(entry, symmetry)| self.position_after(&entry.cube, entry.action, symmetry))
            .collect()
    }

    /// The position of a cube after an action. `symmetry` is the class of its symmetry coordinate after it.
    fn position_after(&self, cube: &Cube, action: Action, symmetry: ClassAction) -> Position {
        let canonical = action.then(self.group.action(symmetry.action()));
        let rank = |coordinate: Option<&dyn Coordinate>| {
            coordinate.map_or(0, |coordinate| {
                coordinate.rank(&cube.transformed_in(canonical, coordinate.pieces())) as u16
            })
        };
        Position {
            symmetry,
            first: rank(self.spec.first.coordinate()),
            second: rank(self.spec.second.as_deref()),
        }
    }

    /// The conjugates of the generators, in the frame of the representative of a position.
    #[inline]
    pub(super) fn conjugates(&self, position: &Position) -> &[u8] {
        let count = self.generators.len();
        &self.conjugates[position.action() * count..][..count]
    }

    /// The generators with given conjugates in the frame of the representative of a position.
    #[inline(always)]
    pub(super) fn originals(&self, position: &Position) -> &[u8] {
        let count = self.generators.len();
        &self.originals[position.action() * count..][..count]
    }

    /// Prefetches the images of a position's class.
    #[inline(always)]
    pub(super) fn prefetch(&self, position: &Position) {
        let count = self.generators.len();
        let row = &self.class_moves[position.class() * count..][..count];
        // A row may take two cache lines.
        prefetch(&row[0]);
        prefetch(&row[count - 1]);
    }

    /// The position after a generator.
    pub(super) fn child(&self, position: &Position, generator: u8) -> Position {
        let conjugate = self.conjugates(position)[generator as usize];
        self.rows(*position).child(conjugate as usize)
    }

    /// The rows of the move tables that belong to a position.
    #[inline(always)]
    pub(super) fn rows(&self, position: Position) -> Rows<'_> {
        let count = self.generators.len();
        let row = |index: usize| index * count..(index + 1) * count;
        Rows {
            tables: self,
            position,
            class_moves: &self.class_moves[row(position.class())],
            keys: (!self.keys.is_empty()).then(|| &self.keys[row(position.class())]),
            second: &self.second_moves[row(position.second())],
        }
    }

    /// The image of a class' representative under a generator, as class and action.
    pub(super) fn class_move(&self, class: usize, generator: usize) -> ClassAction {
        self.class_moves[class * self.generators.len() + generator]
    }

    /// The images of the first raw coordinate under a generator, applied to a class' representative, followed
    /// by the action that maps the result to the representative of its class.
    pub(super) fn first_images(&self, class: usize, generator: usize) -> Images<'_> {
        let at = class * self.generators.len() + generator;
        let key = if self.keys.is_empty() {
            generator * self.group.len() + self.class_moves[at].action()
        } else {
            self.keys[at] as usize
        };
        self.first_images.row(key, self.first_size)
    }

    /// The image of a value of the second raw coordinate under a generator.
    #[inline(always)]
    pub(super) fn second_moved(&self, second: usize, generator: usize) -> u16 {
        self.second_moves[second * self.generators.len() + generator]
    }

    /// The images of the second raw coordinate under an action.
    #[inline(always)]
    pub(super) fn second_carried(&self, action: usize) -> &[u16] {
        &self.second_actions[action * self.second_size..][..self.second_size]
    }

    /// The images of the second raw coordinate under a generator followed by an action.
    pub(super) fn second_images(&self, generator: usize, action: usize) -> Vec<u16> {
        let images = self.second_carried(action);
        (0..self.second_size)
            .map(|second| images[self.second_moved(second, generator) as usize])
            .collect()
    }

    /// The images of both raw coordinates under an action that fixes a class' representative.
    pub(super) fn stabiliser_images(&self, class: usize, action: u8) -> (Images<'_>, &[u16]) {
        let key = match &self.spec.first {
            Raw::Dependent(coordinate) => {
                let representative = self.classes.representative(class);
                let cube = self.spec.symmetry.unrank(representative);
                let action = self.group.action(action as usize);
                coordinate.key(&cube, AxisMove::STILL, action)
            }
            _ => self.generators.len() * self.group.len() + action as usize,
        };
        (
            self.first_images.row(key, self.first_size),
            self.second_carried(action as usize),
        )
    }

    /// Hashes everything that the meaning of a position depends on.
    pub(super) fn hash(&self, hash: &mut Xxh3) {
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
        hash.update(&words);
    }
}

/// The rows of the move tables for one position, from which its neighbours follow.
pub(super) struct Rows<'a> {
    tables: &'a MoveTables,
    position: Position,
    class_moves: &'a [ClassAction],
    keys: Option<&'a [u16]>,
    second: &'a [u16],
}

impl Rows<'_> {
    /// The class of the position after a generator; see [`Rows::child`].
    #[inline(always)]
    pub(super) fn class(&self, conjugate: usize) -> usize {
        self.class_moves[conjugate].class()
    }

    /// The position after a generator. `conjugate` is its conjugate in the frame of the representative.
    // Inlined, because every caller is the innermost loop of a search.
    #[inline(always)]
    pub(super) fn child(&self, conjugate: usize) -> Position {
        let Rows {
            tables, position, ..
        } = self;
        let moved = self.class_moves[conjugate];
        let key = || match self.keys {
            Some(keys) => keys[conjugate] as usize,
            None => conjugate * tables.group.len() + moved.action(),
        };
        let first = match tables.first_size {
            1 => 0,
            size => tables.first_images.get(key() * size + position.first()),
        };
        let second = self.second[conjugate] as usize;
        let action = tables.group.then(position.action(), moved.action());
        Position {
            symmetry: moved.with_action(action as u8),
            first,
            second: tables.second_actions[moved.action() * tables.second_size + second],
        }
    }
}
