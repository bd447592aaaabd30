//! The first phase's positions near its goal, with the turns that lead nearer.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::super::turns::TurnSet;
use super::phase_one::{PhaseOneSpace, Reduced, TURNS};

/// All positions up to this distance are listed.
pub(super) const RADIUS: u8 = 6;

/// A distance, and which turns lead nearer or keep the distance, as seen by the representative.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guide {
    pub(super) distance: u8,
    nearer: TurnSet,
    level: TurnSet,
}

impl Guide {
    /// The turns after which so many others may suffice.
    #[inline(always)]
    pub(super) fn leading(&self, left: u8) -> TurnSet {
        match (left + 1).checked_sub(self.distance) {
            None => 0,
            Some(0) => self.nearer,
            Some(1) => self.nearer | self.level,
            Some(_) => (1 << TURNS) - 1,
        }
    }
}

/// The positions up to [`RADIUS`] turns from the first phase's goal, up to symmetry.
pub(super) struct NearSubgroup {
    guides: HashMap<u32, Guide, BuildHasherDefault<Multiplying>>,
}

/// Spreads numbers by multiplication; they are numbers of positions, which nobody else chooses.
#[derive(Default)]
pub(super) struct Multiplying(u64);

impl Hasher for Multiplying {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        // 2^64 divided by the golden ratio; the upper bits are the good ones, and the map takes its
        // place from the lower ones.
        let product = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

impl NearSubgroup {
    pub(super) fn new(space: &PhaseOneSpace) -> NearSubgroup {
        let mut guides: HashMap<u32, Guide, BuildHasherDefault<Multiplying>> = HashMap::default();
        let mut levels = vec![vec![space.goal()]];
        guides.insert(space.goal().index(), Guide::default());
        for distance in 1..=RADIUS {
            let mut next = Vec::new();
            for &at in levels.last().into_iter().flatten() {
                let node = space.node_at(at);
                for turn in 0..TURNS {
                    for image in space.images(space.reduced(space.after(node, turn))) {
                        guides.entry(image.index()).or_insert_with(|| {
                            next.push(image);
                            Guide {
                                distance,
                                ..Guide::default()
                            }
                        });
                    }
                }
            }
            levels.push(next);
        }
        for (distance, &at) in levels
            .iter()
            .enumerate()
            .flat_map(|(distance, level)| level.iter().map(move |at| (distance as u8, at)))
        {
            let node = space.node_at(at);
            let (mut nearer, mut level) = (0, 0);
            for turn in 0..TURNS {
                let image = space.reduced(space.after(node, turn));
                match guides.get(&image.index()).map(|guide| guide.distance) {
                    Some(image) if image < distance => nearer |= 1 << turn,
                    Some(image) if image == distance => level |= 1 << turn,
                    _ => {}
                }
            }
            let guide = Guide {
                distance,
                nearer,
                level,
            };
            guides.insert(at.index(), guide);
        }
        NearSubgroup { guides }
    }

    /// What is known of a position; nothing if it is farther than [`RADIUS`].
    #[inline(always)]
    pub(super) fn guide(&self, at: Reduced) -> Option<&Guide> {
        self.guides.get(&at.index())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_lead_as_they_are_said_to() {
        let space = PhaseOneSpace::new();
        let near = NearSubgroup::new(&space);
        // From representatives and from what is seen of them elsewhere: nodes reached by turns.
        let mut nodes = vec![space.node_at(space.goal())];
        for step in 0..4_000 {
            let node = nodes[step];
            let guide = near.guide(space.reduced(node)).unwrap();
            for turn in 0..TURNS {
                let child = space.after(node, turn);
                let distance = near.guide(space.reduced(child)).map(|guide| guide.distance);
                let seen = space.conjugate(node, turn);
                let leads = |left: u8| guide.leading(left) >> seen & 1 == 1;
                for left in 0..RADIUS {
                    assert_eq!(
                        leads(left),
                        distance.is_some_and(|d| d <= left) || left > guide.distance
                    );
                }
                if distance.is_some() {
                    nodes.push(child);
                }
            }
        }
    }
}
