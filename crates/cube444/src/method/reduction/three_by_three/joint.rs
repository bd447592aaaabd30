//! The joint search of both phases: many endings of the first one, each with the best of the second.

use super::arrangement::{Arrangement, shuffle};
use super::phases::{PhaseOne, PhaseTwo};
use super::starts::{Families, Start, families, starts};
use super::ways::{NO_TURNS, RADIUS, STILL, TURNS_ONE, Way};
use crate::coord::combinatorics::elements;
use crate::cube::AxisMove;
use crate::search::{Entrant, Meter, Outcome, Pace, Replay, Stopped, last_run};
use crate::simd::{self, Bytes32, Portable, Simd, Substitution};
use crate::stage::bounded::SpaceNode;
use crate::table::Bounds;

/// The number of endings whose bounds are looked up together.
const BATCH: usize = 64;
/// The maximum distance of the second phase.
const MAX_DISTANCE_TWO: u8 = 18;

/// The best solution so far.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Best {
    /// The index of the entrant that it solves.
    pub(super) entrant: usize,
    pub(super) moves: Vec<AxisMove>,
    /// The number of turns, including those before the entrant.
    pub(super) total: u8,
}

/// Both phases with their tables.
pub(super) struct BothPhases<B> {
    pub(super) one: PhaseOne<B>,
    two: PhaseTwo,
    families: Families,
    /// The rearrangement of the pieces by two turns of the first phase, of which any may be [`STILL`].
    pairs: Vec<[Bytes32; TURNS_ONE + 1]>,
}

impl<B: Bounds> BothPhases<B> {
    pub(super) fn new(one: PhaseOne<B>, two: PhaseTwo) -> BothPhases<B> {
        let moves = one.turns.moves().iter().copied();
        let shuffles: Vec<Bytes32> = moves.chain([AxisMove::STILL]).map(shuffle).collect();
        let pair = |first: &Bytes32, second: usize| {
            Portable.substitute(&shuffles[second], &Substitution(*first))
        };
        let pairs = shuffles.iter();
        BothPhases {
            families: families(&one.turns),
            pairs: pairs
                .map(|first| std::array::from_fn(|second| pair(first, second)))
                .collect(),
            one,
            two,
        }
    }

    /// The shortest solution of any of the entrants among `endings` endings of the first phase. `premoves` gives the
    /// maximum cost of premoves for a cost so far. `None` if the meter stops the search before there is one.
    pub(super) fn solve(
        &self,
        entrants: &[Entrant],
        premoves: impl Fn(usize) -> u8,
        endings: usize,
        meter: &mut Meter,
    ) -> Option<Best> {
        let starts = starts(&self.one, &self.families, entrants, premoves);
        let least = starts.first()?.bound;
        let mut search = PhaseSearch::new(self, starts, endings, meter);
        // The endings of the first phase in the order of total length.
        'totals: for total in least..u8::MAX {
            if search.best.as_ref().is_some_and(|best| total >= best.total) {
                break;
            }
            for number in 0..search.starts.partition_point(|start| start.bound <= total) {
                let node = search.begin(number, total);
                if search.endings(node).is_err() {
                    break 'totals;
                }
            }
            search.settle();
        }
        search.best
    }
}

struct PhaseSearch<'a, B> {
    phases: &'a BothPhases<B>,
    starts: Vec<Start<'a>>,
    meter: &'a mut Meter,
    endings_left: usize,
    best: Option<Best>,
    /// The index of the current start, and the total cost of its endings.
    start: usize,
    total: u8,
    /// Endings whose second phase is to be searched.
    pending: Vec<PendingEnding>,
    /// The turns of the first phase to the current node.
    path: Vec<u8>,
    /// The children of all nodes on the path.
    children: Vec<SpaceNode>,
    /// The arrangement of each variant along the path.
    placed: Replay<Vec<Arrangement>, u8>,
}

impl<'a, B: Bounds> PhaseSearch<'a, B> {
    fn new(
        phases: &'a BothPhases<B>,
        starts: Vec<Start<'a>>,
        endings: usize,
        meter: &'a mut Meter,
    ) -> PhaseSearch<'a, B> {
        PhaseSearch {
            phases,
            starts,
            meter,
            endings_left: endings,
            best: None,
            start: 0,
            total: 0,
            pending: Vec::with_capacity(2 * BATCH),
            path: Vec::with_capacity(32),
            children: Vec::with_capacity(256),
            placed: Replay::new(Vec::new()),
        }
    }

    /// Begins with a start, given by its index. Returns its node.
    fn begin(&mut self, start: usize, total: u8) -> SpaceNode {
        (self.start, self.total) = (start, total);
        let start = &mut self.starts[start];
        if start.variants.is_empty() {
            start.variants = start.arrangements();
        }
        self.placed.begin(start.variants.clone());
        let turns = &self.phases.one.turns;
        SpaceNode::root(turns, start.position, total - start.spent)
    }

    /// Lists the endings of exactly the cost that the node of the start has left.
    fn endings(&mut self, node: SpaceNode) -> Outcome {
        let cost = node.left;
        if usize::from(cost) > MAX_PATH {
            return Ok(());
        }
        let one = &self.phases.one;
        match one.ways.number(one.space.key(&node.position)) {
            _ if cost > RADIUS => self.far(node),
            Some(number) => self.near(node, number),
            None => Ok(()),
        }
    }

    /// Searches from a node that may not be near the goal.
    fn far(&mut self, node: SpaceNode) -> Outcome {
        self.meter.node()?;
        let base = self.children.len();
        let phases = self.phases;
        let children = &mut self.children;
        self.meter.statistics.lookups += simd::dispatch!(|_simd| expand(phases, node, children));
        for index in base..self.children.len() {
            let child = self.children[index];
            self.path.push(child.generator);
            if child.left > RADIUS {
                self.far(child)?;
            } else {
                // At the goal, the turns left would belong to the second phase.
                let ways = &phases.one.ways;
                match ways.number(phases.one.space.key(&child.position)) {
                    Some(number) if !ways.is_goal(number) => self.near(child, number)?,
                    _ => {}
                }
            }
            self.path.pop();
        }
        self.children.truncate(base);
        Ok(())
    }

    /// Adds the endings of a node near the goal, given the number of its position.
    fn near(&mut self, node: SpaceNode, number: u32) -> Outcome {
        self.meter.node()?;
        self.meter.statistics.lookups += 1;
        let one = &self.phases.one;
        let (at, left) = ((&node.position, number), node.left);
        let ways = one
            .ways
            .following((&one.space, &one.turns), at, (node.state, left));
        let mut batch = [NO_TURNS; BATCH];
        let mut count = 0;
        for way in ways {
            batch[count] = way;
            count += 1;
            if count == BATCH {
                self.end(&batch, left)?;
                count = 0;
            }
        }
        match count {
            0 => Ok(()),
            _ => self.end(&batch[..count], left),
        }
    }

    /// Adds the endings with the current path and one of the ways of `turns` turns.
    fn end(&mut self, ways: &[Way], turns: u8) -> Outcome {
        let most = self.most().ok_or(Stopped)?;
        let listed = simd::dispatch!(|simd| self.list(simd, ways, turns, most));
        self.meter.statistics.endings += listed as u64;
        self.endings_left = self.endings_left.saturating_sub(listed);
        let has_all = self.endings_left == 0;
        let is_late = self.meter.pace() != Pace::Steady;
        if has_all || is_late || self.pending.len() >= BATCH {
            self.settle();
        }
        match has_all || (is_late && self.best.is_some()) {
            true => Err(Stopped),
            false => Ok(()),
        }
    }

    /// The maximum number of turns of the second phase, after a first phase that ends at the current total, that improve the
    /// best solution. `None` if no number does.
    fn most(&self) -> Option<u8> {
        match &self.best {
            Some(best) => (best.total - self.total).checked_sub(1),
            None => Some(MAX_DISTANCE_TWO),
        }
    }

    /// Searches the second phase from the pending endings, which have the same total cost, for a solution
    /// better than the best so far.
    fn settle(&mut self) {
        let phases = self.phases;
        let Some(most) = self.most() else {
            self.pending.clear();
            return;
        };
        let promising = |pending: PendingEnding| {
            let bound = phases.two.bound(&pending.arrangement, pending.entry);
            (bound <= most).then_some((bound, pending))
        };
        self.meter.statistics.lookups += self.pending.len() as u64;
        let list: Vec<_> = self.pending.drain(..).filter_map(promising).collect();
        let moves = phases.one.turns.moves();
        let bounds = list.iter().map(|&(bound, _)| bound);
        for left in bounds.min().unwrap_or(u8::MAX)..=most {
            for (_, pending) in list.iter().filter(|&&(bound, _)| bound <= left) {
                let one = &pending.path[..usize::from(pending.length)];
                let one = one.iter().map(|&turn| moves[usize::from(turn)]);
                let start = phases.two.turns.start(last_run(one.clone()));
                let node = phases.two.node(&pending.arrangement);
                if let Some(two) = phases.two.solve(node, start, left, self.meter) {
                    let moves: Vec<AxisMove> = one.chain(two.into_iter().rev()).collect();
                    let start = &self.starts[pending.start as usize];
                    self.best = Some(Best {
                        entrant: start.entrant,
                        moves: start.solution(pending.variant.into(), &moves),
                        total: self.total + left,
                    });
                    return;
                }
            }
        }
    }

    /// Lists the endings with the current path and one of the ways, see [`PhaseSearch::end`], whose corners are near enough
    /// for `most` turns of the second phase. Prefetches the entries of their bounds. Returns the number of all endings.
    #[inline(always)]
    fn list<S: Simd>(&mut self, simd: S, ways: &[Way], turns: u8, most: u8) -> usize {
        let phases = self.phases;
        let placed = self.placed.after(&self.path, |variants, turn| {
            let shuffle = &phases.pairs[usize::from(turn)][usize::from(STILL)];
            // Not by `map`, see `Simd::shuffle24`.
            let mut moved = Vec::with_capacity(variants.len());
            for at in variants {
                moved.push(at.moved(simd, shuffle));
            }
            moved
        });
        let length = self.path.len();
        let mut path = [0; MAX_PATH];
        path[..length].copy_from_slice(&self.path);
        for way in ways {
            let [first, second, third] = way;
            let pair = |&[a, b]: &[u8; 2]| &phases.pairs[usize::from(a)][usize::from(b)];
            let joined = simd.substitute(pair(second), &Substitution(*pair(first)));
            let joined = simd.substitute(pair(third), &Substitution(joined));
            path[length..length + usize::from(RADIUS)].copy_from_slice(way.as_flattened());
            for (variant, at) in placed.iter().enumerate() {
                let arrangement = at.moved(simd, &joined);
                if let Some(entry) = phases.two.fetched_entry(simd, &arrangement, most) {
                    self.pending.push(PendingEnding {
                        entry,
                        arrangement,
                        start: self.start as u32,
                        variant: variant as u8,
                        length: length as u8 + turns,
                        path,
                    });
                }
            }
        }
        ways.len() * placed.len()
    }
}

/// An ending of the first phase whose bound has been prefetched.
struct PendingEnding {
    entry: u32,
    arrangement: Arrangement,
    start: u32,
    variant: u8,
    length: u8,
    path: [u8; MAX_PATH],
}

/// The maximum length of a path, a few turns more than the maximum distance, which is 12.
const MAX_PATH: usize = 16;

/// Lists the children of a node whose distance may be at most what they have left. Returns the number of lookups.
#[inline(always)]
fn expand(phases: &BothPhases<impl Bounds>, node: SpaceNode, into: &mut Vec<SpaceNode>) -> u64 {
    let (one, left) = (&phases.one, node.left - 1);
    let mut pending = [(node, 0); TURNS_ONE];
    let mut count = 0;
    let neighbors = one.space.neighbors(&node.position);
    for turn in elements(one.turns.following(node.state)) {
        let child = SpaceNode {
            position: neighbors.child(turn as u8),
            generator: turn as u8,
            state: one.turns.after(node.state, turn),
            left,
        };
        pending[count] = (child, one.space.key(&child.position));
        count += 1;
    }
    let mut push = |child: SpaceNode| {
        one.space.prefetch(&child.position);
        into.push(child);
    };
    if left <= RADIUS {
        for &(child, key) in &pending[..count] {
            if one.ways.may_have(key) {
                push(child);
            }
        }
        return count as u64;
    }
    // As in the third stage, prefetch all entries before the first lookup.
    for (_, key) in &pending[..count] {
        one.table.prefetch(*key);
    }
    for &(child, key) in &pending[..count] {
        if !one.table.exceeds(key, left) {
            push(child);
        }
    }
    count as u64
}

#[cfg(test)]
mod tests;
