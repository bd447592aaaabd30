//! Listing the positions near the goal of the first phase, distance by distance.

use rustc_hash::FxHashMap;

use crate::stage::{Position, Projection, Space};

/// The positions up to a distance from the goal, up to symmetry.
pub(super) struct SubgroupLevels {
    /// The positions by distance, each with its images under the stabiliser of its class.
    pub(super) levels: Vec<Vec<Position>>,
    /// The distances by entry.
    pub(super) distances: FxHashMap<u32, u8>,
}

/// The entry of a position in the whole table.
#[inline(always)]
pub(super) fn entry(space: &Space, position: &Position) -> u32 {
    space.index(Projection::Whole, position) as u32
}

/// Calls `take` with each position one turn away from another, at its representative, and with its images.
pub(super) fn for_each_neighbour(
    space: &Space,
    position: &Position,
    mut take: impl FnMut(Position),
) {
    let neighbours = space.neighbours(position);
    for turn in 0..space.generators().len() {
        let child = neighbours.child(turn as u8);
        if space.classes().stabiliser(child.class()).is_empty() {
            take(child.canonical());
        } else {
            space.images(&child).into_iter().for_each(&mut take);
        }
    }
}

impl SubgroupLevels {
    /// All positions up to a distance.
    pub(super) fn new(space: &Space, radius: u8) -> SubgroupLevels {
        let goals = space.goals().to_vec();
        let mut distances: FxHashMap<u32, u8> = FxHashMap::default();
        distances.extend(goals.iter().map(|goal| (entry(space, goal), 0)));
        let mut levels = vec![goals];
        for distance in 1..=radius {
            let mut next = Vec::new();
            for position in &levels[usize::from(distance) - 1] {
                for_each_neighbour(space, position, |image| {
                    distances.entry(entry(space, &image)).or_insert_with(|| {
                        next.push(image);
                        distance
                    });
                });
            }
            levels.push(next);
        }
        SubgroupLevels { levels, distances }
    }
}
