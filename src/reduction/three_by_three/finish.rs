//! The search over both phases: many ways through the first one, the best through the second.

use std::ops::ControlFlow;

use super::super::bands::Bands;
use super::super::kernel::Meter;
use super::super::lanes::{Lanes, Shuffle32, Speed, Work};
use super::super::payload::Payload;
use super::super::turns::{TurnSet, elements};
use super::cubies::{Arrangement, shuffle};
use super::near_subgroup::{Guide, NearSubgroup, RADIUS};
use super::phase_one::{self, PhaseOneNode, PhaseOneSpace, TURNS};
use super::phase_two::PhaseTwo;
use super::roots::{Premoves, Root};
use crate::cube::{AxisMove, Cube, Symmetry};

/// Both phases with their tables.
pub struct ThreeByThree {
    space: PhaseOneSpace,
    table: Bands,
    near: NearSubgroup,
    two: PhaseTwo,
    premoves: Premoves,
    shuffles: Vec<Shuffle32>,
    speed: Speed,
}

/// A reduced cube from which to finish.
pub struct Reduction {
    /// The cube, its centers at home and its wings paired up.
    pub cube: Cube,
    /// What it has cost to come here.
    pub cost: u8,
    /// The most turns that may come before it.
    pub premoves: u8,
}

/// The shortest solution found.
pub struct Finished {
    /// Which of the reductions it finishes.
    pub reduction: usize,
    /// The moves that solve it.
    pub moves: Vec<AxisMove>,
    /// Turns in all, with those that led to the reduction.
    pub total: u8,
}

/// A root of one of the reductions.
struct Start {
    reduction: usize,
    root: Root,
    /// What has been spent before the first phase.
    spent: u8,
    /// A lower bound of what has been spent after the first phase.
    key: u8,
    /// Where the pieces are, for each variant; filled when first needed.
    variants: Vec<Arrangement>,
}

impl ThreeByThree {
    /// The phases with their tables.
    #[must_use]
    pub fn new(space: PhaseOneSpace, table: Payload, two: PhaseTwo, speed: Speed) -> ThreeByThree {
        ThreeByThree {
            near: NearSubgroup::new(&space),
            premoves: Premoves::new(&space),
            shuffles: space.turns.moves().iter().map(|&mv| shuffle(mv)).collect(),
            table: phase_one::open(table),
            space,
            two,
            speed,
        }
    }

    /// A lower bound of the first phase.
    fn bound(&self, node: PhaseOneNode) -> u8 {
        let at = self.space.reduced(node);
        match self.table.bound(at.index()) {
            0 => self
                .near
                .guide(at)
                .map_or(RADIUS + 1, |guide| guide.distance),
            bound => bound,
        }
    }

    fn starts(&self, reductions: &[Reduction]) -> Vec<Start> {
        let mut starts = Vec::new();
        for (reduction, from) in reductions.iter().enumerate() {
            self.premoves
                .roots(&self.space, &from.cube, from.premoves, |root| {
                    self.table.prefetch(self.space.reduced(root.node).index());
                    let spent = from.cost + root.cost;
                    starts.push(Start {
                        reduction,
                        root,
                        spent,
                        key: spent,
                        variants: Vec::new(),
                    });
                });
        }
        for start in &mut starts {
            start.key += self.bound(start.root.node);
        }
        starts.sort_by_key(|start| start.key);
        starts
    }

    /// The shortest solution of any of the reductions that is found by looking at so many ways
    /// through the first phase, in the order of total length; `None` if the meter breaks before
    /// there is one.
    #[must_use]
    pub fn finish(
        &self,
        reductions: &[Reduction],
        endings: usize,
        meter: &mut Meter<'_>,
    ) -> Option<Finished> {
        let mut starts = self.starts(reductions);
        let least = starts.first()?.key;
        let mut search = Search {
            phases: self,
            endings_left: endings,
            best: None,
            pending: Vec::with_capacity(2 * BATCH),
            path: Vec::with_capacity(32),
            children: Vec::with_capacity(256),
            placed: Vec::new(),
            placed_path: Vec::new(),
            meter,
        };
        'search: for total in least..u8::MAX {
            if search.best.as_ref().is_some_and(|best| total >= best.total) {
                break;
            }
            for (number, start) in starts.iter_mut().enumerate() {
                if start.key > total {
                    break;
                }
                if start.variants.is_empty() {
                    start.variants = self.premoves.variants(&start.root).collect();
                }
                search.begin(start);
                let flow = search.endings(number, start.root.node, total - start.spent, total);
                if flow.is_break() {
                    break 'search;
                }
            }
            search.settle(total);
        }
        let best = search.best?;
        let start = &starts[best.start];
        let moves = |numbers: &[u8], moves: &[AxisMove]| -> Vec<AxisMove> {
            let moves = numbers.iter().map(|&number| moves[usize::from(number)]);
            moves.collect()
        };
        let mut solution = moves(&best.one, self.space.turns.moves());
        solution.extend(moves(&best.two, self.two.space.turns.moves()));
        let variant = best.variant.into();
        Some(Finished {
            reduction: start.reduction,
            moves: self.premoves.solution(&start.root, variant, &solution),
            total: best.total,
        })
    }
}

/// The bounds of so many endings are fetched together.
const BATCH: usize = 64;
/// The most turns that the second phase can take.
const LONGEST_SECOND: u8 = 18;
/// The most turns that the first phase can take.
const LONGEST_FIRST: usize = 12;

/// The best solution so far.
struct Best {
    total: u8,
    start: usize,
    variant: u8,
    one: Vec<u8>,
    two: Vec<u8>,
}

/// An ending of the first phase whose bound has been asked for.
#[derive(Clone, Copy)]
struct Pending {
    entry: u32,
    arrangement: Arrangement,
    start: u32,
    variant: u8,
    length: u8,
    path: [u8; MOST_TURNS],
}

/// Paths may be longer than the shortest, by a few turns.
const MOST_TURNS: usize = LONGEST_FIRST + 4;

/// A turn and the position after it.
#[derive(Clone, Copy)]
struct Child {
    node: PhaseOneNode,
    turn: u8,
}

struct Search<'a, 'm> {
    phases: &'a ThreeByThree,
    endings_left: usize,
    best: Option<Best>,
    pending: Vec<Pending>,
    path: Vec<u8>,
    children: Vec<Child>,
    /// Where the pieces are after each prefix of `placed_path`, for each variant.
    placed: Vec<Vec<Arrangement>>,
    placed_path: Vec<u8>,
    meter: &'a mut Meter<'m>,
}

impl Search<'_, '_> {
    fn begin(&mut self, start: &Start) {
        self.placed_path.clear();
        self.placed.clear();
        self.placed.push(start.variants.clone());
    }

    /// Lists the endings of exactly `cost` from a start.
    fn endings(
        &mut self,
        start: usize,
        node: PhaseOneNode,
        cost: u8,
        total: u8,
    ) -> ControlFlow<()> {
        if usize::from(cost) > MOST_TURNS {
            return ControlFlow::Continue(());
        }
        let at = self.phases.space.reduced(node);
        let guide = self.phases.near.guide(at).copied();
        if cost == 0 {
            return match guide {
                Some(guide) if guide.distance == 0 => self.end(start, 0, total),
                _ => ControlFlow::Continue(()),
            };
        }
        if cost > RADIUS {
            return self.far(start, node, cost, total);
        }
        match guide {
            Some(guide) if guide.distance <= cost => self.near(start, node, guide, cost, total),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Below a node that may be farther than the near ones.
    fn far(&mut self, start: usize, node: PhaseOneNode, left: u8, total: u8) -> ControlFlow<()> {
        self.meter.node()?;
        let base = self.children.len();
        let phases = self.phases;
        self.meter.lookups += phases.speed.run(Expand {
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
                let at = phases.space.reduced(child.node);
                // A position in the goal with turns left is no way: they would belong to the second
                // phase.
                match phases.near.guide(at) {
                    Some(&guide) if guide.distance > 0 => {
                        self.near(start, child.node, guide, left - 1, total)?;
                    }
                    _ => {}
                }
            }
            self.path.pop();
        }
        self.children.truncate(base);
        ControlFlow::Continue(())
    }

    /// Below a node whose guide is known.
    fn near(
        &mut self,
        start: usize,
        node: PhaseOneNode,
        guide: Guide,
        left: u8,
        total: u8,
    ) -> ControlFlow<()> {
        self.meter.node()?;
        let space = &self.phases.space;
        let leading = guide.leading(left - 1);
        let mut set = space.turns.following(node.state);
        if left == 1 {
            set &= space.ends;
        }
        let mut leads = 0;
        for turn in elements(set) {
            leads |= (leading >> space.conjugate(node, turn) & 1) << turn;
        }
        if left == 1 {
            // A last run consists of quarter turns alone.
            let list = space.turns.list();
            if let Some(&last) = self.path.last()
                && !list[usize::from(last)].is_quarter()
            {
                let axis = list[usize::from(last)].axis;
                leads &= space.turns.which(|turn| turn.axis != axis);
            }
            return if leads == 0 {
                ControlFlow::Continue(())
            } else {
                self.end(start, leads, total)
            };
        }
        for turn in elements(leads) {
            let child = space.after(node, turn);
            let at = space.reduced(child);
            self.meter.lookup();
            match self.phases.near.guide(at) {
                Some(&guide) if guide.distance > 0 => {
                    self.path.push(turn as u8);
                    self.near(start, child, guide, left - 1, total)?;
                    self.path.pop();
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes the endings by the path and one of some last turns, or none if the set is empty.
    fn end(&mut self, start: usize, last: TurnSet, total: u8) -> ControlFlow<()> {
        let same = self.path.iter().zip(&self.placed_path);
        let common = same.take_while(|(a, b)| a == b).count();
        self.placed_path.truncate(common);
        self.placed.truncate(common + 1);
        let listed = self.phases.speed.run(List {
            phases: self.phases,
            start,
            path: &self.path,
            last,
            placed_path: &mut self.placed_path,
            placed: &mut self.placed,
            into: &mut self.pending,
        });
        self.endings_left = self.endings_left.saturating_sub(listed);
        if self.endings_left == 0 {
            self.settle(total);
            return ControlFlow::Break(());
        }
        if self.pending.len() >= BATCH {
            self.settle(total);
        }
        ControlFlow::Continue(())
    }

    /// Looks for the best way to finish one of the pending endings, all of which have come to the
    /// same total, if it is better than the best so far.
    fn settle(&mut self, total: u8) {
        let phases = self.phases;
        let most = match &self.best {
            // One less than now, if that is not less than nothing.
            Some(best) => (best.total - total).checked_sub(1),
            None => Some(LONGEST_SECOND),
        };
        let promising = |pending: &Pending| {
            let bound = phases.two.table.bound(pending.entry);
            (most.is_some_and(|most| bound <= most)).then_some((bound, *pending))
        };
        let list: Vec<(u8, Pending)> = self.pending.iter().filter_map(promising).collect();
        self.meter.lookups += self.pending.len() as u64;
        self.pending.clear();
        let least = list.iter().map(|&(bound, _)| bound).min();
        let (Some(least), Some(most)) = (least, most) else {
            return;
        };
        for left in least..=most {
            for (_, pending) in list.iter().filter(|&&(bound, _)| bound <= left) {
                let one = &pending.path[..usize::from(pending.length)];
                let state = phases.space.turns.border(one, Symmetry::IDENTITY);
                let mut two = Vec::with_capacity(usize::from(left));
                if phases
                    .two
                    .solve(&pending.arrangement, state, left, self.meter, &mut two)
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

/// Lists the positions that can follow a node and from which so many turns more may suffice; gives
/// the number of lookups.
struct Expand<'a> {
    phases: &'a ThreeByThree,
    node: PhaseOneNode,
    left: u8,
    into: &'a mut Vec<Child>,
}

impl Work for Expand<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> u64 {
        let ThreeByThree { space, table, .. } = self.phases;
        let mut pending = [(
            Child {
                node: self.node,
                turn: 0,
            },
            0,
        ); TURNS];
        let mut count = 0;
        // As in the third stage, all lines are asked for before the first is looked at.
        for turn in elements(space.turns.following(self.node.state)) {
            let child = space.after(self.node, turn);
            let entry = space.reduced(child).index();
            table.prefetch(entry);
            let turn = turn as u8;
            pending[count] = (Child { node: child, turn }, entry);
            count += 1;
        }
        for &(child, entry) in &pending[..count] {
            if !table.exceeds(entry, self.left) {
                self.into.push(child);
            }
        }
        count as u64
    }
}

/// Lists endings with their bounds' places, and asks for these; gives their number.
struct List<'a> {
    phases: &'a ThreeByThree,
    start: usize,
    path: &'a [u8],
    last: TurnSet,
    placed_path: &'a mut Vec<u8>,
    placed: &'a mut Vec<Vec<Arrangement>>,
    into: &'a mut Vec<Pending>,
}

impl Work for List<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let phases = self.phases;
        for &turn in &self.path[self.placed_path.len()..] {
            let shuffle = &phases.shuffles[usize::from(turn)];
            let before = &self.placed[self.placed_path.len()];
            let after = before.iter().map(|at| at.moved(lanes, shuffle)).collect();
            self.placed.push(after);
            self.placed_path.push(turn);
        }
        let listed = self.into.len();
        let mut path = [0; MOST_TURNS];
        path[..self.path.len()].copy_from_slice(self.path);
        for (variant, at) in self.placed[self.path.len()].iter().enumerate() {
            let mut take = |arrangement: Arrangement, length: usize, path: [u8; MOST_TURNS]| {
                let entry = phases.two.space.entry(lanes, &arrangement);
                phases.two.table.prefetch(entry);
                self.into.push(Pending {
                    entry,
                    arrangement,
                    start: self.start as u32,
                    variant: variant as u8,
                    length: length as u8,
                    path,
                });
            };
            if self.last == 0 {
                take(*at, self.path.len(), path);
            }
            for turn in elements(self.last) {
                path[self.path.len()] = turn as u8;
                let arrangement = at.moved(lanes, &phases.shuffles[turn]);
                take(arrangement, self.path.len() + 1, path);
            }
        }
        self.into.len() - listed
    }
}
