//! The search of the first phase, and of the second phase from its endings.

use super::super::guide::Guide;
use super::super::turns::{TurnSet, elements};
use super::cubies::Arrangement;
use super::near_subgroup::RADIUS;
use super::phase_one::{NodeOne, TURNS};
use super::phases::ThreeByThree;
use super::steps::{Child, Expand, List, MOST_TURNS, PendingChild};
use crate::search::{Meter, Pace, Stopped, last_run};
use crate::simd;

/// The number of endings whose bounds are looked up together.
pub(super) const BATCH: usize = 64;
/// The greatest distance of the second phase.
const LONGEST_SECOND: u8 = 18;

/// The best solution so far.
pub(super) struct Best {
    pub(super) total: u8,
    pub(super) start: usize,
    pub(super) variant: u8,
    pub(super) one: Vec<u8>,
    pub(super) two: Vec<u8>,
}

pub(super) struct PhaseSearch<'a, 'm> {
    pub(super) phases: &'a ThreeByThree,
    pub(super) endings_left: usize,
    pub(super) best: Option<Best>,
    pub(super) pending: Vec<PendingChild>,
    pub(super) path: Vec<u8>,
    pub(super) children: Vec<Child>,
    /// For each variant, the arrangement after each prefix of `placed_path`.
    pub(super) placed: Vec<Vec<Arrangement>>,
    pub(super) placed_path: Vec<u8>,
    pub(super) meter: &'a mut Meter<'m>,
}

impl PhaseSearch<'_, '_> {
    pub(super) fn begin(&mut self, variants: &[Arrangement]) {
        self.placed_path.clear();
        self.placed.clear();
        self.placed.push(variants.to_vec());
    }

    /// Lists the endings of exactly `cost` from a start.
    pub(super) fn endings(
        &mut self,
        start: usize,
        node: NodeOne,
        cost: u8,
        total: u8,
    ) -> Result<(), Stopped> {
        if usize::from(cost) > MOST_TURNS {
            return Ok(());
        }
        let one = &self.phases.one;
        let guide = one.near.guide(one.entry(&node.position));
        if cost == 0 {
            return match guide {
                Some(guide) if guide.distance() == 0 => self.end(start, 0, total),
                _ => Ok(()),
            };
        }
        if cost > RADIUS {
            return self.far(start, node, cost, total);
        }
        match guide {
            Some(guide) if guide.distance() <= cost => self.near(start, node, guide, cost, total),
            _ => Ok(()),
        }
    }

    /// Searches from a node that may not be near the goal.
    fn far(&mut self, start: usize, node: NodeOne, left: u8, total: u8) -> Result<(), Stopped> {
        self.meter.node()?;
        let base = self.children.len();
        let phases = self.phases;
        self.meter.statistics.lookups += simd::run(Expand {
            phases,
            node,
            left: left - 1,
            into: &mut self.children,
        });
        for index in base..self.children.len() {
            let child = self.children[index];
            self.path.push(child.turn);
            if left - 1 > RADIUS {
                self.far(start, child.node, left - 1, total)?;
            } else {
                // At the goal, the turns left would belong to the second phase.
                match phases
                    .one
                    .near
                    .guide(phases.one.entry(&child.node.position))
                {
                    Some(guide) if guide.distance() > 0 => {
                        self.near(start, child.node, guide, left - 1, total)?;
                    }
                    _ => {}
                }
            }
            self.path.pop();
        }
        self.children.truncate(base);
        Ok(())
    }

    /// Searches from a node near the goal, given its guide.
    fn near(
        &mut self,
        start: usize,
        node: NodeOne,
        guide: Guide,
        left: u8,
        total: u8,
    ) -> Result<(), Stopped> {
        self.meter.node()?;
        let one = &self.phases.one;
        let leading = guide.leading(left - 1);
        let set = match left {
            1 => one.turns.ending(node.state),
            _ => one.turns.following(node.state),
        };
        // Few turns lead on, so this goes over them instead of all.
        let originals = one.space.originals(&node.position);
        let mut leads = 0;
        for turn in elements(leading & ((1 << TURNS) - 1)) {
            leads |= 1 << originals[turn];
        }
        leads &= set;
        if left == 1 {
            return if leads == 0 {
                Ok(())
            } else {
                self.end(start, leads, total)
            };
        }
        let neighbours = one.space.neighbours(&node.position);
        for turn in elements(leads) {
            let child = NodeOne {
                position: neighbours.child(turn as u8),
                state: one.turns.after(node.state, turn),
            };
            self.meter.statistics.lookups += 1;
            match one.near.guide(one.entry(&child.position)) {
                Some(guide) if guide.distance() > 0 => {
                    self.path.push(turn as u8);
                    self.near(start, child, guide, left - 1, total)?;
                    self.path.pop();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the endings with the current path and one of the last turns, or with no last turn if the set is
    /// empty.
    fn end(&mut self, start: usize, last: TurnSet, total: u8) -> Result<(), Stopped> {
        let Some(most) = self.most(total) else {
            return Err(Stopped);
        };
        let same = self.path.iter().zip(&self.placed_path);
        let common = same.take_while(|(a, b)| a == b).count();
        self.placed_path.truncate(common);
        self.placed.truncate(common + 1);
        let listed = simd::run(List {
            phases: self.phases,
            start,
            path: &self.path,
            last,
            most,
            placed_path: &mut self.placed_path,
            placed: &mut self.placed,
            into: &mut self.pending,
        });
        self.meter.statistics.endings += listed as u64;
        self.endings_left = self.endings_left.saturating_sub(listed);
        if self.endings_left == 0 {
            self.settle(total);
            return Err(Stopped);
        }
        if self.meter.pace() != Pace::Steady {
            self.settle(total);
            if self.best.is_some() {
                return Err(Stopped);
            }
        }
        if self.pending.len() >= BATCH {
            self.settle(total);
        }
        Ok(())
    }

    /// The most turns of the second phase, after a first phase that ends at a total of `total`, that improve
    /// the best solution. `None` if no number does.
    fn most(&self, total: u8) -> Option<u8> {
        match &self.best {
            Some(best) => (best.total - total).checked_sub(1),
            None => Some(LONGEST_SECOND),
        }
    }

    /// Searches the second phase from the pending endings, which have the same total cost, for a solution
    /// better than the best so far.
    pub(super) fn settle(&mut self, total: u8) {
        let phases = self.phases;
        let Some(most) = self.most(total) else {
            self.pending.clear();
            return;
        };
        let promising = |pending: &PendingChild| {
            let bound = phases.two.bound(&pending.arrangement, pending.entry);
            (bound <= most).then_some((bound, *pending))
        };
        let list: Vec<(u8, PendingChild)> = self.pending.iter().filter_map(promising).collect();
        self.meter.statistics.lookups += self.pending.len() as u64;
        self.pending.clear();
        let least = list.iter().map(|&(bound, _)| bound).min();
        let Some(least) = least else {
            return;
        };
        for left in least..=most {
            for (_, pending) in list.iter().filter(|&&(bound, _)| bound <= left) {
                let one = &pending.path[..usize::from(pending.length)];
                let last_run = last_run(phases.one.turns.moves(), one);
                let mut two = Vec::with_capacity(usize::from(left));
                if phases
                    .two
                    .solve(&pending.arrangement, last_run, left, self.meter, &mut two)
                {
                    self.best = Some(Best {
                        total: total + left,
                        start: pending.start as usize,
                        variant: pending.variant,
                        one: one.to_vec(),
                        two,
                    });
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cubies::Cubies;
    use super::super::starts::Reduction;
    use super::super::{phase_one, phase_two};
    use super::*;
    use crate::cube::{Axis, AxisMove, Cube, Sequence, Symmetry};
    use crate::search::Limits;

    fn is_in_subgroup(cubies: &Cubies) -> bool {
        cubies.twists == [0; 8]
            && cubies.flips == [false; 12]
            && cubies.edges[4..8]
                .iter()
                .all(|&edge| (4..8).contains(&edge))
    }

    /// How many sequences of outer turns lead into the subgroup for the first time after exactly
    /// `left` more turns, the last run being of quarter turns of faces other than U and D.
    fn naive(cubies: Cubies, path: &mut Vec<(usize, usize, u8)>, left: u8) -> usize {
        if left == 0 {
            let axis = path.last().map(|turn| turn.0);
            let mut run = path.iter().rev().take_while(|turn| Some(turn.0) == axis);
            let ends = run.all(|&(axis, _, quarters)| axis != 1 && quarters != 2);
            return usize::from(ends && is_in_subgroup(&cubies));
        }
        if !path.is_empty() && is_in_subgroup(&cubies) {
            return 0;
        }
        let mut count = 0;
        for axis in 0..3 {
            for side in 0..2 {
                if path
                    .last()
                    .is_some_and(|last| last.0 == axis && last.1 >= side)
                {
                    continue;
                }
                for quarters in 1..4 {
                    let amounts = [[0, 0, 0, quarters], [quarters, 0, 0, 0]][side];
                    let mv = AxisMove::new(Axis::ALL[axis], amounts);
                    let turn = Cubies::of(&Cube::solved().moved(mv));
                    path.push((axis, side, quarters));
                    count += naive(cubies.then(&turn), path, left - 1);
                    path.pop();
                }
            }
        }
        count
    }

    #[test]
    fn the_first_phase_has_as_many_endings_as_plain_search_finds() {
        // Tables in which every distance is small bound nothing.
        let with = |one| ThreeByThree::new(one, phase_two::without_bounds());
        for phases in [phase_one::without_bounds(), phase_one::with_filter()].map(with) {
            as_many_as_plain_search_finds(&phases);
        }
    }

    fn as_many_as_plain_search_finds(phases: &ThreeByThree) {
        let mut listed = 0;
        for text in ["", "R", "F' U", "R U F2", "L R' D B", "R U R' U'"] {
            let sequence: Sequence = text.parse().unwrap();
            let cube = Cube::solved().moved_by(sequence.axis_moves());
            let from = Reduction {
                cube,
                cost: 0,
                premoves: 0,
            };
            let mut starts = phases.starts(&[from]);
            starts.retain(|start| start.root.axis == Symmetry::IDENTITY && !start.root.is_inverse);
            let [start] = &starts[..] else {
                panic!("one axis, one direction and no premoves are one start");
            };
            let variants = [Cubies::of(&cube).arrangement()];
            for cost in 0..=5 {
                let limits = Limits::default();
                let mut meter = Meter::new(&limits);
                let mut search = PhaseSearch {
                    phases,
                    endings_left: usize::MAX,
                    best: None,
                    pending: Vec::new(),
                    path: Vec::new(),
                    children: Vec::new(),
                    placed: Vec::new(),
                    placed_path: Vec::new(),
                    meter: &mut meter,
                };
                search.begin(&variants);
                let _ = search.endings(0, start.node, cost, cost);
                let expected = naive(Cubies::of(&cube), &mut Vec::new(), cost);
                assert_eq!(usize::MAX - search.endings_left, expected, "{text}, {cost}");
                listed += expected;
            }
        }
        assert!(listed > 100, "{listed}");
    }
}
