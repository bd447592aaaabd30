//! Computing move tables.

use rayon::prelude::*;

use crate::coord::{ActionGroup, ClassAction, Classes, Coordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::search::turns::Generators;
use crate::stage::spec::{Raw, StageSpec};

/// The images of the first raw coordinate, row by row. They are stored in bytes if those are enough, which saves
/// cache.
pub(in crate::stage) enum ImageTable {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

impl ImageTable {
    pub(super) fn new(images: Vec<u16>) -> ImageTable {
        let bytes: Result<Vec<u8>, _> = images.iter().map(|&image| u8::try_from(image)).collect();
        bytes.map_or(ImageTable::Words(images), ImageTable::Bytes)
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> u16 {
        match self {
            ImageTable::Bytes(images) => u16::from(images[at]),
            ImageTable::Words(images) => images[at],
        }
    }

    pub(in crate::stage) fn words(&self) -> Vec<u16> {
        match self {
            ImageTable::Bytes(images) => images.iter().map(|&image| u16::from(image)).collect(),
            ImageTable::Words(images) => images.clone(),
        }
    }
}

/// The image of each class' representative under each generator, and the key of a dependent first raw coordinate.
pub(super) fn class_moves(
    spec: &StageSpec,
    classes: &Classes,
    generators: &Generators,
    group: &ActionGroup,
) -> (Vec<ClassAction>, Vec<u16>) {
    let (coordinate, dependent) = (&*spec.symmetry, spec.first.dependent());
    let images = (0..classes.count()).into_par_iter().flat_map_iter(|class| {
        let cube = coordinate.unrank(classes.representative(class));
        generators.moves.iter().map(move |&mv| {
            let image = classes.of(coordinate.rank(&cube.moved(mv)));
            let action = group.action(image.action());
            let key = dependent.map(|dependent| dependent.key(&cube, mv, action) as u16);
            (image, key)
        })
    });
    let (images, keys): (Vec<ClassAction>, Vec<Option<u16>>) = images.unzip();
    (images, keys.into_iter().flatten().collect())
}

/// The images of all values of the first raw coordinate: under each move and action or, if it is dependent, for each key.
pub(super) fn first_images(first: &Raw, generators: &Generators, group: &ActionGroup) -> Vec<u16> {
    let Some(dependent) = first.dependent() else {
        let moves = generators.moves.iter().copied().chain([AxisMove::STILL]);
        let steps = moves.flat_map(|mv| group.actions().map(move |action| (mv, action)));
        return images(first.coordinate(), steps);
    };
    let keys = (0..dependent.keys()).into_par_iter();
    let images = keys.flat_map_iter(|key| {
        (0..dependent.size()).map(move |value| dependent.image(key, value) as u16)
    });
    images.collect()
}

/// The images of the second raw coordinate under generators, value by value, and under actions, action by action.
pub(super) fn second_tables(
    second: Option<&dyn Coordinate>,
    generators: &Generators,
    group: &ActionGroup,
) -> (Vec<u16>, Vec<u16>) {
    let turns = generators.moves.iter().map(|&mv| (mv, Action::IDENTITY));
    let by_turn = images(second, turns);
    let size = by_turn.len() / generators.moves.len();
    let of_value = |value: usize| by_turn[value..].iter().step_by(size);
    let moves = (0..size).flat_map(of_value).copied().collect();
    let actions = group.actions().map(|action| (AxisMove::STILL, action));
    (moves, images(second, actions))
}

/// The images of all values of a coordinate under steps, each a move followed by an action: first those under the first
/// step. A missing coordinate has one value.
fn images(
    coordinate: Option<&dyn Coordinate>,
    steps: impl Iterator<Item = (AxisMove, Action)>,
) -> Vec<u16> {
    let steps: Vec<_> = steps.collect();
    let Some(coordinate) = coordinate else {
        return vec![0; steps.len()];
    };
    let pieces = coordinate.pieces();
    let values = 0..coordinate.size();
    let cubes: Vec<Cube> = values.map(|value| coordinate.unrank(value)).collect();
    let images = steps.into_par_iter().flat_map_iter(|(mv, action)| {
        cubes.iter().map(move |cube| {
            let moved = cube.moved(mv);
            coordinate.rank(&moved.transformed_in(action, pieces)) as u16
        })
    });
    images.collect()
}
