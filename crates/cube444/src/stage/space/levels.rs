//! Breadth-first search from the goal, distance by distance.

use rustc_hash::FxHashMap;

use crate::table::distances;

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
        let greatest_cost = space.generators.costs.iter().max();
        let greatest_cost = greatest_cost.map_or(1, |&cost| usize::from(cost));
        let mut count = 0;
        for distance in 0.. {
            levels.resize_with(distance + 1 + greatest_cost, Vec::new);
            // Remove positions that have been reached at a lower cost since.
            let mut level = std::mem::take(&mut levels[distance]);
            level.retain(|position| usize::from(distances[&space.key(position)]) == distance);
            count += level.len();
            let is_complete = |levels: &[Vec<Position>]| {
                distance == usize::from(radius) || count + levels[distance + 1].len() > most
            };
            for position in &level {
                if is_complete(&levels) {
                    break;
                }
                let neighbours = space.neighbours(position);
                for (generator, &cost) in (0..).zip(&space.generators.costs) {
                    let reached = distance as u8 + cost;
                    let child = neighbours.child(generator);
                    // All images of a position are inserted together.
                    let held = distances.get(&space.key(&child));
                    if held.is_some_and(|&held| held <= reached) {
                        continue;
                    }
                    for image in space.images(&child) {
                        if distances.insert(space.key(&image), reached) != Some(reached) {
                            levels[usize::from(reached)].push(image);
                        }
                    }
                }
            }
            levels[distance] = level;
            if is_complete(&levels) || levels[distance + 1..].iter().all(Vec::is_empty) {
                levels.truncate(distance + 1);
                break;
            }
        }
        Levels { levels, distances }
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
        let goals = self.goals().iter().map(Position::class);
        distances(self.classes.count(), goals, |class| {
            let costs = self.generators.costs.iter().enumerate();
            costs.map(move |(generator, &cost)| (self.class_move(class, generator).class(), cost))
        })
    }
}
