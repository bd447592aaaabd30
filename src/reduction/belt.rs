//! Second stage: all centers onto the faces of their axes, and wings that can be paired up.
//!
//! The F and B centers are on the F and B faces. Allowed are any turns of outer layers, any wide
//! turns about z, and half turns of other wide blocks. The position consists of which of the sixteen
//! places of the *belt* (the faces L, R, D and U) hold the L and R centers, up to exchanging them
//! with the U and D ones; the pairing of the F and B centers; and whether the wings are in an odd
//! permutation: 6,435·35·2 = 450,450 values. Goals are what the third stage's turns make of the
//! solved cube. The wings' arrangement must pass a test as well, which is not part of the
//! position.
//!
//! What the third stage may turn keeps goal and test, so the stage ends with a run of quarter turns
//! about z. Their directions make no difference to goal and test.

use std::ops::ControlFlow;

use super::axis_centers::axis_of;
use super::belt_guides::{Guide, Guides, RUNS_ALONE};
use super::belt_positions::{self, BeltPositions};
use super::kernel::StageKernel;
use super::turns::{RunState, TurnSet, Turns, elements};
use super::wing_test::{EndSet, WingPlaces, WingTest, targets};
use crate::cube::{Axis, Cube, Face, Symmetry};
use crate::lanes::{Lanes, Speed, Substitution, Work};
use crate::limits::Meter;
use crate::table::{Distribution, prefetch};

/// The second stage, with its tables.
pub struct Belt {
    positions: BeltPositions,
    guides: Guides,
    about_z: TurnSet,
    targets: Vec<Substitution>,
    test: WingTest,
    speed: Speed,
}

/// A position of the second stage.
#[derive(Clone, Copy, Debug)]
pub struct BeltNode {
    index: u32,
    wings: WingPlaces,
    state: RunState,
}

impl Belt {
    /// Works out the stage; takes some tenths of a second.
    #[must_use]
    pub fn new(speed: Speed) -> Belt {
        let positions = BeltPositions::new();
        let guides = Guides::new(&positions);
        let turns = &positions.turns;
        Belt {
            about_z: turns.which(|turn| turn.axis == Axis::Z),
            targets: turns.moves().iter().map(|&mv| targets(mv)).collect(),
            test: WingTest::new(&guides.moves_of_ends(turns)),
            positions,
            guides,
            speed,
        }
    }

    /// How many positions there are at each distance, but for the wings' test.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        let (mut positions, mut unique) = ([0; 16], [0; 16]);
        let is_first = belt_positions::first_of_alike();
        for (guide, is_first) in self.guides.all().iter().zip(is_first) {
            let distance = usize::from(guide.distance());
            positions[distance] += 1;
            unique[distance] += u64::from(is_first);
        }
        Distribution::of_counts(&positions, &unique)
    }
}

impl StageKernel for Belt {
    type Node = BeltNode;

    fn turns(&self) -> &Turns {
        &self.positions.turns
    }

    fn enter(&self, cube: &Cube, state: RunState) -> (BeltNode, u8) {
        let index = BeltPositions::rank(cube);
        let node = BeltNode {
            index: index as u32,
            wings: WingPlaces::of(cube),
            state,
        };
        (node, self.guides.all()[index].distance())
    }

    fn endings(
        &self,
        node: &BeltNode,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut impl FnMut(&[u8], &mut Meter<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.guides.all()[node.index as usize].distance() > cost {
            return ControlFlow::Continue(());
        }
        self.speed.run(Descent {
            belt: self,
            root: *node,
            cost,
            meter,
            visit,
        })
    }

    /// The rotation about z that brings the L and R centers onto the L and R faces.
    fn settle(&self, ending: &Cube) -> Symmetry {
        match axis_of(ending, Face::R) {
            Axis::Y => Symmetry::rotation(Axis::Z, 1),
            Axis::X | Axis::Z => Symmetry::IDENTITY,
        }
    }
}

/// A node on the way down.
#[derive(Clone, Copy)]
struct Frame {
    index: u32,
    state: RunState,
    left: u8,
    /// The turns not yet tried.
    set: TurnSet,
    wings: WingPlaces,
}

/// Depth-first enumeration with a stack of its own, so that all of it is one piece of work.
struct Descent<'a, 'm, V> {
    belt: &'a Belt,
    root: BeltNode,
    cost: u8,
    meter: &'a mut Meter<'m>,
    visit: &'a mut V,
}

impl<V: FnMut(&[u8], &mut Meter<'_>) -> ControlFlow<()>> Work for Descent<'_, '_, V> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> ControlFlow<()> {
        let belt = self.belt;
        let mut path = Vec::with_capacity(usize::from(self.cost));
        let mut frames: Vec<Frame> = Vec::with_capacity(usize::from(self.cost) + 1);
        let root = Frame {
            index: self.root.index,
            state: self.root.state,
            left: self.cost,
            set: 0,
            wings: self.root.wings,
        };
        let guide = belt.guides.all()[root.index as usize];
        self.meter.node()?;
        if let Some(ends) = belt.guides.ends(guide, root.state, root.left) {
            self.finish(&root.wings, ends, &mut path)?;
        }
        frames.push(Frame {
            set: belt.ways_on(&root, guide),
            ..root
        });
        while let Some(frame) = frames.last_mut() {
            if frame.set == 0 {
                frames.pop();
                path.pop();
                continue;
            }
            let turn = frame.set.trailing_zeros() as usize;
            frame.set &= frame.set - 1;
            let index = belt.positions.after(frame.index as usize, turn);
            let guide = belt.guides.all()[index];
            let mut child = Frame {
                index: index as u32,
                state: belt.positions.turns.after(frame.state, turn),
                left: frame.left - 1,
                set: 0,
                wings: frame.wings,
            };
            self.meter.statistics.lookups += 1;
            child.set = belt.ways_on(&child, guide);
            let mut ends = belt
                .guides
                .ends(guide, child.state, child.left)
                .unwrap_or(0);
            if belt.about_z >> turn & 1 == 1 {
                // A run about z that has begun without finishing the stage does not finish it.
                ends &= !RUNS_ALONE;
            }
            if child.set == 0 && ends == 0 {
                continue;
            }
            self.meter.node()?;
            child.wings = frame.wings.moved(lanes, &belt.targets[turn]);
            path.push(turn as u8);
            if ends != 0 {
                self.finish(&child.wings, ends, &mut path)?;
            }
            if child.set == 0 {
                path.pop();
            } else {
                for turn in elements(child.set) {
                    prefetch(&belt.guides.all()[belt.positions.after(child.index as usize, turn)]);
                }
                frames.push(child);
            }
        }
        ControlFlow::Continue(())
    }
}

impl Belt {
    /// The turns that may follow at a node and after which there is more than an end.
    #[inline(always)]
    fn ways_on(&self, node: &Frame, guide: Guide) -> TurnSet {
        // A run about z, something between and a last run take three turns; ends of two turns are
        // tested all at once.
        match node.left {
            0..=2 => 0,
            left => self.positions.turns.following(node.state) & guide.leading(left - 1),
        }
    }
}

impl<V: FnMut(&[u8], &mut Meter<'_>) -> ControlFlow<()>> Descent<'_, '_, V> {
    /// Visits the ends after which the wings can be paired up, in all directions of the last run.
    #[inline(always)]
    fn finish(&mut self, wings: &WingPlaces, ends: EndSet, path: &mut Vec<u8>) -> ControlFlow<()> {
        let mut passing = self.belt.test.passing(wings, ends);
        while passing != 0 {
            let end = self.belt.guides.end(passing.trailing_zeros() as usize);
            passing &= passing - 1;
            let length = path.len();
            path.extend(end.before);
            let before = path.len();
            for directions in 0..1 << end.boundaries.count_ones() {
                path.extend(self.belt.guides.run(end.boundaries, directions));
                (self.visit)(path, self.meter)?;
                path.truncate(before);
            }
            path.truncate(length);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_is_the_known_one() {
        let known = [6, 11, 97, 840, 5651, 30868, 114112, 217442, 80295, 1128];
        let distribution = Belt::new(Speed::best()).distribution();
        assert_eq!(distribution.positions, known);
        // Sixteen symmetries at most.
        let pairs = std::iter::zip(distribution.positions, distribution.unique);
        assert!(
            pairs
                .into_iter()
                .all(|(all, unique)| 16 * unique >= all && unique <= all)
        );
    }
}
