//! Distances of classes.

use super::goals::Goals;
use super::move_tables::MoveTables;
use super::position::Position;

/// For each class of the symmetry coordinate, the least cost to the class of a goal: a lower bound of the
/// distance of each of its positions. The table is small enough for the processor's caches.
pub(super) fn class_distances(moves: &MoveTables, goals: &Goals) -> Vec<u8> {
    let mut distances = vec![u8::MAX; moves.classes.count()];
    // The classes reached at each cost.
    let mut levels: Vec<Vec<usize>> = vec![goals.positions().iter().map(Position::class).collect()];
    let mut distance = 0;
    while distance < levels.len() {
        for class in std::mem::take(&mut levels[distance]) {
            if usize::from(distances[class]) <= distance {
                continue;
            }
            distances[class] = distance as u8;
            for (generator, &cost) in moves.generators.costs().iter().enumerate() {
                let next = distance + usize::from(cost);
                let reached = moves.class_move(class, generator).class();
                if usize::from(distances[reached]) <= next {
                    continue;
                }
                if levels.len() <= next {
                    levels.resize_with(next + 1, Vec::new);
                }
                levels[next].push(reached);
            }
        }
        distance += 1;
    }
    distances
}
