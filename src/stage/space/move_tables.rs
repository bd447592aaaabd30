//! Tabulating what generators and symmetries do to a stage's coordinates.

use rayon::prelude::*;

use crate::coord::centers::CenterPairing;
use crate::coord::{ActionGroup, ClassSym, Classes};
use crate::cube::{AxisMove, Cube};

use super::super::generators::Generators;
use super::super::spec::{FirstRest, StageSpec};

/// For each class and generator, the class and action after the generator.
pub(super) fn lead_moves(
    spec: &StageSpec,
    classes: &Classes,
    generators: &Generators,
) -> Vec<ClassSym> {
    (0..classes.count())
        .into_par_iter()
        .flat_map_iter(|class| {
            let cube = spec.lead.unrank(classes.representative(class));
            let moves = generators.moves().iter();
            moves.map(move |&mv| classes.of(spec.lead.rank(&cube.moved_in(mv, spec.lead.pieces()))))
        })
        .collect()
}

/// For each class and generator, how the generator and the action after it reorder the lead's centers.
pub(super) fn reorderings(
    spec: &StageSpec,
    pairing: &CenterPairing,
    classes: &Classes,
    generators: &Generators,
    group: &ActionGroup,
    lead_moves: &[ClassSym],
) -> Vec<u16> {
    (0..classes.count())
        .into_par_iter()
        .flat_map_iter(|class| {
            let cube = spec.lead.unrank(classes.representative(class));
            let after = &lead_moves[class * generators.len()..];
            generators
                .moves()
                .iter()
                .zip(after)
                .map(move |(&mv, after)| {
                    pairing.reordering(&cube, mv, group.action(after.sym())) as u16
                })
        })
        .collect()
}

/// What becomes of the first coordinate, by key and value; see the field of the same name.
pub(super) fn first_images(
    spec: &StageSpec,
    generators: &Generators,
    group: &ActionGroup,
) -> Vec<u8> {
    match &spec.first {
        FirstRest::Nothing => vec![0; (generators.len() + 1) * group.len()],
        FirstRest::PairingOfLead(_) => CenterPairing::reordered().to_vec(),
        FirstRest::Free(coordinate) => generators
            .moves()
            .iter()
            .copied()
            .chain([AxisMove::STILL])
            .flat_map(|mv| group.actions().map(move |action| (mv, action)))
            .flat_map(|(mv, action)| {
                (0..coordinate.size()).map(move |value| {
                    coordinate.rank(&coordinate.unrank(value).moved(mv).transformed(action)) as u8
                })
            })
            .collect(),
    }
}

/// What becomes of the second coordinate under each generator, and under each action.
pub(super) fn second_tables(
    spec: &StageSpec,
    generators: &Generators,
    group: &ActionGroup,
) -> (Vec<u16>, Vec<u16>) {
    let coordinate = &*spec.second;
    let moves = (0..coordinate.size())
        .into_par_iter()
        .flat_map_iter(|value| {
            let cube = coordinate.unrank(value);
            generators
                .moves()
                .iter()
                .map(move |&mv| coordinate.rank(&cube.moved_in(mv, coordinate.pieces())) as u16)
        })
        .collect();
    let cubes: Vec<Cube> = (0..coordinate.size())
        .map(|value| coordinate.unrank(value))
        .collect();
    let syms = (0..group.len())
        .into_par_iter()
        .flat_map_iter(|sym| {
            let action = group.action(sym);
            cubes.iter().map(move |cube| {
                coordinate.rank(&cube.transformed_in(action, coordinate.pieces())) as u16
            })
        })
        .collect();
    (moves, syms)
}
