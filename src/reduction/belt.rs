//! Second stage: all centers onto the faces of their axes, and wings that can be paired up.
//!
//! The F and B centers are on the F and B faces. Allowed are any turns of outer layers, any wide
//! turns about z, and half turns of other wide blocks. The position consists of which of the sixteen
//! places of the *belt* (the faces L, R, D and U) hold the L and R centers, up to exchanging them
//! with the U and D ones; the pairing of the F and B centers; and whether the wings are in an odd
//! permutation: 6,435·35·2 = 450,450 values. Goals are what the third stage's turns make of the
//! solved cube. The wings' arrangement must pass [`WingTest`] as well, which is not part of the
//! position.
//!
//! What the third stage may turn keeps goal and test, so the stage ends with a run of quarter turns
//! about z. Their directions make no difference to goal and test.

use std::ops::ControlFlow;

use super::axis_centers::axis_of;
use super::kernel::{Meter, StageKernel};
use super::lanes::{Lanes, Speed, Substitution, Work, prefetch};
use super::turns::{ANY, Boundary, HALF, OUTER, RunState, TurnSet, Turns, elements};
use super::wing_test::{EndSet, WingPlaces, WingTest, targets};
use crate::coord::Coordinate;
use crate::coord::centers::{CenterPairing, CenterPlaces};
use crate::coord::combinatorics::{is_odd, subset_rank};
use crate::cube::{Axis, AxisMove, Cube, Face, Pieces, Symmetry};

/// Places of the belt.
const BELT: usize = 16;
/// Ways to split them into eight and eight: C(16,8)/2 = C(15,8).
const SPLITS: usize = 6_435;
const PAIRINGS: usize = CenterPairing::SIZE;
/// Number of positions.
const SIZE: usize = SPLITS * PAIRINGS * 2;
/// Number of turns.
const TURNS: usize = 23;
const PAIRING: CenterPairing = CenterPairing::FB;

/// How the belt's centers split into those of L and R and those of D and U.
struct Split;

impl Coordinate for Split {
    fn name(&self) -> String {
        "belt-split".to_owned()
    }

    fn pieces(&self) -> Pieces {
        Pieces::Centers
    }

    fn size(&self) -> usize {
        SPLITS
    }

    fn rank(&self, cube: &Cube) -> usize {
        let sideways = (0..BELT).filter(|&slot| cube.center(slot).axis() == Axis::X);
        let mask: u32 = sideways.map(|slot| 1 << slot).sum();
        // The half without the last place; a subset's number does not depend on how many places
        // there are.
        subset_rank(if mask >> (BELT - 1) == 0 {
            mask
        } else {
            !mask & ((1 << BELT) - 1)
        })
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        CenterPlaces::LR_OFF_FB.write(index, cube);
    }
}

/// A position's distance, which turns lead nearer to the goal or keep the distance, and its number
/// among the positions close to the goal, if it is one of them.
#[derive(Clone, Copy, Default)]
struct Guide(u64);

impl Guide {
    const CLOSE_SHIFT: u32 = 2 * TURNS as u32;
    const DISTANCE_SHIFT: u32 = 60;

    #[inline(always)]
    fn distance(self) -> u8 {
        (self.0 >> Guide::DISTANCE_SHIFT) as u8
    }

    /// The number of a position that is at most [`LONGEST_END`] turns from a goal.
    #[inline(always)]
    fn close(self) -> usize {
        let bits = Guide::DISTANCE_SHIFT - Guide::CLOSE_SHIFT;
        (self.0 >> Guide::CLOSE_SHIFT) as usize & ((1 << bits) - 1)
    }

    /// The turns after which so many others may finish the stage.
    #[inline(always)]
    fn leading(self, left: u8) -> TurnSet {
        let (all, nearer) = ((1 << TURNS) - 1, self.0 as TurnSet);
        match (left + 1).checked_sub(self.distance()) {
            None => 0,
            Some(0) => nearer & all,
            Some(1) => (nearer | (self.0 >> TURNS) as TurnSet) & all,
            Some(_) => all,
        }
    }
}

/// The most turns of an end.
const LONGEST_END: u8 = 3;

/// Last turns of the stage: perhaps one turn that is not about z, then a quarter turn about z at each
/// of some boundaries. The latter's directions make no difference to goal and test.
struct End {
    before: Option<u8>,
    boundaries: u8,
}

/// All runs of quarter turns about z, and all single quarter turns about z after another turn: the
/// last two turns of most ways, which are tested together.
fn ends(about_z: TurnSet) -> Vec<End> {
    let alone = (0..BOUNDARY_SETS).map(|boundaries| End {
        before: None,
        boundaries,
    });
    let others = elements(!about_z & ((1 << TURNS) - 1));
    let after = others.flat_map(|turn| {
        Boundary::ALL.map(|boundary| End {
            before: Some(turn as u8),
            boundaries: boundary.mask(),
        })
    });
    alone.chain(after).collect()
}

/// The number of sets of boundaries of an axis.
const BOUNDARY_SETS: u8 = 8;

/// The second stage, with its tables.
pub struct Belt {
    turns: Turns,
    splits: Vec<[u16; TURNS]>,
    pairings: Vec<[u8; TURNS]>,
    /// The turns that change the parity of the wings' permutation.
    odd: TurnSet,
    guides: Vec<Guide>,
    about_z: TurnSet,
    /// For each boundary, the numbers of the two quarter turns about z.
    quarters: [[u8; 2]; 3],
    ends: Vec<End>,
    /// For each state of a sequence and each number of turns left, up to the longest end, the ends of so many turns
    /// that may follow.
    ends_following: Vec<[EndSet; LONGEST_END as usize + 1]>,
    /// For each position close to the goal, the ends that lead to a goal.
    ends_to_goal: Vec<EndSet>,
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
    #[allow(clippy::expect_used, reason = "the messages hold the proofs")]
    pub fn new(speed: Speed) -> Belt {
        let turns = Turns::new([OUTER, OUTER, ANY]);
        let odd = {
            let wings: Vec<_> = turns.moves().iter().map(|mv| mv.sources().wings).collect();
            turns.which(|turn| {
                let number = turns.list().iter().position(|&own| own == turn);
                is_odd(&wings[number.expect("it is one of the list")])
            })
        };
        let quarters = Boundary::ALL.map(|boundary| {
            let set = turns.which(|turn| {
                turn.axis == Axis::Z && turn.boundary == boundary && turn.is_quarter()
            });
            let mut numbers = elements(set).map(|number| number as u8);
            [(); 2].map(|()| {
                numbers
                    .next()
                    .expect("every quarter turn about z is allowed")
            })
        });
        let about_z = turns.which(|turn| turn.axis == Axis::Z);
        let ends = ends(about_z);
        let moves_of = |end: &End| -> Vec<AxisMove> {
            let run = elements(end.boundaries.into()).map(|boundary| quarters[boundary][0]);
            let turns_of = end.before.into_iter().chain(run);
            turns_of
                .map(|turn| turns.moves()[usize::from(turn)])
                .collect()
        };
        let mut belt = Belt {
            splits: images(&Split, &turns, |image| image as u16),
            pairings: images(&PAIRING, &turns, |image| image as u8),
            odd,
            guides: Vec::new(),
            about_z,
            quarters,
            test: WingTest::new(&ends.iter().map(moves_of).collect::<Vec<_>>()),
            ends_following: RunState::all()
                .map(|state| std::array::from_fn(|left| ends_following(&turns, &ends, state, left)))
                .collect(),
            ends_to_goal: Vec::new(),
            ends,
            targets: turns.moves().iter().map(|&mv| targets(mv)).collect(),
            turns,
            speed,
        };
        let distances = belt.distances();
        for index in 0..SIZE {
            let guide = belt.guide(index, &distances);
            belt.guides.push(guide);
        }
        belt
    }

    /// How many positions there are at each distance, from 0.
    #[must_use]
    pub fn distribution(&self) -> Vec<u64> {
        let mut counts = Vec::new();
        for guide in &self.guides {
            let distance = usize::from(guide.distance());
            counts.resize(counts.len().max(distance + 1), 0);
            counts[distance] += 1;
        }
        counts
    }

    fn rank(cube: &Cube) -> usize {
        let pairing = Split.rank(cube) * PAIRINGS + PAIRING.rank(cube);
        let wings: [u8; 24] = std::array::from_fn(|place| cube.wing(place) as u8);
        2 * pairing + usize::from(is_odd(&wings))
    }

    #[inline(always)]
    fn after(&self, index: usize, turn: usize) -> usize {
        let (pairing, odd) = (index / 2, index % 2);
        let split = self.splits[pairing / PAIRINGS][turn] as usize;
        let odd = odd ^ (self.odd >> turn & 1) as usize;
        (split * PAIRINGS + self.pairings[pairing % PAIRINGS][turn] as usize) * 2 + odd
    }

    fn distances(&self) -> Vec<u8> {
        let mut distances = vec![u8::MAX; SIZE];
        let mut goals = vec![Belt::rank(&Cube::solved())];
        distances[goals[0]] = 0;
        let goal_turns = Turns::new([OUTER, OUTER, HALF]);
        let goal_turns: Vec<usize> = goal_turns
            .moves()
            .iter()
            .filter_map(|&mv| self.turns.number_of(mv))
            .collect();
        let mut next = 0;
        while next < goals.len() {
            for &turn in &goal_turns {
                let image = self.after(goals[next], turn);
                if std::mem::replace(&mut distances[image], 0) != 0 {
                    goals.push(image);
                }
            }
            next += 1;
        }
        let mut frontier = goals;
        let mut distance = 0;
        while !frontier.is_empty() {
            distance += 1;
            let mut reached = Vec::new();
            for &index in &frontier {
                for turn in 0..TURNS {
                    let image = self.after(index, turn);
                    if distances[image] == u8::MAX {
                        distances[image] = distance;
                        reached.push(image);
                    }
                }
            }
            frontier = reached;
        }
        distances
    }

    /// The guide of a position, which is listed with its ends if it is close to the goal.
    fn guide(&mut self, index: usize, distances: &[u8]) -> Guide {
        let distance = distances[index];
        let mut guide = u64::from(distance) << Guide::DISTANCE_SHIFT;
        for turn in 0..TURNS {
            match distances[self.after(index, turn)] {
                image if image < distance => guide |= 1 << turn,
                image if image == distance => guide |= 1 << (turn + TURNS),
                _ => {}
            }
        }
        if distance <= LONGEST_END {
            guide |= (self.ends_to_goal.len() as u64) << Guide::CLOSE_SHIFT;
            let leads = |end: &End| {
                let run = elements(end.boundaries.into());
                let run = run.map(|boundary| self.quarters[boundary][0]);
                let turns = end.before.into_iter().chain(run);
                distances[turns.fold(index, |at, turn| self.after(at, turn.into()))] == 0
            };
            let numbered = self.ends.iter().enumerate();
            let leading = numbered.filter(|(_, end)| leads(end));
            let leading = leading.map(|(number, _)| 1 << number).sum();
            self.ends_to_goal.push(leading);
        }
        Guide(guide)
    }
}

/// The ends of so many turns that may follow in a state.
fn ends_following(turns: &Turns, ends: &[End], state: RunState, left: usize) -> EndSet {
    let about_z = state.axis() == Some(Axis::Z);
    let may_follow = |end: &End| match end.before {
        None => {
            let cost = end.boundaries.count_ones() as usize;
            let blocked = if about_z { state.blocked() } else { 0 };
            cost == left && end.boundaries & blocked == 0
        }
        Some(turn) => left == 2 && turns.following(state) >> turn & 1 == 1,
    };
    let numbered = ends.iter().enumerate();
    let following = numbered.filter(|(_, end)| may_follow(end));
    following.map(|(number, _)| 1 << number).sum()
}

impl StageKernel for Belt {
    type Node = BeltNode;

    fn turns(&self) -> &Turns {
        &self.turns
    }

    fn enter(&self, cube: &Cube, state: RunState) -> (BeltNode, u8) {
        let index = Belt::rank(cube);
        let node = BeltNode {
            index: index as u32,
            wings: WingPlaces::of(cube),
            state,
        };
        (node, self.guides[index].distance())
    }

    fn endings(
        &self,
        node: &BeltNode,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.guides[node.index as usize].distance() > cost {
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

impl<V: FnMut(&[u8]) -> ControlFlow<()>> Work for Descent<'_, '_, V> {
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
        let guide = belt.guides[root.index as usize];
        self.meter.node()?;
        if let Some(ends) = belt.ends(guide, root.state, root.left) {
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
            let index = belt.after(frame.index as usize, turn);
            let guide = belt.guides[index];
            let mut child = Frame {
                index: index as u32,
                state: belt.turns.after(frame.state, turn),
                left: frame.left - 1,
                set: 0,
                wings: frame.wings,
            };
            self.meter.lookup();
            child.set = belt.ways_on(&child, guide);
            let mut ends = belt.ends(guide, child.state, child.left).unwrap_or(0);
            if belt.about_z >> turn & 1 == 1 {
                // A run about z that has begun without finishing the stage does not finish it.
                ends &= !((1 << BOUNDARY_SETS) - 1);
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
                    prefetch(&belt.guides[belt.after(child.index as usize, turn)]);
                }
                frames.push(child);
            }
        }
        ControlFlow::Continue(())
    }
}

impl Belt {
    /// The ends that lead from a position to a goal in so many turns, unless that is more than any
    /// end has.
    #[inline(always)]
    fn ends(&self, guide: Guide, state: RunState, left: u8) -> Option<EndSet> {
        let following = self.ends_following[state.index()].get(usize::from(left))?;
        Some(self.ends_to_goal[guide.close()] & following)
    }

    /// The turns that may follow at a node and after which there is more than an end.
    #[inline(always)]
    fn ways_on(&self, node: &Frame, guide: Guide) -> TurnSet {
        // A run about z, something between and a last run take three turns; ends of two turns are
        // tested all at once.
        match node.left {
            0..=2 => 0,
            left => self.turns.following(node.state) & guide.leading(left - 1),
        }
    }
}

impl<V: FnMut(&[u8]) -> ControlFlow<()>> Descent<'_, '_, V> {
    /// Visits the ends after which the wings can be paired up, in all directions of the last run.
    #[inline(always)]
    fn finish(&mut self, wings: &WingPlaces, ends: EndSet, path: &mut Vec<u8>) -> ControlFlow<()> {
        let mut passing = self.belt.test.passing(wings, ends);
        while passing != 0 {
            let end = &self.belt.ends[passing.trailing_zeros() as usize];
            passing &= passing - 1;
            let length = path.len();
            path.extend(end.before);
            let before = path.len();
            for directions in 0..1 << end.boundaries.count_ones() {
                let boundaries = elements(end.boundaries.into()).enumerate();
                path.extend(
                    boundaries
                        .map(|(i, boundary)| self.belt.quarters[boundary][directions >> i & 1]),
                );
                (self.visit)(path)?;
                path.truncate(before);
            }
            path.truncate(length);
        }
        ControlFlow::Continue(())
    }
}

/// What each turn makes of each value of a coordinate.
fn images<T>(
    coordinate: &dyn Coordinate,
    turns: &Turns,
    narrow: impl Fn(usize) -> T,
) -> Vec<[T; TURNS]> {
    (0..coordinate.size())
        .map(|value| {
            let cube = coordinate.unrank(value);
            std::array::from_fn(|turn| {
                let moved = cube.moved_in(turns.moves()[turn], coordinate.pieces());
                narrow(coordinate.rank(&moved))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_numbered_without_gaps() {
        for index in 0..SPLITS {
            let cube = Split.unrank(index);
            assert_eq!(Split.rank(&cube), index);
        }
    }

    #[test]
    fn the_distribution_is_the_known_one() {
        let known = [6, 11, 97, 840, 5651, 30868, 114112, 217442, 80295, 1128];
        assert_eq!(Belt::new(Speed::best()).distribution(), known);
    }
}
