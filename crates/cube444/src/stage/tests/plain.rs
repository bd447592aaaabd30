//! Plain search on whole cubes, without tables and symmetries, for comparison. Uses nothing of a stage but its
//! move set and its coordinates.

use std::collections::{BTreeMap, HashMap};

use crate::coord::Coordinate;
use crate::cube::{Axis, AxisMove, Cube, Metric};
use crate::search::MoveSet;
use crate::stage::{Projection, StageSpec};

/// Values of coordinates.
pub(super) type Values = Vec<usize>;

/// The values of coordinates on a cube.
pub(super) fn values(coordinates: &[&dyn Coordinate], cube: &Cube) -> Values {
    let values = coordinates.iter().map(|coordinate| coordinate.rank(cube));
    values.collect()
}

/// The coordinates of a projection.
pub(super) fn projected(spec: &StageSpec, projection: Projection) -> Vec<&dyn Coordinate> {
    let first = spec.first.coordinate();
    let (first, second) = match projection {
        Projection::Whole => (first, spec.second.as_deref()),
        Projection::First => (first, None),
        Projection::Second => (None, spec.second.as_deref()),
    };
    let raw = first.into_iter().chain(second);
    std::iter::once(&*spec.symmetry).chain(raw).collect()
}

/// A cube at every position that the moves of the next stage reach from the solved cube.
pub(super) fn goals(coordinates: &[&dyn Coordinate], next: &MoveSet) -> HashMap<Values, Cube> {
    let solved = Cube::solved();
    let mut goals = HashMap::from([(values(coordinates, &solved), solved)]);
    let mut waiting = vec![solved];
    while let Some(cube) = waiting.pop() {
        for mv in next.moves() {
            let moved = cube.moved(mv);
            if goals.insert(values(coordinates, &moved), moved).is_none() {
                waiting.push(moved);
            }
        }
    }
    goals
}

/// An allowed move of every pattern with its cost, and the allowed rotations of the whole cube with cost 0.
fn weighted_moves(move_set: &MoveSet, metric: Metric) -> Vec<(AxisMove, u8)> {
    let rotations = move_set.moves().filter(|mv| mv.pattern() == 0);
    let patterns = Axis::ALL
        .into_iter()
        .flat_map(|axis| move_set.realizations(axis, metric));
    let turns = patterns.flatten().filter(|(mv, _)| mv.pattern() != 0);
    rotations.map(|mv| (mv, 0)).chain(turns).collect()
}

/// A cube at every reachable position, and its distance from the goal; `None` if there are more than `most`.
pub(super) fn distances(
    coordinates: &[&dyn Coordinate],
    move_set: &MoveSet,
    next: &MoveSet,
    metric: Metric,
    most: usize,
) -> Option<HashMap<Values, (Cube, u8)>> {
    let moves = weighted_moves(move_set, metric);
    let goals = goals(coordinates, next).into_values().collect();
    let mut waiting: BTreeMap<u8, Vec<Cube>> = BTreeMap::from([(0, goals)]);
    let mut distances = HashMap::new();
    while let Some((distance, cubes)) = waiting.pop_first() {
        let mut same = cubes;
        while let Some(cube) = same.pop() {
            let position = values(coordinates, &cube);
            if distances.contains_key(&position) {
                continue;
            }
            distances.insert(position, (cube, distance));
            if distances.len() > most {
                return None;
            }
            for &(mv, cost) in &moves {
                let moved = cube.moved(mv);
                if !distances.contains_key(&values(coordinates, &moved)) {
                    match cost {
                        0 => same.push(moved),
                        _ => waiting.entry(distance + cost).or_default().push(moved),
                    }
                }
            }
        }
    }
    Some(distances)
}
