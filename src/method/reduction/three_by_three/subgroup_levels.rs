//! Listing the first phase's positions near its goal, distance by distance.

use rustc_hash::FxHashMap;

use crate::stage::{Position, Projection, Space};

/// The positions up to some distance from the goal, up to symmetry.
pub(super) struct SubgroupLevels {
    /// By distance. A position that some symmetries map to others of the same class is listed with all of
    /// its images.
    pub(super) levels: Vec<Vec<Position>>,
    /// By the numbers of their entries.
    pub(super) distances: FxHashMap<u32, u8>,
}

/// The number of a position's entry in the whole table.
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
