//! Where to go from each position of the second stage.

use super::super::turns::{Boundary, RunState, TurnSet, Turns, elements};
use super::positions::{Positions, SIZE, TURNS};
use super::wing_filter::EndSet;
use crate::cube::{Axis, AxisMove};

/// A position's distance, which turns lead nearer to the goal or keep the distance, and its number
/// among the positions close to the goal, if it is one of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Guide(u64);

impl Guide {
    const CLOSE_SHIFT: u32 = 2 * TURNS as u32;
    const DISTANCE_SHIFT: u32 = 60;

    #[inline(always)]
    pub(super) fn distance(self) -> u8 {
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
    pub(super) fn leading(self, left: u8) -> TurnSet {
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
pub(super) struct End {
    pub(super) before: Option<u8>,
    pub(super) boundaries: u8,
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

/// The guides of all positions, and the ends.
pub(super) struct Guides {
    of_position: Vec<Guide>,
    /// For each boundary, the numbers of the two quarter turns about z.
    quarters: [[u8; 2]; 3],
    ends: Vec<End>,
    /// For each state of a sequence and each number of turns left, up to the longest end, the ends of
    /// so many turns that may follow.
    following: Vec<[EndSet; LONGEST_END as usize + 1]>,
    /// For each position close to the goal, the ends that lead to a goal.
    to_goal: Vec<EndSet>,
}

/// The ends that are a run about z alone.
pub(super) const RUNS_ALONE: EndSet = (1 << BOUNDARY_SETS) - 1;

impl Guides {
    #[allow(clippy::expect_used, reason = "the message holds the proof")]
    pub(super) fn new(positions: &Positions) -> Guides {
        let turns = &positions.turns;
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
        let ends = ends(turns.which(|turn| turn.axis == Axis::Z));
        let following = RunState::all()
            .map(|state| std::array::from_fn(|left| ends_following(turns, &ends, state, left)))
            .collect();
        let mut guides = Guides {
            of_position: Vec::with_capacity(SIZE),
            quarters,
            ends,
            following,
            to_goal: Vec::new(),
        };
        let distances = positions.distances();
        for index in 0..SIZE {
            let guide = guides.guide(positions, index, &distances);
            guides.of_position.push(guide);
        }
        guides
    }

    /// The guide of a position, which is listed with its ends if it is close to the goal.
    fn guide(&mut self, positions: &Positions, index: usize, distances: &[u8]) -> Guide {
        let distance = distances[index];
        let mut guide = u64::from(distance) << Guide::DISTANCE_SHIFT;
        for turn in 0..TURNS {
            match distances[positions.after(index, turn)] {
                image if image < distance => guide |= 1 << turn,
                image if image == distance => guide |= 1 << (turn + TURNS),
                _ => {}
            }
        }
        if distance <= LONGEST_END {
            guide |= (self.to_goal.len() as u64) << Guide::CLOSE_SHIFT;
            let leads = |end: &End| {
                let turns = self.turns_of(end);
                distances[turns.fold(index, |at, turn| positions.after(at, turn))] == 0
            };
            let numbered = self.ends.iter().enumerate();
            let leading = numbered.filter(|(_, end)| leads(end));
            let leading = leading.map(|(number, _)| 1 << number).sum();
            self.to_goal.push(leading);
        }
        Guide(guide)
    }

    /// The turns of an end, those about z in one direction.
    fn turns_of(&self, end: &End) -> impl Iterator<Item = usize> {
        let run = elements(end.boundaries.into()).map(|boundary| self.quarters[boundary][0]);
        end.before.into_iter().chain(run).map(usize::from)
    }

    /// The moves of every end.
    pub(super) fn moves_of_ends(&self, turns: &Turns) -> Vec<Vec<AxisMove>> {
        let moves = |end| self.turns_of(end).map(|turn| turns.moves()[turn]).collect();
        self.ends.iter().map(moves).collect()
    }

    /// The guides, by position.
    #[inline(always)]
    pub(super) fn all(&self) -> &[Guide] {
        &self.of_position
    }

    /// An end.
    #[inline(always)]
    pub(super) fn end(&self, number: usize) -> &End {
        &self.ends[number]
    }

    /// The turns of an end's run about z, in directions that are given by a bit each.
    #[inline(always)]
    pub(super) fn run(&self, boundaries: u8, directions: usize) -> impl Iterator<Item = u8> {
        let boundaries = elements(boundaries.into()).enumerate();
        boundaries.map(move |(i, boundary)| self.quarters[boundary][directions >> i & 1])
    }

    /// The ends that lead from a position to a goal in so many turns, unless that is more than any
    /// end has. The position must be no farther than that.
    #[inline(always)]
    pub(super) fn ends(&self, guide: Guide, state: RunState, left: u8) -> Option<EndSet> {
        let following = self.following[state.index()].get(usize::from(left))?;
        Some(self.to_goal[guide.close()] & following)
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
