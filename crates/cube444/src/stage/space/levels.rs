//! Breadth-first search from the goal, distance by distance.

use rustc_hash::FxHashMap;

use super::{Position, Space};

/// The positions near the goal, up to symmetry.
pub(crate) struct Levels {
    /// The positions at each distance from 0 to the radius, each with its images under the stabiliser of its class.
    pub(crate) levels: Vec<Vec<Position>>,
    /// The distances by key; see [`Space::key`]. A greater one than the radius may exceed the least one.
    pub(crate) distances: FxHashMap<u64, u8>,
}

impl Levels {
    /// The positions up to a distance, or to the greatest one with at most `most` positions.
    pub(crate) fn new(space: &Space, radius: u8, most: usize) -> Levels {
        let goals = space.goals().to_vec();
        let mut distances: FxHashMap<u64, u8> = FxHashMap::default();
        distances.extend(goals.iter().map(|goal| (space.key(goal), 0)));
        let mut levels = vec![goals];
        let (mut distance, mut count) = (0, 0);
        loop {
            // Remove positions that have been reached at a lower cost since.
            let mut level = std::mem::take(&mut levels[usize::from(distance)]);
            level.retain(|position| distances[&space.key(position)] == distance);
            count += level.len();
            let mut next = levels.get(usize::from(distance) + 1).map_or(0, Vec::len);
            for position in &level {
                if distance == radius || count + next > most {
                    break;
                }
                let neighbours = space.neighbours(position);
                for (generator, cost) in (0..).zip(space.generators.costs()) {
                    let reached = distance + cost;
                    let child = neighbours.child(generator);
                    // All images of a position are inserted together.
                    let held = distances.get(&space.key(&child));
                    if held.is_some_and(|&held| held <= reached) {
                        continue;
                    }
                    if levels.len() <= usize::from(reached) {
                        levels.resize_with(usize::from(reached) + 1, Vec::new);
                    }
                    for image in space.images(&child) {
                        if distances.insert(space.key(&image), reached) != Some(reached) {
                            levels[usize::from(reached)].push(image);
                        }
                    }
                }
                next = levels.get(usize::from(distance) + 1).map_or(0, Vec::len);
            }
            levels[usize::from(distance)] = level;
            let is_last = levels[usize::from(distance) + 1..]
                .iter()
                .all(Vec::is_empty);
            if is_last || distance == radius || count + next > most {
                levels.truncate(usize::from(distance) + 1);
                return Levels { levels, distances };
            }
            distance += 1;
        }
    }

    /// The greatest distance of the positions.
    pub(crate) fn radius(&self) -> u8 {
        self.levels.len() as u8 - 1
    }
}

impl Space {
    /// Calls `take` with each position one generator away from another, at its representative, and with its images.
    pub(crate) fn for_each_neighbour(&self, position: &Position, mut take: impl FnMut(Position)) {
        let neighbours = self.neighbours(position);
        for generator in 0..self.generators.len() {
            let child = neighbours.child(generator as u8);
            if self.classes.stabiliser(child.class()).is_empty() {
                take(child.canonical());
            } else {
                self.images(&child).for_each(&mut take);
            }
        }
    }

    /// For each class of the symmetry coordinate, the least cost to the class of a goal: a lower bound of the
    /// distance of each of its positions. The table is small enough for the processor's caches.
    pub(in crate::stage) fn class_distances(&self) -> Vec<u8> {
        let mut distances = vec![u8::MAX; self.classes.count()];
        // The classes reached at each cost.
        let mut levels: Vec<Vec<usize>> = vec![self.goals().iter().map(Position::class).collect()];
        let mut distance = 0;
        while distance < levels.len() {
            for class in std::mem::take(&mut levels[distance]) {
                if usize::from(distances[class]) <= distance {
                    continue;
                }
                distances[class] = distance as u8;
                for (generator, &cost) in self.generators.costs().iter().enumerate() {
                    let next = distance + usize::from(cost);
                    if levels.len() <= next {
                        levels.resize_with(next + 1, Vec::new);
                    }
                    let reached = self.class_move(class, generator).class();
                    if usize::from(distances[reached]) > next {
                        levels[next].push(reached);
                    }
                }
            }
            distance += 1;
        }
        distances
    }
}
