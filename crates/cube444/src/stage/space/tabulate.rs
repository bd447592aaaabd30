//! Computing move tables.

use rayon::prelude::*;

use crate::coord::{ActionGroup, ClassAction, Classes, Coordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::stage::generators::Generators;
use crate::stage::spec::{Raw, StageSpec};
use crate::table::Images;

/// The images of the first raw coordinate, row by row; see [`Images`].
pub(super) enum ImageTable {
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

    pub(super) fn row(&self, row: usize, length: usize) -> Images<'_> {
        match self {
            ImageTable::Bytes(images) => Images::Bytes(&images[row * length..][..length]),
            ImageTable::Words(images) => Images::Words(&images[row * length..][..length]),
        }
    }

    pub(super) fn words(&self) -> Vec<u16> {
        match self {
            ImageTable::Bytes(images) => images.iter().map(|&image| u16::from(image)).collect(),
            ImageTable::Words(images) => images.clone(),
        }
    }
}

pub(super) fn class_moves(
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

pub(super) fn keys(
    spec: &StageSpec,
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

pub(super) fn first_images(first: &Raw, generators: &Generators, group: &ActionGroup) -> Vec<u16> {
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

pub(super) fn second_tables(
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
