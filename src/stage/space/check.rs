//! Checks of a stage's declaration, before anything is tabulated from it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::coord::{ActionGroup, Classes, Coordinate, DependentCoordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::stage::generators::Generators;
use crate::stage::spec::{ComponentSpec, MOST_COMPONENTS, Raw, StageSpec};

use super::error::StageError;

/// The most values of a raw coordinate.
const MOST_RAW_VALUES: usize = 1 << 16;
/// The most classes: an action's number shares 32 bits with the class' number.
const MOST_CLASSES: usize = (1 << 24) - 1;
/// Cubes on which coordinates are tried. One that is not closed betrays itself on nearly each.
const TRIES: usize = 100;
/// Turns and symmetries that each cube is tried with.
const STEPS: usize = 3;

/// Checks that coordinates have the sizes that they may have, number their values, and move by
/// themselves. The latter is tried on a walk through the stage with turns drawn at random, the
/// same ones every time.
pub(super) fn check_coordinates(
    spec: &StageSpec,
    generators: &Generators,
    group: &ActionGroup,
) -> Result<(), StageError> {
    let stage = spec.name;
    if !(1..=MOST_COMPONENTS).contains(&spec.components.len()) {
        return Err(StageError::Components {
            stage,
            found: spec.components.len(),
            limit: MOST_COMPONENTS,
        });
    }
    for component in &spec.components {
        let raw = component.coordinates().skip(1);
        for coordinate in raw.filter(|coordinate| coordinate.size() > MOST_RAW_VALUES) {
            return Err(too_large(stage, coordinate, MOST_RAW_VALUES));
        }
        let dependent = match &component.first {
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
        for _ in 0..TRIES {
            let mut step = || {
                let mv = generators.moves()[rng.random_range(0..generators.len())];
                (mv, group.action(rng.random_range(0..group.len())))
            };
            for _ in 0..STEPS {
                let (mv, action) = step();
                let trial = Trial {
                    stage,
                    cube: &cube,
                    mv,
                    action,
                };
                trial.independent(&*component.symmetry)?;
                if let Some(second) = &component.second {
                    trial.independent(&**second)?;
                }
                match &component.first {
                    Raw::None => {}
                    Raw::Independent(first) => trial.independent(&**first)?,
                    Raw::Dependent(first) => trial.dependent(&*component.symmetry, &**first)?,
                }
            }
            cube = cube.moved(step().0);
        }
    }
    Ok(())
}

fn too_large(stage: &'static str, coordinate: &dyn Coordinate, limit: usize) -> StageError {
    StageError::TooLarge {
        stage,
        what: format!("coordinate {}", coordinate.name()),
        size: coordinate.size() as u64,
        limit: limit as u64,
    }
}

/// The classes of a component's symmetry coordinate.
pub(super) fn symmetry_classes(
    stage: &'static str,
    component: &ComponentSpec,
    group: &ActionGroup,
) -> Result<Classes, StageError> {
    let coordinate = &*component.symmetry;
    // Each class has at most as many values as there are actions.
    if coordinate.size().div_ceil(group.len()) > MOST_CLASSES {
        return Err(too_large(stage, coordinate, MOST_CLASSES * group.len()));
    }
    let classes = Classes::new(coordinate, group);
    if classes.count() > MOST_CLASSES {
        return Err(too_large(stage, coordinate, MOST_CLASSES));
    }
    Ok(classes)
}

/// A cube with a turn and a symmetry action to try.
struct Trial<'a> {
    stage: &'static str,
    cube: &'a Cube,
    mv: AxisMove,
    action: Action,
}

impl Trial<'_> {
    /// The value of the cube, and a cube that has only that in common with it.
    fn written(&self, coordinate: &dyn Coordinate) -> Result<(usize, Cube), StageError> {
        let wrong = |found, expected| StageError::NotANumbering {
            stage: self.stage,
            coordinate: coordinate.name(),
            found,
            expected,
            size: coordinate.size(),
        };
        let value = coordinate.rank(self.cube);
        if value >= coordinate.size() {
            return Err(wrong(value, value));
        }
        let plain = coordinate.unrank(value);
        match coordinate.rank(&plain) {
            found if found == value => Ok((value, plain)),
            found => Err(wrong(found, value)),
        }
    }

    fn not_closed(&self, coordinate: &dyn Coordinate, by: &'static str) -> StageError {
        StageError::NotClosed {
            stage: self.stage,
            coordinate: coordinate.name(),
            by,
        }
    }

    /// A coordinate that moves on its own must move alike on two cubes of the same value.
    fn independent(&self, coordinate: &dyn Coordinate) -> Result<(), StageError> {
        let (_, plain) = self.written(coordinate)?;
        let moved = |cube: &Cube| coordinate.rank(&cube.moved(self.mv));
        if moved(&plain) != moved(self.cube) {
            return Err(self.not_closed(coordinate, "a turn"));
        }
        let carried = |cube: &Cube| coordinate.rank(&cube.transformed(self.action));
        if carried(&plain) != carried(self.cube) {
            return Err(self.not_closed(coordinate, "a symmetry"));
        }
        Ok(())
    }

    /// A dependent coordinate must move as its key says, with the key taken from another cube that
    /// has the symmetry coordinate in common.
    fn dependent(
        &self,
        symmetry: &dyn Coordinate,
        dependent: &dyn DependentCoordinate,
    ) -> Result<(), StageError> {
        let value = dependent.rank(self.cube);
        if value >= dependent.size() {
            self.written(dependent)?;
        }
        let (_, plain) = self.written(symmetry)?;
        for (mv, action, by) in [
            (self.mv, Action::IDENTITY, "a turn"),
            (AxisMove::STILL, self.action, "a symmetry"),
        ] {
            let key = dependent.key(&plain, mv, action);
            let image = self.cube.moved(mv).transformed(action);
            if key >= dependent.keys() || dependent.image(key, value) != dependent.rank(&image) {
                return Err(self.not_closed(dependent, by));
            }
        }
        Ok(())
    }
}
