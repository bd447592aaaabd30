//! Checks of the coordinates of a stage.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::coord::{ActionGroup, Coordinate, DependentCoordinate};
use crate::cube::{Action, AxisMove, Cube};
use crate::declaration::DeclarationError;
use crate::search::turns::Generators;
use crate::stage::spec::StageSpec;

/// The maximum number of values of a raw coordinate.
const MAX_RAW_VALUES: usize = 1 << 16;
/// The number of turns of the random walk on which coordinates are checked.
const TURNS: usize = 100;
/// The number of trials before each turn.
const TRIALS: usize = 3;

/// Checks the sizes of the coordinates, that they number their values, and that the image of a value under a
/// turn or a symmetry depends on nothing else. The last two are checked on a random walk and on random
/// values, always from the same seed.
pub(super) fn check_coordinates(
    spec: &StageSpec,
    generators: &Generators,
    group: &ActionGroup,
) -> Result<(), DeclarationError> {
    let dependent = spec.first.dependent();
    let raw = spec.coordinates().skip(1);
    let sizes = raw.map(|raw| (format!("coordinate {raw:?}"), raw.size()));
    let keys = dependent.map(|of| (format!("the key of coordinate {of:?}"), of.keys()));
    for (what, size) in sizes.chain(keys) {
        within(&what, size, MAX_RAW_VALUES)?;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut cube = Cube::solved();
    for trial in 1..=TURNS * TRIALS {
        let mv = generators.moves[rng.random_range(0..generators.moves.len())];
        let action = group.action(rng.random_range(0..group.len()));
        let steps = [
            (mv, Action::IDENTITY, "a turn"),
            (AxisMove::STILL, action, "a symmetry"),
        ];
        for (index, coordinate) in spec.coordinates().enumerate() {
            // A dependent coordinate is the second of them.
            let dependent = dependent.filter(|_| index == 1);
            // A coordinate without values is not a numbering.
            let value = rng.random_range(0..coordinate.size().max(1));
            for (mv, action, by) in steps {
                let is_closed = match dependent {
                    Some(dependent) => follows_from_key(dependent, spec, &cube, mv, action),
                    None => is_closed(coordinate, &cube, value, mv, action),
                };
                if !is_closed? {
                    let fault = format!(
                        "coordinate {coordinate:?} is not closed: the image of a value under {by} depends on the \
                         rest of the cube"
                    );
                    return Err(fault.into());
                }
            }
        }
        if trial % TRIALS == 0 {
            cube = cube.moved(generators.moves[rng.random_range(0..generators.moves.len())]);
        }
    }
    Ok(())
}

/// Checks the number of values of something that is tabulated.
pub(super) fn within(what: &str, size: usize, limit: usize) -> Result<(), DeclarationError> {
    match size <= limit {
        true => Ok(()),
        false => Err(format!("{what} has {size} values, more than {limit}").into()),
    }
}

/// A cube on which a value has been written, checked to have that value.
fn written(coordinate: &dyn Coordinate, value: usize) -> Result<Cube, DeclarationError> {
    let size = coordinate.size();
    let cube = (value < size).then(|| coordinate.unrank(value));
    let found = cube.map_or(value, |cube| coordinate.rank(&cube));
    cube.filter(|_| found == value).ok_or_else(|| {
        let fault = format!(
            "coordinate {coordinate:?} with {size} values has the value {found} after {value} was written"
        );
        fault.into()
    })
}

/// Whether a move, then an action, has the same image on two cubes with the same value, and its inverse maps the image
/// of another value back, even of an unreachable one. One of the move and the action does nothing.
fn is_closed(
    coordinate: &dyn Coordinate,
    cube: &Cube,
    value: usize,
    mv: AxisMove,
    action: Action,
) -> Result<bool, DeclarationError> {
    let like_cube = written(coordinate, coordinate.rank(cube))?;
    let of_value = written(coordinate, value)?;
    let after = |cube: &Cube| coordinate.rank(&cube.moved(mv).transformed(action));
    let before = |cube: Cube| cube.moved(mv.inverse()).transformed(action.inverse());
    let image = after(&of_value);
    Ok(after(&like_cube) == after(cube)
        && image < coordinate.size()
        && coordinate.rank(&before(coordinate.unrank(image))) == value)
}

/// Whether the image of a dependent coordinate under a move, then an action, follows from its key. The key is computed
/// from a cube that shares only the symmetry coordinate.
fn follows_from_key(
    dependent: &dyn DependentCoordinate,
    spec: &StageSpec,
    cube: &Cube,
    mv: AxisMove,
    action: Action,
) -> Result<bool, DeclarationError> {
    let value = dependent.rank(cube);
    if value >= dependent.size() {
        written(dependent, value)?;
    }
    let plain = written(&*spec.symmetry, spec.symmetry.rank(cube))?;
    let key = dependent.key(&plain, mv, action);
    let after = dependent.rank(&cube.moved(mv).transformed(action));
    Ok(key < dependent.keys() && dependent.image(key, value) == after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_be_as_large_as_their_limit() {
        assert!(within("it", 5, 5).is_ok());
        let error = within("it", 6, 5).unwrap_err().to_string();
        assert_eq!(error, "it has 6 values, more than 5");
    }
}
