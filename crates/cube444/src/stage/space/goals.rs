//! The goal of a stage, and the rotations from it to the next stage.

use std::collections::{BTreeMap, HashMap};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cube::{Action, AxisMove, Cube, Symmetry};
use crate::declaration::DeclarationError;
use crate::stage::spec::StageSpec;

use super::check::within;
use super::{Position, Space};

/// The number of turns of the random walk on which a goal is checked.
const TURNS: usize = 100;

/// The values of all coordinates of a stage in order, not reduced by symmetry.
type RawPosition = Vec<usize>;

const UNSETTLED: &str = "none of its rotations brings the image of a goal, under a symmetry or a rotation of the whole \
                         cube, to the orientation of the next stage";

/// The maximum number of positions that the turns of the next stage reach. Limits memory.
const MAX_REACHED: usize = 1 << 18;

impl Space {
    /// Collects the images, under the symmetries of the stage, of the positions that the turns of the next stage
    /// reach from the solved cube. See the field `goals` for the result.
    pub(super) fn derived_goals(&self) -> Result<BTreeMap<u64, Vec<Symmetry>>, DeclarationError> {
        let spec = &self.spec;
        let turns: Vec<AxisMove> = self.next.moves().collect();
        let base = reached(&turns, spec)?;
        let is_settled = |cube: &Cube| base.contains_key(&raw_position(spec, cube));
        // The turns of the next stage may lead out of the goal if the image of a coordinate depends on the rest of
        // the cube, or because of the condition. Checked on a random walk, always from the same seed.
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut cube = Cube::solved();
        for _ in 0..TURNS {
            cube = cube.moved(turns[rng.random_range(0..turns.len())]);
            if !is_settled(&cube) || spec.condition.is_some_and(|holds| !holds(&cube)) {
                return Err("turns of the next stage lead out of its goal".into());
            }
        }
        // A cube at each goal.
        let mut goals = HashMap::new();
        for cube in base.values() {
            for rotation in &spec.rotations {
                let before = cube.transformed(Action::turning(rotation.inverse()));
                let actions = self.group.actions();
                let images = actions.map(|action| before.transformed(action));
                goals.extend(images.map(|image| (raw_position(spec, &image), image)));
            }
        }
        // Allowed rotations of the whole cube cost nothing, so they must lead from goals to goals.
        for rotation in spec.move_set.rotations() {
            let turn = Action::turning(rotation);
            let mut turned = goals.values().map(|cube| cube.transformed(turn));
            if !turned.all(|cube| goals.contains_key(&raw_position(spec, &cube))) {
                return Err(UNSETTLED.into());
            }
        }
        let rotation_of = |cube: &Cube| -> Result<Symmetry, DeclarationError> {
            let settles =
                |&rotation: &Symmetry| is_settled(&cube.transformed(Action::turning(rotation)));
            let rotation = spec.rotations.iter().copied().find(settles);
            Ok(rotation.ok_or(UNSETTLED)?)
        };
        let positions = goals.values().map(|cube| (self.position(cube), cube));
        let representatives = positions.filter(|(position, _)| position.symmetry.action() == 0);
        let with_rotations = |(position, cube): (Position, &Cube)| {
            let actions = self.group.actions();
            let images = actions.map(|action| cube.transformed(action.inverse()));
            let rotations = images.map(|image| rotation_of(&image));
            Ok((self.key(&position), rotations.collect::<Result<_, _>>()?))
        };
        let by_key = representatives.map(with_rotations);
        let by_key = by_key.collect::<Result<_, DeclarationError>>()?;
        let (found, expected) = (goals.len(), spec.expected.goals);
        if found != expected {
            let fault =
                format!("the goal has {found} positions; the declaration expects {expected}");
            return Err(fault.into());
        }
        Ok(by_key)
    }
}

/// The values of all coordinates.
fn raw_position(spec: &StageSpec, cube: &Cube) -> RawPosition {
    let ranks = spec.coordinates().map(|coordinate| coordinate.rank(cube));
    ranks.collect()
}

/// The positions that turns reach from the solved cube, with a cube at each.
fn reached(
    turns: &[AxisMove],
    spec: &StageSpec,
) -> Result<BTreeMap<RawPosition, Cube>, DeclarationError> {
    let mut reached = BTreeMap::from([(raw_position(spec, &Cube::solved()), Cube::solved())]);
    let mut waiting = vec![Cube::solved()];
    while let Some(cube) = waiting.pop() {
        within("the goal", reached.len(), MAX_REACHED)?;
        for &mv in turns {
            let moved = cube.moved(mv);
            let raw = raw_position(spec, &moved);
            reached.entry(raw).or_insert_with(|| {
                waiting.push(moved);
                moved
            });
        }
    }
    Ok(reached)
}
