//! Checks of a stage's declaration, before anything is tabulated from it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::coord::classes::MOST_CLASSES;
use crate::coord::{ActionGroup, Classes, Coordinate, DependentCoordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::stage::generators::Generators;
use crate::stage::spec::{Raw, StageSpec};

use super::error::StageError;

/// The most values of a raw coordinate.
const MOST_RAW_VALUES: usize = 1 << 16;
/// Turns of the walk on which coordinates are tried.
const TRIES: usize = 100;
/// How many trials there are between turns, on average.
const STEPS: usize = 3;

/// Checks that coordinates have the sizes that they may have, number their values, and move by
/// themselves. The latter is tried on a walk through the stage with turns drawn at random, and on
/// values drawn at random; the same ones every time.
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
            what: format!("the key of coordinate {}", dependent.name()),
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
            trial.forgets_the_rest(coordinate, &cube)?;
            trial.is_undone(coordinate, rng.random_range(0..coordinate.size()))?;
        }
        if let Some(dependent) = dependent {
            trial.follows_its_key(dependent, &*spec.symmetry, &cube)?;
        }
        if rng.random_range(0..STEPS) == 0 {
            cube = cube.moved(generators.moves()[rng.random_range(0..generators.len())]);
        }
    }
    Ok(())
}

/// The coordinates that move on their own.
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
        what: format!("coordinate {}", coordinate.name()),
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
type Step = (AxisMove, Action);

/// A turn and a symmetry action to try coordinates with.
struct Trial {
    stage: &'static str,
    mv: AxisMove,
    action: Action,
}

impl Trial {
    /// What to do, what undoes it, and what to call it.
    fn steps(&self) -> [(Step, Step, &'static str); 2] {
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
            coordinate: coordinate.name(),
            by,
        }
    }

    /// A cube with a value and else nothing, which must have that value.
    fn written(&self, coordinate: &dyn Coordinate, value: usize) -> Result<Cube, StageError> {
        let wrong = |found| StageError::NotANumbering {
            stage: self.stage,
            coordinate: coordinate.name(),
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

    /// A coordinate must move alike on two cubes of the same value.
    fn forgets_the_rest(&self, coordinate: &dyn Coordinate, cube: &Cube) -> Result<(), StageError> {
        let plain = self.written(coordinate, coordinate.rank(cube))?;
        for (step, _, by) in self.steps() {
            if value_after(coordinate, &plain, step) != value_after(coordinate, cube, step) {
                return Err(self.not_closed(coordinate, by));
            }
        }
        Ok(())
    }

    /// What is done to a value must be undone by the inverse, whether or not the value occurs.
    fn is_undone(&self, coordinate: &dyn Coordinate, value: usize) -> Result<(), StageError> {
        let plain = self.written(coordinate, value)?;
        for (step, undoing, by) in self.steps() {
            let there = value_after(coordinate, &plain, step);
            let is_undone = there < coordinate.size()
                && value_after(coordinate, &coordinate.unrank(there), undoing) == value;
            if !is_undone {
                return Err(self.not_closed(coordinate, by));
            }
        }
        Ok(())
    }

    /// A dependent coordinate must move as its key says, with the key taken from a cube that has
    /// but the symmetry coordinate in common.
    fn follows_its_key(
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
