//! The ends of the second stage, and the guides of its positions.

use super::super::guide::Guide;
use super::super::turns::{State, TurnSet, Turns, elements, is_quarter};
use super::positions::{Positions, SIZE, TURNS};
use super::wing_filter::{EndSet, WingFilter, WingPlaceSets};
use crate::cube::{Axis, AxisMove};

/// The number of turns of the ends that are tested together.
pub(super) const LENGTH: u8 = 4;

/// Last turns of the stage: turns of which the last one is not about z, then quarter turns about z at some of
/// the three boundaries. The directions of the quarter turns do not matter for goal and filter.
#[derive(Clone, Copy)]
pub(super) struct AxesEnd {
    before: [u8; LENGTH as usize],
    length_before: u8,
    /// The boundaries of the quarter turns, as a bit mask; see [`Ends::quarters`].
    run: u8,
}

impl AxesEnd {
    /// The turns before the quarter turns about z.
    pub(super) fn before(&self) -> &[u8] {
        &self.before[..usize::from(self.length_before)]
    }

    /// The number of directions of the quarter turns.
    pub(super) fn directions(&self) -> usize {
        1 << self.run.count_ones()
    }
}

/// The number of sets of boundaries.
const RUNS: u8 = 8;

/// The guides of all positions, and the ends of those near the goal.
pub(super) struct Ends {
    guides: Vec<Guide>,
    /// For each boundary about z, in the order of the automaton, both quarter turns.
    quarters: [[u8; 2]; 3],
    /// The ends of [`LENGTH`] turns of all positions near the goal, at most as many in a group as a set can
    /// have. The index of a guide is that of the position's first group.
    groups: Vec<EndGroup>,
    /// The filter of each group.
    filters: Vec<WingFilter>,
}

/// Some of the ends of a position.
struct EndGroup {
    ends: Vec<AxesEnd>,
    /// Whether the next group has ends of the same position.
    continues: bool,
}

impl Ends {
    pub(super) fn new(positions: &Positions) -> Ends {
        let turns = &positions.turns;
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
        let distances = positions.distances();
        let guide = |index: usize| {
            let row = positions.row(index);
            let after = (0..TURNS).map(|turn| Some(distances[row.after(turn)]));
            Guide::new(distances[index], after)
        };
        let mut ends = Ends {
            guides: (0..SIZE).map(guide).collect(),
            quarters,
            groups: Vec::new(),
            filters: Vec::new(),
        };
        for index in (0..SIZE).filter(|&index| distances[index] <= LENGTH) {
            ends.guides[index] = ends.guides[index].with_index(ends.groups.len());
            let all = ends.list(positions, index, LENGTH);
            // At least one group, even if it is empty.
            let count = all.len().div_ceil(EndSet::BITS as usize).max(1);
            let mut all = all.into_iter();
            for number in 1..=count {
                let group: Vec<AxesEnd> = all.by_ref().take(EndSet::BITS as usize).collect();
                ends.filters.push(ends.filter(turns, &group));
                ends.groups.push(EndGroup {
                    ends: group,
                    continues: number < count,
                });
            }
        }
        ends
    }

    /// The ends of `left` turns that lead from a position to a goal.
    fn list(&self, positions: &Positions, index: usize, left: u8) -> Vec<AxesEnd> {
        let mut listing = Listing {
            positions,
            guides: &self.guides,
            quarters: &self.quarters,
            about_z: positions.turns.which(|mv| mv.axis() == Axis::Z),
            before: Vec::new(),
            ends: Vec::new(),
        };
        listing.list(index, positions.turns.start(AxisMove::STILL), left);
        listing.ends
    }

    /// The filter for a group of ends.
    fn filter(&self, turns: &Turns, group: &[AxesEnd]) -> WingFilter {
        let moves = |end| self.turns_of(end).map(|turn| turns.moves()[turn]).collect();
        WingFilter::new(&group.iter().map(moves).collect::<Vec<_>>())
    }

    /// The turns of an end, with one direction for those about z.
    fn turns_of(&self, end: &AxesEnd) -> impl Iterator<Item = usize> {
        let before = end.before().iter().copied();
        before.chain(self.run(end, 0)).map(usize::from)
    }

    /// Whether an end may follow a state.
    fn may_follow(&self, turns: &Turns, state: State, end: &AxesEnd) -> bool {
        // Without a turn, there is no last turn that the next stage could make.
        let mut reached = Some((state, true));
        for turn in self.turns_of(end) {
            reached = reached
                .filter(|&(state, _)| turns.following(state) >> turn & 1 == 1)
                .map(|(state, _)| {
                    let ends = turns.ending(state) >> turn & 1 == 1;
                    (turns.after(state, turn), ends)
                });
        }
        reached.is_some_and(|(_, ends)| ends)
    }

    /// The guides, by position.
    #[inline(always)]
    pub(super) fn guides(&self) -> &[Guide] {
        &self.guides
    }

    /// The quarter turns of an end about z. `directions` has a bit for each.
    pub(super) fn run(&self, end: &AxesEnd, directions: usize) -> impl Iterator<Item = u8> {
        let boundaries = elements(end.run).enumerate();
        boundaries.map(move |(i, boundary)| self.quarters[boundary][directions >> i & 1])
    }

    /// Prefetches the first filter of a position near the goal.
    #[inline(always)]
    pub(super) fn prefetch(&self, guide: Guide) {
        self.filters[guide.index()].prefetch();
    }

    /// Calls `take` with each end of [`LENGTH`] turns that may follow a state, leads from a position near the
    /// goal to a goal, and leaves the wings such that they can be paired.
    #[inline(always)]
    pub(super) fn passing(
        &self,
        turns: &Turns,
        (guide, state): (Guide, State),
        wings: &WingPlaceSets,
        mut take: impl FnMut(AxesEnd),
    ) {
        for group in guide.index().. {
            for end in elements(self.filters[group].passing(wings)) {
                let end = self.groups[group].ends[end];
                if self.may_follow(turns, state, &end) {
                    take(end);
                }
            }
            if !self.groups[group].continues {
                return;
            }
        }
    }

    /// Like [`Ends::passing`], for a position with fewer turns left.
    pub(super) fn passing_short(
        &self,
        positions: &Positions,
        (index, state): (usize, State),
        left: u8,
        wings: &WingPlaceSets,
    ) -> Vec<AxesEnd> {
        let turns = &positions.turns;
        let mut ends = self.list(positions, index, left);
        ends.retain(|end| {
            let is_passing = self.filter(turns, &[*end]).passing(wings) != 0;
            is_passing && self.may_follow(turns, state, end)
        });
        ends
    }
}

/// A depth-first search for ends.
struct Listing<'a> {
    positions: &'a Positions,
    guides: &'a [Guide],
    quarters: &'a [[u8; 2]; 3],
    about_z: TurnSet,
    before: Vec<u8>,
    ends: Vec<AxesEnd>,
}

impl Listing<'_> {
    /// Lists the ends with the turns `before` and `left` more. `state` is the one after those turns.
    fn list(&mut self, index: usize, state: State, left: u8) {
        let turns = &self.positions.turns;
        let last = self.before.last();
        if last.is_none_or(|&turn| self.about_z >> turn & 1 == 0) {
            for run in (0..RUNS).filter(|run| run.count_ones() == u32::from(left)) {
                let reached = elements(run).fold(index, |at, boundary| {
                    let turn = self.quarters[boundary][0];
                    self.positions.row(at).after(turn.into())
                });
                if self.guides[reached].distance() == 0 {
                    let mut before = [0; LENGTH as usize];
                    before[..self.before.len()].copy_from_slice(&self.before);
                    self.ends.push(AxesEnd {
                        before,
                        length_before: self.before.len() as u8,
                        run,
                    });
                }
            }
        }
        if left < 2 {
            return;
        }
        let leading = self.guides[index].leading(left - 1);
        for turn in elements(turns.following(state) & leading) {
            self.before.push(turn as u8);
            let index = self.positions.row(index).after(turn);
            self.list(index, turns.after(state, turn), left - 1);
            self.before.pop();
        }
    }
}
