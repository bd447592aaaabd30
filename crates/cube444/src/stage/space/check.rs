//! Checks of the coordinates of a stage.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::coord::classes::MOST_CLASSES;
use crate::coord::{ActionGroup, Classes, Coordinate, DependentCoordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::stage::generators::Generators;
use crate::stage::spec::{Raw, StageSpec};

use super::error::StageError;

/// The greatest number of values of a raw coordinate.
const MOST_RAW_VALUES: usize = 1 << 16;
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
) -> Result<(), StageError> {
    let stage = spec.name;
    let mut raw = spec.coordinates().skip(1);
    if let Some(coordinate) = raw.find(|coordinate| coordinate.size() > MOST_RAW_VALUES) {
        return Err(too_large(stage, coordinate, MOST_RAW_VALUES));
    }
    let dependent = match &spec.first {
        Raw::Dependent(dependent) => Some(&**dependent),
        _ => None,
    };
    if let Some(dependent) = dependent.filter(|dependent| dependent.keys() > MOST_RAW_VALUES) {
        return Err(StageError::TooLarge {
            stage,
            what: format!("the key of coordinate {dependent:?}"),
            size: dependent.keys() as u64,
            limit: MOST_RAW_VALUES as u64,
        });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut cube = Cube::solved();
    for _ in 0..TRIES * STEPS {
        let mv = generators.moves()[rng.random_range(0..generators.len())];
        let action = group.action(rng.random_range(0..group.len()));
        let trial = Trial { stage, mv, action };
        for coordinate in independent(spec) {
            trial.check_closed(coordinate, &cube)?;
            trial.check_inverse(coordinate, rng.random_range(0..coordinate.size()))?;
        }
        if let Some(dependent) = dependent {
            trial.check_key(dependent, &*spec.symmetry, &cube)?;
        }
        if rng.random_range(0..STEPS) == 0 {
            cube = cube.moved(generators.moves()[rng.random_range(0..generators.len())]);
        }
    }
    Ok(())
}

/// The coordinates whose moves depend on their values alone.
fn independent(spec: &StageSpec) -> impl Iterator<Item = &dyn Coordinate> {
    let first = match &spec.first {
        Raw::Independent(first) => Some(&**first),
        Raw::None | Raw::Dependent(_) => None,
    };
    let raw = first.into_iter().chain(spec.second.as_deref());
    std::iter::once(&*spec.symmetry).chain(raw)
}

fn too_large(stage: &'static str, coordinate: &dyn Coordinate, limit: usize) -> StageError {
    StageError::TooLarge {
        stage,
        what: format!("coordinate {coordinate:?}"),
        size: coordinate.size() as u64,
        limit: limit as u64,
    }
}

/// The classes of the symmetry coordinate.
pub(super) fn symmetry_classes(
    spec: &StageSpec,
    group: &ActionGroup,
) -> Result<Classes, StageError> {
    let coordinate = &*spec.symmetry;
    let too_large = |_| too_large(spec.name, coordinate, MOST_CLASSES * group.len());
    Classes::new(coordinate, group).map_err(too_large)
}

/// A turn, then an action.
type CheckedStep = (AxisMove, Action);

/// A turn and a symmetry action to try coordinates with.
struct Trial {
    stage: &'static str,
    mv: AxisMove,
    action: Action,
}

impl Trial {
    /// The steps to check, each with its inverse and its name.
    fn steps(&self) -> [(CheckedStep, CheckedStep, &'static str); 2] {
        let undoing = self.action.inverse();
        let turn = |mv| (mv, Action::IDENTITY);
        let carry = |action| (AxisMove::STILL, action);
        [
            (turn(self.mv), turn(self.mv.inverse()), "a turn"),
            (carry(self.action), carry(undoing), "a symmetry"),
        ]
    }

    fn not_closed(&self, coordinate: &dyn Coordinate, by: &'static str) -> StageError {
        StageError::NotClosed {
            stage: self.stage,
            coordinate: format!("{coordinate:?}"),
            by,
        }
    }

    /// A cube on which a value has been written, checked to have that value.
    fn written(&self, coordinate: &dyn Coordinate, value: usize) -> Result<Cube, StageError> {
        let wrong = |found| StageError::NotANumbering {
            stage: self.stage,
            coordinate: format!("{coordinate:?}"),
            found,
            expected: value,
            size: coordinate.size(),
        };
        if value >= coordinate.size() {
            return Err(wrong(value));
        }
        let plain = coordinate.unrank(value);
        match coordinate.rank(&plain) {
            found if found == value => Ok(plain),
            found => Err(wrong(found)),
        }
    }

    /// Checks that two cubes with the same value have the same image.
    fn check_closed(&self, coordinate: &dyn Coordinate, cube: &Cube) -> Result<(), StageError> {
        let plain = self.written(coordinate, coordinate.rank(cube))?;
        for (step, _, by) in self.steps() {
            if value_after(coordinate, &plain, step) != value_after(coordinate, cube, step) {
                return Err(self.not_closed(coordinate, by));
            }
        }
        Ok(())
    }

    /// Checks that the inverse of a step maps the image of a value back, even of an unreachable value.
    fn check_inverse(&self, coordinate: &dyn Coordinate, value: usize) -> Result<(), StageError> {
        let plain = self.written(coordinate, value)?;
        for (step, undoing, by) in self.steps() {
            let image = value_after(coordinate, &plain, step);
            let is_undone = image < coordinate.size()
                && value_after(coordinate, &coordinate.unrank(image), undoing) == value;
            if !is_undone {
                return Err(self.not_closed(coordinate, by));
            }
        }
        Ok(())
    }

    /// Checks that the image of a dependent coordinate follows from its key. The key is computed from a
    /// cube that shares only the symmetry coordinate.
    fn check_key(
        &self,
        dependent: &dyn DependentCoordinate,
        symmetry: &dyn Coordinate,
        cube: &Cube,
    ) -> Result<(), StageError> {
        let value = dependent.rank(cube);
        if value >= dependent.size() {
            self.written(dependent, value)?;
        }
        let plain = self.written(symmetry, symmetry.rank(cube))?;
        for ((mv, action), _, by) in self.steps() {
            let key = dependent.key(&plain, mv, action);
            let after = value_after(dependent, cube, (mv, action));
            if key >= dependent.keys() || dependent.image(key, value) != after {
                return Err(self.not_closed(dependent, by));
            }
        }
        Ok(())
    }
}

/// The value of a cube after a turn and an action.
fn value_after(
    coordinate: &dyn Coordinate,
    cube: &Cube,
    (mv, action): (AxisMove, Action),
) -> usize {
    coordinate.rank(&cube.moved(mv).transformed(action))
}
