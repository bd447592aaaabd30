//! The ends of the second stage.

use super::positions::Positions;
use super::wing_filter::{EndSet, WingFilter, WingPlaceSets};
use crate::coord::combinatorics::elements;
use crate::cube::{Axis, AxisMove};
use crate::search::near::Guide;
use crate::search::turns::{State, Turns, is_quarter};
use crate::table::prefetch;

/// The number of turns of the ends that are tested together.
pub(super) const LENGTH: u8 = 4;

/// Last turns of the stage: turns of which the last one is not about z, then quarter turns about z at some of
/// the three boundaries. The directions of the quarter turns do not matter for goal and filter.
#[derive(Clone, Copy)]
pub(super) struct AxesEnd {
    /// The turns, with the first direction of the quarter turns.
    turns: [u8; LENGTH as usize],
    length: u8,
    /// The number of quarter turns.
    quarters: u8,
}

impl AxesEnd {
    /// The number of directions of the quarter turns.
    pub(super) fn directions(&self) -> usize {
        1 << self.quarters
    }

    /// The turns. `directions` has a bit for each quarter turn.
    pub(super) fn turns(&self, directions: usize) -> impl Iterator<Item = u8> {
        let before = usize::from(self.length - self.quarters);
        // The turns at a boundary have adjacent numbers, with the half turn between the quarter turns.
        let other = (directions << before) as u8;
        let turns = self.turns.into_iter().take(self.length.into());
        turns
            .zip(0..)
            .map(move |(turn, number)| turn + 2 * (other >> number & 1))
    }

    /// Whether the end may follow a state.
    fn may_follow(&self, turns: &Turns, mut state: State) -> bool {
        // Without a turn, there is no last turn that the next stage could make.
        let mut may_end = true;
        for turn in self.turns(0).map(usize::from) {
            if turns.following(state) >> turn & 1 == 0 {
                return false;
            }
            may_end = turns.ending(state) >> turn & 1 == 1;
            state = turns.after(state, turn);
        }
        may_end
    }
}

/// Some of the ends of a position: as many as a set can have, or the rest of them.
pub(super) struct EndGroup {
    filter: WingFilter,
    ends: Vec<AxesEnd>,
}

impl EndGroup {
    fn new(ends: &[AxesEnd], turns: &Turns) -> EndGroup {
        let moves = |end: &AxesEnd| {
            let turn = |turn| turns.moves()[usize::from(turn)];
            end.turns(0).map(turn).collect()
        };
        EndGroup {
            filter: WingFilter::new(&ends.iter().map(moves).collect::<Vec<_>>()),
            ends: ends.to_vec(),
        }
    }

    /// Prefetches the filter and the number of ends.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        self.filter.prefetch();
        prefetch(&self.ends);
    }
}

/// Calls `take` with each end of a position that may follow a state, and leaves the wings such that they can be
/// paired. The groups begin with those of the position.
#[inline(always)]
pub(super) fn passing(
    groups: &[EndGroup],
    turns: &Turns,
    state: State,
    wings: &WingPlaceSets,
    mut take: impl FnMut(AxesEnd),
) {
    for EndGroup { filter, ends } in groups {
        for end in elements(filter.passing(wings)) {
            if ends[end].may_follow(turns, state) {
                take(ends[end]);
            }
        }
        if ends.len() < EndSet::BITS as usize {
            return;
        }
    }
}

/// The ends of `left` turns that lead from a position to a goal, whatever the wings. The last group is not full.
pub(super) fn groups(
    positions: &Positions,
    guides: &[Guide],
    index: usize,
    left: u8,
) -> Vec<EndGroup> {
    let turns = &positions.turns;
    let quarters = turns.which(|mv| mv.axis() == Axis::Z && is_quarter(mv));
    let mut listing = Listing {
        positions,
        guides,
        quarters: elements(quarters)
            .step_by(2)
            .map(|turn| turn as u8)
            .collect(),
        path: Vec::new(),
        ends: Vec::new(),
    };
    listing.list(index, turns.start(AxisMove::STILL), left);
    let full = listing.ends.chunks_exact(EndSet::BITS as usize);
    let rest = full.remainder();
    full.chain([rest])
        .map(|ends| EndGroup::new(ends, turns))
        .collect()
}

/// A depth-first search for ends.
struct Listing<'a> {
    positions: &'a Positions,
    guides: &'a [Guide],
    /// The first quarter turn at each of the three boundaries about z.
    quarters: Vec<u8>,
    path: Vec<u8>,
    ends: Vec<AxesEnd>,
}

impl Listing<'_> {
    /// Lists the ends with the turns of the path and `left` more. `state` is the one after those turns.
    fn list(&mut self, index: usize, state: State, left: u8) {
        let turns = &self.positions.turns;
        let before = self.path.len();
        let last = self
            .path
            .last()
            .map(|&turn| turns.moves()[usize::from(turn)]);
        if last.is_none_or(|turn| turn.axis() != Axis::Z) {
            for run in (0..8u8).filter(|run| run.count_ones() == u32::from(left)) {
                self.path
                    .extend(elements(run).map(|boundary| self.quarters[boundary]));
                let reached = self.path[before..]
                    .iter()
                    .fold(index, |at, &turn| self.positions.row(at).after(turn.into()));
                if self.guides[reached].distance() == 0 {
                    let mut turns = [0; LENGTH as usize];
                    turns[..self.path.len()].copy_from_slice(&self.path);
                    self.ends.push(AxesEnd {
                        turns,
                        length: self.path.len() as u8,
                        quarters: left,
                    });
                }
                self.path.truncate(before);
            }
        }
        if left < 2 {
            return;
        }
        let leading = self.guides[index].leading(left - 1);
        for turn in elements(turns.following(state) & leading) {
            self.path.push(turn as u8);
            let index = self.positions.row(index).after(turn);
            self.list(index, turns.after(state, turn), left - 1);
            self.path.pop();
        }
    }
}
