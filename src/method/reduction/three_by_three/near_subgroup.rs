//! The first phase's positions near its goal, with the turns that lead nearer.

use rustc_hash::FxHashMap;

use super::super::guide::Guide;
use crate::stage::{Position, Projection, Space};

/// All positions up to this distance are listed.
pub(super) const RADIUS: u8 = 6;

/// The positions up to [`RADIUS`] turns from the first phase's goal, up to symmetry.
pub(super) struct NearSubgroup {
    /// By the number of the position's entry. Turns are told in the frame of the representative.
    guides: FxHashMap<u32, Guide>,
}

impl NearSubgroup {
    pub(super) fn new(space: &Space) -> NearSubgroup {
        let turns = space.generators().len();
        let entry = |position: &Position| space.index(Projection::Whole, position) as u32;
        let turned = |position: &Position, turn: usize| space.child(position, turn as u8);
        let mut distances: FxHashMap<u32, u8> = FxHashMap::default();
        let mut levels = vec![space.goals().to_vec()];
        distances.extend(space.goals().iter().map(|goal| (entry(goal), 0)));
        for distance in 1..=RADIUS {
            let mut next = Vec::new();
            for position in levels.last().into_iter().flatten() {
                for turn in 0..turns {
                    for image in space.images(&turned(position, turn)) {
                        distances.entry(entry(&image)).or_insert_with(|| {
                            next.push(image);
                            distance
                        });
                    }
                }
            }
            levels.push(next);
        }
        let guide = |position: &Position| {
            let distance = |position: &Position| distances.get(&entry(position)).copied();
            let after = (0..turns).map(|turn| distance(&turned(position, turn)));
            let own = distance(position).expect("only positions that were reached are listed");
            (entry(position), Guide::new(own, after))
        };
        NearSubgroup {
            guides: levels.iter().flatten().map(guide).collect(),
        }
    }

    /// What is known of the position of an entry; nothing if it is farther than [`RADIUS`].
    #[inline(always)]
    pub(super) fn guide(&self, entry: u32) -> Option<Guide> {
        self.guides.get(&entry).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::declared::spaces;
    use super::*;

    #[test]
    fn turns_lead_as_they_are_said_to() {
        let [space, _] = spaces().unwrap();
        let near = NearSubgroup::new(&space);
        let guide =
            |position: &Position| near.guide(space.index(Projection::Whole, position) as u32);
        // From representatives and from what is seen of them elsewhere: positions reached by turns.
        let mut positions = space.goals().to_vec();
        for step in 0..4_000 {
            let position = positions[step];
            let own = guide(&position).unwrap();
            for turn in 0..space.generators().len() {
                let child = space.child(&position, turn as u8);
                let distance = guide(&child).map(Guide::distance);
                let seen = space.neighbours(&position).conjugates[turn];
                let leads = |left: u8| own.leading(left) >> seen & 1 == 1;
                for left in 0..RADIUS {
                    assert_eq!(
                        leads(left),
                        distance.is_some_and(|d| d <= left) || left > own.distance()
                    );
                }
                if distance.is_some() {
                    positions.push(child);
                }
            }
        }
    }
}
