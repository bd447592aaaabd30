//! The ways to the goal of the first phase from the positions near it, listed in advance.

use rayon::prelude::*;

use crate::search::near::NearTable;
use crate::search::turns::{TurnState, Turns};
use crate::stage::{Position, Space};
use crate::table::near_distances;

/// The number of turns of the first phase.
pub(super) const TURNS_ONE: usize = 18;

/// The greatest number of turns of a way.
pub(super) const RADIUS: u8 = 6;

/// The turns of a way, in five bits each, the first one in the lowest bits.
type PackedWay = u32;
const BITS: usize = 5;

/// Stands for no turn.
pub(super) const STILL: u8 = TURNS_ONE as u8;

/// A way without turns.
pub(super) const NO_TURNS: Way = [[STILL; 2]; RADIUS as usize / 2];

/// The turns of a way in pairs, and [`STILL`] after them.
pub(super) type Way = [[u8; 2]; RADIUS as usize / 2];

/// The ways from positions up to [`RADIUS`] turns from the goal. They enter the goal once, by their last turn. Turns are in
/// the frame of the representative, where all orders of turns about an axis are listed, since a symmetry may turn the
/// order that a search takes into another.
pub(super) struct Ways {
    /// The number of each position, in the order of distances.
    numbers: NearTable<u32>,
    /// For each number of turns: where the ways of each position begin, followed by the number of all, and the ways in the
    /// order of the positions.
    by_turns: Vec<(Vec<u32>, Vec<PackedWay>)>,
}

impl Ways {
    pub(super) fn new(space: &Space) -> Ways {
        let mut positions = near_distances(space, RADIUS, usize::MAX);
        positions.sort_unstable_by_key(|&(key, distance)| (distance, key));
        let numbers = (0..)
            .zip(&positions)
            .map(|(number, &(key, _))| (key, number));
        let goals = positions.partition_point(|&(_, distance)| distance == 0);
        let mut ways = Ways {
            numbers: NearTable::new(positions.len(), numbers),
            by_turns: vec![((0..=goals as u32).collect(), vec![0; goals])],
        };
        for turns in 1..=RADIUS {
            let count = positions.partition_point(|&(_, distance)| distance <= turns);
            let lists = positions[..count]
                .par_iter()
                .map(|&(key, _)| ways.from(space, key, turns));
            let lists: Vec<Vec<PackedWay>> = lists.collect();
            let mut starts = vec![0];
            starts.extend(lists.iter().scan(0, |end, list| {
                *end += list.len() as u32;
                Some(*end)
            }));
            ways.by_turns.push((starts, lists.concat()));
        }
        ways
    }

    /// The ways of `turns` turns from the representative with a key. Those with one turn fewer must be known.
    fn from(&self, space: &Space, key: u64, turns: u8) -> Vec<PackedWay> {
        let moves = &space.generators.moves;
        let face = |turn: usize| (moves[turn].axis(), moves[turn].amounts()[0] != 0);
        let position = space.position_at(key);
        let neighbors = space.neighbors(&position);
        let mut ways = Vec::new();
        for turn in 0..TURNS_ONE {
            let child = neighbors.child(turn as u8);
            let Some(number) = self.number(space.key(&child)) else {
                continue;
            };
            if turns > 1 && self.is_goal(number) {
                continue;
            }
            let originals = space.originals(&child);
            for &way in self.of(number, turns - 1) {
                let onward = |at: usize| usize::from(originals[way as usize >> (BITS * at) & 31]);
                let is_joined = turns > 1 && face(onward(0)) == face(turn);
                // Of three successive turns about an axis, two are of one face.
                let is_split =
                    turns > 2 && [0, 1].map(|at| face(onward(at)).0) == [face(turn).0; 2];
                if !is_joined && !is_split {
                    let onward =
                        (0..usize::from(turns) - 1).map(|at| onward(at) << (BITS * (at + 1)));
                    ways.push((turn + onward.sum::<usize>()) as PackedWay);
                }
            }
        }
        ways
    }

    /// The ways of exactly `turns` turns from a position, given its number.
    #[inline(always)]
    fn of(&self, number: u32, turns: u8) -> &[PackedWay] {
        let (starts, ways) = &self.by_turns[usize::from(turns)];
        match starts.get(number as usize..number as usize + 2) {
            Some(&[start, end]) => &ways[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The number of the position with a key, if it is near the goal.
    #[inline(always)]
    pub(super) fn number(&self, key: u64) -> Option<u32> {
        self.numbers.get(key)
    }

    /// Whether a position may be near the goal. If so, prefetches its number.
    #[inline(always)]
    pub(super) fn may_have(&self, key: u64) -> bool {
        let may_have = self.numbers.may_have(key);
        if may_have {
            self.numbers.prefetch(key);
        }
        may_have
    }

    /// Whether the position with a number is a goal.
    #[inline(always)]
    pub(super) fn is_goal(&self, number: u32) -> bool {
        (number as usize) < self.by_turns[0].1.len()
    }

    /// The distance of the position with a number.
    pub(super) fn distance(&self, number: u32) -> u8 {
        let is_within =
            |turns: &u8| self.by_turns[usize::from(*turns)].0.len() > number as usize + 1;
        let distance = (0..=RADIUS).find(is_within);
        distance.expect("only positions up to the radius have a number")
    }

    /// The ways of exactly `left` turns from a position that may follow a state.
    #[inline(always)]
    pub(super) fn following<'a>(
        &'a self,
        (space, turns): (&'a Space, &'a Turns),
        (position, number): (&Position, u32),
        (state, left): (TurnState, u8),
    ) -> impl Iterator<Item = Way> + 'a {
        let originals = space.originals(position);
        let own = move |&way: &PackedWay| {
            let (mut state, mut own) = (state, NO_TURNS);
            let turns_left = &mut own.as_flattened_mut()[..usize::from(left)];
            for (at, own) in turns_left.iter_mut().enumerate() {
                *own = originals[way as usize >> (BITS * at) & 31];
                if turns.within(state, left - at as u8) >> *own & 1 == 0 {
                    return None;
                }
                state = turns.after(state, usize::from(*own));
            }
            Some(own)
        };
        self.of(number, left).iter().filter_map(own)
    }
}
