//! Checks of the coordinates of a stage.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::coord::{ActionGroup, Coordinate, DependentCoordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::search::turns::Generators;
use crate::stage::spec::{Raw, StageSpec};

use super::error::StageProblem;

/// The maximum number of values of a raw coordinate.
const MAX_RAW_VALUES: usize = 1 << 16;
/// The expected number of turns of the random walk on which coordinates are checked.
const TRIES: usize = 100;
/// The expected number of trials between turns.
const STEPS: usize = 3;

/// Checks the sizes of the coordinates, that they number their values, and that the image of a value under a
/// turn or a symmetry depends on nothing else. The last two are checked on a random walk and on random
/// values, always from the same seed.
pub(super) fn check_coordinates(
    spec: &StageSpec,
    generators: &Generators,
    group: &ActionGroup,
) -> Result<(), StageProblem> {
    let mut raw = spec.coordinates().skip(1);
    if let Some(coordinate) = raw.find(|coordinate| coordinate.size() > MAX_RAW_VALUES) {
        let what = format!("coordinate {coordinate:?}");
        return Err(too_large(what, coordinate.size(), MAX_RAW_VALUES));
    }
    let dependent = match &spec.first {
        Raw::Dependent(dependent) => Some(&**dependent),
        _ => None,
    };
    if let Some(dependent) = dependent.filter(|dependent| dependent.keys() > MAX_RAW_VALUES) {
        let what = format!("the key of coordinate {dependent:?}");
        return Err(too_large(what, dependent.keys(), MAX_RAW_VALUES));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut cube = Cube::solved();
    for _ in 0..TRIES * STEPS {
        let mv = generators.moves[rng.random_range(0..generators.moves.len())];
        let action = group.action(rng.random_range(0..group.len()));
        let steps = [
            (mv, Action::IDENTITY, "a turn"),
            (AxisMove::STILL, action, "a symmetry"),
        ];
        for (index, coordinate) in spec.coordinates().enumerate() {
            // A dependent coordinate is the second of them.
            if index != 1 || dependent.is_none() {
                let value = rng.random_range(0..coordinate.size());
                check_independent(&steps, coordinate, &cube, value)?;
            }
        }
        if let Some(dependent) = dependent {
            check_dependent(&steps, dependent, &*spec.symmetry, &cube)?;
        }
        if rng.random_range(0..STEPS) == 0 {
            cube = cube.moved(generators.moves[rng.random_range(0..generators.moves.len())]);
        }
    }
    Ok(())
}

pub(super) fn too_large(what: String, size: usize, limit: usize) -> StageProblem {
    StageProblem::TooLarge {
        what,
        size: size as u64,
        limit: limit as u64,
    }
}

/// A turn, then a symmetry action, to try coordinates with, and what to call them. One of them does nothing.
type CheckedStep = (AxisMove, Action, &'static str);

/// The value of a cube after a step.
fn value_after(coordinate: &dyn Coordinate, cube: &Cube, (mv, action, _): CheckedStep) -> usize {
    coordinate.rank(&cube.moved(mv).transformed(action))
}

fn not_closed(coordinate: &dyn Coordinate, (.., by): CheckedStep) -> StageProblem {
    StageProblem::NotClosed {
        coordinate: format!("{coordinate:?}"),
        by,
    }
}

/// A cube on which a value has been written, checked to have that value.
fn written(coordinate: &dyn Coordinate, value: usize) -> Result<Cube, StageProblem> {
    let size = coordinate.size();
    let cube = (value < size).then(|| coordinate.unrank(value));
    let found = cube.map_or(value, |cube| coordinate.rank(&cube));
    cube.filter(|_| found == value)
        .ok_or_else(|| StageProblem::NotANumbering {
            coordinate: format!("{coordinate:?}"),
            found,
            expected: value,
            size,
        })
}

/// Checks that a step has the same image on two cubes with the same value, and that its inverse maps the image
/// of another value back, even of an unreachable one.
fn check_independent(
    steps: &[CheckedStep],
    coordinate: &dyn Coordinate,
    cube: &Cube,
    value: usize,
) -> Result<(), StageProblem> {
    let like_cube = written(coordinate, coordinate.rank(cube))?;
    let of_value = written(coordinate, value)?;
    for &step in steps {
        let (mv, action, name) = step;
        let inverse = (mv.inverse(), action.inverse(), name);
        let image = value_after(coordinate, &of_value, step);
        let is_closed = value_after(coordinate, &like_cube, step)
            == value_after(coordinate, cube, step)
            && image < coordinate.size()
            && value_after(coordinate, &coordinate.unrank(image), inverse) == value;
        if !is_closed {
            return Err(not_closed(coordinate, step));
        }
    }
    Ok(())
}

/// Checks that the image of a dependent coordinate follows from its key. The key is computed from a cube that
/// shares only the symmetry coordinate.
fn check_dependent(
    steps: &[CheckedStep],
    dependent: &dyn DependentCoordinate,
    symmetry: &dyn Coordinate,
    cube: &Cube,
) -> Result<(), StageProblem> {
    let value = dependent.rank(cube);
    if value >= dependent.size() {
        written(dependent, value)?;
    }
    let plain = written(symmetry, symmetry.rank(cube))?;
    for &step in steps {
        let (mv, action, _) = step;
        let key = dependent.key(&plain, mv, action);
        let after = value_after(dependent, cube, step);
        if key >= dependent.keys() || dependent.image(key, value) != after {
            return Err(not_closed(dependent, step));
        }
    }
    Ok(())
}
