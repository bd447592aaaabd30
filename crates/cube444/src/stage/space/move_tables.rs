//! Move tables: the images of the values of coordinates under moves and actions.

use crate::coord::{ClassAction, Coordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::stage::spec::Projection;
use crate::table::prefetch;

use super::Space;
use super::position::{Position, Strides};

impl Space {
    /// The strides of the pruning table of a projection.
    pub(crate) fn strides(&self, projection: Projection) -> Strides {
        match projection {
            Projection::Whole => Strides([self.first_size * self.second_size, self.second_size, 1]),
            Projection::First => Strides([self.first_size, 1, 0]),
            Projection::Second => Strides([self.second_size, 0, 1]),
        }
    }

    /// The key of a position: its index in an exact table. Positions that are equal up to symmetry may have
    /// different keys, each of one of their [`Space::images`].
    #[inline(always)]
    pub(crate) fn key(&self, position: &Position) -> u64 {
        let row = position.symmetry.class() * self.first_size + usize::from(position.first);
        (row * self.second_size + usize::from(position.second)) as u64
    }

    /// The images of a position under the stabilizer of its class' representative. The first one is at the
    /// representative, under the identity. Two positions are equal up to symmetry if and only if these sets are equal.
    pub(crate) fn images(&self, position: &Position) -> impl Iterator<Item = Position> {
        let mut position = *position;
        position.symmetry = position.symmetry.with_action(0);
        let class = position.symmetry.class();
        let others = self.classes.stabilizer(class).iter().map(move |&action| {
            let row = self.stabilizer_row(class, action) * self.first_size;
            Position {
                first: self.first_images.get(row + usize::from(position.first)),
                second: self.second_carried(action as usize)[usize::from(position.second)],
                ..position
            }
        });
        std::iter::once(position).chain(others)
    }

    /// The position of a cube.
    pub(crate) fn position(&self, cube: &Cube) -> Position {
        let symmetry = self.classes.of(self.spec.symmetry.rank(cube));
        self.position_after(cube, Action::IDENTITY, symmetry)
    }

    /// The position of a cube after an action. `symmetry` is the class of its symmetry coordinate after it. Transforms
    /// only the pieces that each coordinate needs.
    #[inline(always)]
    pub(crate) fn position_after(
        &self,
        cube: &Cube,
        action: Action,
        symmetry: ClassAction,
    ) -> Position {
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

    /// The generators with given conjugates in the frame of the representative of a position.
    #[inline(always)]
    pub(crate) fn originals(&self, position: &Position) -> &[u8] {
        let count = self.generators.moves.len();
        &self.originals[position.symmetry.action() * count..][..count]
    }

    /// Prefetches what [`Space::neighbors`] reads from the largest table.
    #[inline(always)]
    pub(crate) fn prefetch(&self, position: &Position) {
        let count = self.generators.moves.len();
        let row = &self.class_moves[position.symmetry.class() * count..][..count];
        // A row may take two cache lines.
        prefetch(&row[0]);
        prefetch(&row[count - 1]);
    }

    /// The neighbors of a position.
    #[inline(always)]
    pub(crate) fn neighbors(&self, position: &Position) -> Neighbors<'_> {
        let count = self.generators.moves.len();
        let row = |index: usize| index * count..(index + 1) * count;
        Neighbors {
            space: self,
            position: *position,
            conjugates: &self.conjugates[row(position.symmetry.action())],
            class_moves: &self.class_moves[row(position.symmetry.class())],
            keys: (!self.keys.is_empty()).then(|| &self.keys[row(position.symmetry.class())]),
            second: &self.second_moves[row(position.second.into())],
        }
    }

    /// The image of a class' representative under a generator, as class and action.
    pub(in crate::stage) fn class_move(&self, class: usize, generator: usize) -> ClassAction {
        self.class_moves[class * self.generators.moves.len() + generator]
    }

    /// The row of the images of the first raw coordinate under a generator, applied to a class' representative,
    /// followed by the action that maps the result to the representative of its class.
    pub(in crate::stage) fn first_row(&self, class: usize, generator: usize) -> usize {
        let at = class * self.generators.moves.len() + generator;
        if self.keys.is_empty() {
            generator * self.group.len() + self.class_moves[at].action()
        } else {
            self.keys[at] as usize
        }
    }

    /// The image of a value of the second raw coordinate under a generator.
    #[inline(always)]
    pub(crate) fn second_moved(&self, second: usize, generator: usize) -> u16 {
        self.second_moves[second * self.generators.moves.len() + generator]
    }

    /// The images of the second raw coordinate under an action.
    #[inline(always)]
    pub(crate) fn second_carried(&self, action: usize) -> &[u16] {
        &self.second_actions[action * self.second_size..][..self.second_size]
    }

    /// The row of the images of the first raw coordinate under an action that fixes a class' representative.
    pub(in crate::stage) fn stabilizer_row(&self, class: usize, action: u8) -> usize {
        let Some(dependent) = self.spec.first.dependent() else {
            return self.generators.moves.len() * self.group.len() + action as usize;
        };
        let cube = self
            .spec
            .symmetry
            .unrank(self.classes.representative(class));
        dependent.key(&cube, AxisMove::STILL, self.group.action(action as usize))
    }
}

/// The neighbors of a position, one for each generator: the rows of the move tables from which they follow.
pub(crate) struct Neighbors<'a> {
    space: &'a Space,
    position: Position,
    /// The generators in the frame of the position's representative.
    conjugates: &'a [u8],
    class_moves: &'a [ClassAction],
    keys: Option<&'a [u16]>,
    second: &'a [u16],
}

impl Neighbors<'_> {
    /// The class of the position after a generator; see [`Neighbors::child`].
    #[inline(always)]
    pub(crate) fn class(&self, generator: u8) -> usize {
        self.class_moves[self.conjugates[generator as usize] as usize].class()
    }

    /// The position after a generator.
    // Inlined, because every caller is the innermost loop of a search.
    #[inline(always)]
    pub(crate) fn child(&self, generator: u8) -> Position {
        let (space, position) = (self.space, &self.position);
        let conjugate = self.conjugates[generator as usize] as usize;
        let moved = self.class_moves[conjugate];
        let key = || match self.keys {
            Some(keys) => keys[conjugate] as usize,
            None => conjugate * space.group.len() + moved.action(),
        };
        let first = match space.first_size {
            1 => 0,
            size => space
                .first_images
                .get(key() * size + usize::from(position.first)),
        };
        let second = self.second[conjugate] as usize;
        let action = space.group.then(position.symmetry.action(), moved.action());
        Position {
            symmetry: moved.with_action(action as u8),
            first,
            second: space.second_actions[moved.action() * space.second_size + second],
        }
    }
}
