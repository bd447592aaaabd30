//! The ends of the second stage, and the guides of its positions.

use super::super::guide::Guide;
use super::super::turns::{State, TurnSet, Turns, elements, is_quarter};
use super::positions::{Positions, SIZE, TURNS};
use super::wing_filter::EndSet;
use crate::cube::{Axis, AxisMove};

/// The greatest number of turns of an end.
const LONGEST_END: u8 = 3;

/// Last turns of the stage: at most one turn that is not about z, then quarter turns about z at some of the
/// three boundaries. The directions of the quarter turns do not matter for goal and filter.
pub(super) struct End {
    pub(super) before: Option<u8>,
    /// The boundaries of the quarter turns, as a bit mask; see [`Ends::quarters`].
    pub(super) run: u8,
}

/// The guides of all positions, and the ends.
pub(super) struct Ends {
    guides: Vec<Guide>,
    /// For each boundary about z, in the order of the automaton, both quarter turns.
    quarters: [[u8; 2]; 3],
    ends: Vec<End>,
    /// For each state and number of turns left, the ends of that length that may follow.
    following: Vec<[EndSet; LONGEST_END as usize + 1]>,
    /// For each position near the goal, by the index of its guide, the ends that lead to a goal.
    to_goal: Vec<EndSet>,
}

/// The number of sets of boundaries.
const RUNS: u8 = 8;
/// The ends that are a run about z alone.
pub(super) const RUNS_ALONE: EndSet = (1 << RUNS) - 1;

/// All runs of quarter turns about z, and all single quarter turns about z after another turn. They are tested
/// together.
fn ends(about_z: TurnSet) -> Vec<End> {
    let alone = (0..RUNS).map(|run| End { before: None, run });
    let others = elements(!about_z & ((1 << TURNS) - 1));
    let after = others.flat_map(|turn| {
        [0b001, 0b010, 0b100].map(|run| End {
            before: Some(turn as u8),
            run,
        })
    });
    alone.chain(after).collect()
}

impl Ends {
    pub(super) fn new(positions: &Positions) -> Ends {
        let turns = &positions.turns;
        let about_z = turns.which(|mv| mv.axis() == Axis::Z);
        // The turns at a boundary have adjacent indices, with the half turn between the quarter turns.
        let set = turns.which(|mv| mv.axis() == Axis::Z && is_quarter(mv));
        let mut numbers = elements(set).map(|turn| turn as u8);
        let quarters = [(); 3].map(|()| {
            [(); 2].map(|()| {
                numbers
                    .next()
                    .expect("every quarter turn about z is allowed")
            })
        });
        let mut ends = Ends {
            guides: Vec::with_capacity(SIZE),
            quarters,
            ends: ends(about_z),
            following: Vec::new(),
            to_goal: Vec::new(),
        };
        ends.following = turns
            .states()
            .map(|state| std::array::from_fn(|left| ends.following_in(turns, state, left)))
            .collect();
        let distances = positions.distances();
        for index in 0..SIZE {
            let guide = ends.new_guide(positions, index, &distances);
            ends.guides.push(guide);
        }
        ends
    }

    /// The guide of a position. If the position is near the goal, adds its ends to `to_goal`.
    fn new_guide(&mut self, positions: &Positions, index: usize, distances: &[u8]) -> Guide {
        let distance = distances[index];
        let row = positions.row(index);
        let after = (0..TURNS).map(|turn| Some(distances[row.after(turn)]));
        let guide = Guide::new(distance, after);
        if distance > LONGEST_END {
            return guide;
        }
        let leads = |end: &End| {
            let turns = self.turns_of(end);
            distances[turns.fold(index, |at, turn| positions.row(at).after(turn))] == 0
        };
        let numbered = self.ends.iter().enumerate();
        let leading = numbered.filter(|(_, end)| leads(end));
        let leading = leading.map(|(number, _)| 1 << number).sum();
        self.to_goal.push(leading);
        guide.with_index(self.to_goal.len() - 1)
    }

    /// The turns of an end, with one direction for those about z.
    fn turns_of(&self, end: &End) -> impl Iterator<Item = usize> {
        let run = elements(end.run).map(|boundary| self.quarters[boundary][0]);
        end.before.into_iter().chain(run).map(usize::from)
    }

    /// The ends of `left` turns that may follow a state.
    fn following_in(&self, turns: &Turns, state: State, left: usize) -> EndSet {
        let may_follow = |end: &End| {
            let mut state = Some((state, true));
            let mut length = 0;
            for turn in self.turns_of(end) {
                state = state
                    .filter(|&(state, _)| turns.following(state) >> turn & 1 == 1)
                    .map(|(state, _)| {
                        let ends = turns.ending(state) >> turn & 1 == 1;
                        (turns.after(state, turn), ends)
                    });
                length += 1;
            }
            length == left && state.is_some_and(|(_, ends)| ends)
        };
        let numbered = self.ends.iter().enumerate();
        let following = numbered.filter(|(_, end)| may_follow(end));
        following.map(|(number, _)| 1 << number).sum()
    }

    /// The moves of every end.
    pub(super) fn moves(&self, turns: &Turns) -> Vec<Vec<AxisMove>> {
        let moves = |end| self.turns_of(end).map(|turn| turns.moves()[turn]).collect();
        self.ends.iter().map(moves).collect()
    }

    /// The guides, by position.
    #[inline(always)]
    pub(super) fn guides(&self) -> &[Guide] {
        &self.guides
    }

    /// An end.
    #[inline(always)]
    pub(super) fn end(&self, number: usize) -> &End {
        &self.ends[number]
    }

    /// The turns of a run about z. `directions` has a bit for each.
    #[inline(always)]
    pub(super) fn run(&self, run: u8, directions: usize) -> impl Iterator<Item = u8> {
        let boundaries = elements(run).enumerate();
        boundaries.map(move |(i, boundary)| self.quarters[boundary][directions >> i & 1])
    }

    /// The ends that lead from a position to a goal in exactly `left` turns; `None` if no end has as many
    /// turns. The distance of the position must be at most `left`.
    #[inline(always)]
    pub(super) fn to_goal(&self, guide: Guide, state: State, left: u8) -> Option<EndSet> {
        let following = self.following[state.index()].get(usize::from(left))?;
        Some(self.to_goal[guide.index()] & following)
    }
}
