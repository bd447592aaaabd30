//! A stage's moves, tabulated by coordinate.

use xxhash_rust::xxh3::Xxh3;

use crate::coord::{ActionGroup, ClassAction, Classes, Coordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::search::Entry;
use crate::stage::generators::Generators;
use crate::stage::spec::{Projection, Raw, StageSpec};
use crate::table::Images;

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
    pub(super) classes: Classes,
    /// `class · generators + generator`: class and action after the generator.
    class_moves: Vec<ClassAction>,
    /// The same for the key of a dependent first coordinate; empty for others.
    keys: Vec<u16>,
    pub(super) first_size: usize,
    /// `key · first_size + first`: what becomes of the first coordinate. The key is that of a
    /// dependent coordinate, or else `generator · actions + action`; generator number `generators`
    /// turns nothing.
    first_images: ImageTable,
    pub(super) second_size: usize,
    /// `second · generators + generator`.
    second_moves: Vec<u16>,
    /// `action · second_size + second`.
    second_actions: Vec<u16>,
    whole: Strides,
}

impl MoveTables {
    /// Checks the coordinates of a declaration, and tabulates them.
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
        Ok(MoveTables {
            conjugates: generators.conjugates(&group),
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

    /// Sizes of the raw coordinates as far as a projection has them; 1 stands for none.
    pub(super) fn projected_sizes(&self, projection: Projection) -> (usize, usize) {
        match projection {
            Projection::Whole => (self.first_size, self.second_size),
            Projection::First => (self.first_size, 1),
            Projection::Second => (1, self.second_size),
        }
    }

    /// By how much a position's place in a projection's pruning table grows with its class, first and
    /// second coordinate.
    pub(super) fn strides(&self, projection: Projection) -> Strides {
        match projection {
            Projection::Whole => self.whole,
            Projection::First => Strides([self.first_size, 1, 0]),
            Projection::Second => Strides([self.second_size, 0, 1]),
        }
    }

    /// A number for a position up to symmetry: its place in an exact table. Positions that are the same
    /// up to symmetry have the same keys up to [`MoveTables::images`].
    #[inline]
    pub(super) fn key(&self, position: &Position) -> u64 {
        self.whole.index(position) as u64
    }

    /// The positions with the same meaning as one, at the class' representative: itself first, then
    /// those to which the symmetries that keep the representative carry it, each with the symmetry.
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

    /// The positions of cubes on entry. Cheaper than transforming whole cubes first, since each
    /// coordinate looks at pieces of one kind, and than one after the other, since the processor
    /// waits for the classes of all together.
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

    /// The position of a cube after an action, given the class of its symmetry coordinate then.
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

    /// The conjugates of the generators in the frame of a position's representative.
    #[inline]
    pub(super) fn conjugates(&self, position: &Position) -> &[u8] {
        let count = self.generators.len();
        &self.conjugates[position.action() * count..][..count]
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

    /// Class and action after a generator, from a class' representative.
    pub(super) fn class_move(&self, class: usize, generator: usize) -> ClassAction {
        self.class_moves[class * self.generators.len() + generator]
    }

    /// What becomes of the first coordinate when a class' representative is moved by a generator
    /// and carried by the following action to its new class' representative.
    pub(super) fn first_images(&self, class: usize, generator: usize) -> Images<'_> {
        let at = class * self.generators.len() + generator;
        let key = if self.keys.is_empty() {
            generator * self.group.len() + self.class_moves[at].action()
        } else {
            self.keys[at] as usize
        };
        self.first_images.row(key, self.first_size)
    }

    /// What becomes of a value of the second coordinate under a generator.
    #[inline(always)]
    pub(super) fn second_moved(&self, second: usize, generator: usize) -> u16 {
        self.second_moves[second * self.generators.len() + generator]
    }

    /// What becomes of the second coordinate under an action.
    #[inline(always)]
    pub(super) fn second_carried(&self, action: usize) -> &[u16] {
        &self.second_actions[action * self.second_size..][..self.second_size]
    }

    /// What becomes of the second coordinate under a generator followed by an action.
    pub(super) fn second_images(&self, generator: usize, action: usize) -> Vec<u16> {
        let images = self.second_carried(action);
        (0..self.second_size)
            .map(|second| images[self.second_moved(second, generator) as usize])
            .collect()
    }

    /// What becomes of both raw coordinates under an action that fixes a class' representative.
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

    /// Hashes everything on which the meaning of a position depends.
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

/// A position's rows of the move tables, for looking several of its neighbours up.
pub(super) struct Rows<'a> {
    tables: &'a MoveTables,
    position: Position,
    class_moves: &'a [ClassAction],
    keys: Option<&'a [u16]>,
    second: &'a [u16],
}

impl Rows<'_> {
    /// The position after a generator; `conjugate` is what it is in the frame of the representative.
    // Called in places of which each is the innermost loop of a search.
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
