//! The search of the third stage.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::pairing::{PAIRED, Pairing, Ranked, pairing_of};
use super::pairing_table::{PairingTable, entry};
use super::{Centers, NAME, PairEdges, TURNS, is_home, key};
use crate::coord::combinatorics::elements;
use crate::cube::{Action, Axis, AxisMove, Cube, Symmetry};
use crate::search::turns::{TurnSet, TurnState};
use crate::search::{
    Beam, Ending, Endings, Entrant, Meter, Outcome, Profile, Replay, Stage, StagePart, StageSearch,
    Take, list_in_order,
};
use crate::simd::{self, Portable, Simd};
use crate::table::{
    Bounds, BuildError, Filter, Monitor, Probe, RangeTable, Table, TableSpec, prefetch,
};

impl Stage for PairEdges {
    fn name(&self) -> &'static str {
        NAME
    }

    fn goal(&self) -> &'static str {
        "centers solved and wings paired: a 3x3x3 cube"
    }

    fn parts(&self, monitor: &Monitor<'_>) -> Result<Vec<StagePart>, BuildError> {
        let pairings = PairingTable::new(self, false).build(monitor)?;
        // The positions near the goal, with exact distances.
        let near_goal = self.near_goal(Profile::Compact);
        Ok(vec![
            StagePart::new("pairings", false, pairings.distribution),
            StagePart::new("centers", false, self.centers.distribution()),
            StagePart::new("near-goal", false, near_goal.distribution()),
        ])
    }

    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        vec![
            Box::new(PairingTable::new(self, profile == Profile::Pocket)),
            Box::new(self.near_goal(profile)),
        ]
    }

    fn open(self: Arc<Self>, _: Profile, tables: Vec<Arc<Table>>) -> Box<dyn StageSearch> {
        let [pairings, near] = tables.try_into().expect("the stage asks for two tables");
        Box::new(PairEdgesSearch {
            stage: self,
            table: RangeTable::new(pairings).expect("pairings have two bits per entry"),
            near: Filter::new(near, 0).expect("the table of near positions is a filter"),
        })
    }
}

/// The third stage, with its tables.
pub(super) struct PairEdgesSearch {
    stage: Arc<PairEdges>,
    table: RangeTable,
    near: Filter,
}

impl PairEdgesSearch {
    /// Prepares to list endings.
    fn endings(&self) -> PairEdgesEndings<'_> {
        PairEdgesEndings {
            search: self,
            cost: 0,
            nodes: Vec::new(),
            levels: Vec::new(),
            path: Vec::with_capacity(16),
            ends: 0,
            children: Children::default(),
            replay: Replay::new(Cube::solved()),
        }
    }
}

impl StageSearch for PairEdgesSearch {
    fn bounds(&self, cubes: &[(Cube, Action)], _: u8) -> Vec<u8> {
        simd::dispatch!(|simd| bounds(simd, self, cubes))
    }

    fn search(&self, from: &[Entrant], beam: Beam, take: Take<'_>, meter: &mut Meter) -> Outcome {
        // Of the entrants with some total cost, begin with those that have the fewest turns left: for an ending, they take
        // the fewest nodes.
        let mut order: Vec<usize> = (0..from.len()).collect();
        order.sort_by_key(|&index| Reverse(from[index].cost));
        let entrants: Vec<Entrant> = order.iter().map(|&index| from[index]).collect();
        let mut take = |number: usize, cost: usize, ending: &Ending<'_>, meter: &mut Meter| {
            take(order[number], cost, ending, meter)
        };
        list_in_order(&mut self.endings(), &entrants, beam, &mut take, meter)
    }
}

/// The half turn of the whole cube that solves the centers.
fn rotation(ending: &Cube) -> Symmetry {
    match Axis::ALL.map(|axis| is_home(ending, axis)) {
        [true, true, true] => Symmetry::IDENTITY,
        [true, ..] => Symmetry::rotation(Axis::X, 2),
        [_, true, _] => Symmetry::rotation(Axis::Y, 2),
        _ => Symmetry::rotation(Axis::Z, 2),
    }
}

/// A node of the search.
#[derive(Clone, Copy)]
struct Node {
    pairing: Pairing,
    centers: u16,
    state: TurnState,
    /// The turn that leads to the node, and the index of the node before it.
    turn: u8,
    parent: u32,
}

impl Node {
    fn root(cube: &Cube, state: TurnState) -> Node {
        Node {
            pairing: pairing_of(cube),
            centers: Centers::rank(cube),
            state,
            turn: 0,
            parent: 0,
        }
    }

    #[inline(always)]
    fn is_goal(&self, stage: &PairEdges) -> bool {
        self.centers == stage.centers.goal && self.pairing == PAIRED
    }
}

/// The maximum number of nodes that are expanded together.
const BATCH: usize = 4;

/// Depth-first enumeration, some nodes at a time.
struct PairEdgesEndings<'a> {
    search: &'a PairEdgesSearch,
    /// The number of turns of the endings.
    cost: u8,
    /// The first node, and some of the nodes at each depth below it.
    nodes: Vec<Node>,
    /// For each depth, the nodes that are still to be looked at.
    levels: Vec<Range<usize>>,
    /// The moves of the last ending.
    path: Vec<AxisMove>,
    /// The last turns from the current position that are still to be listed.
    ends: TurnSet,
    children: Children,
    replay: Replay<Cube>,
}

impl Endings for PairEdgesEndings<'_> {
    fn begin(&mut self, _: usize, entrant: &Entrant, cost: u8, _: &mut Meter) -> Outcome {
        let state = self.search.stage.turns.start(entrant.last_run);
        self.cost = cost;
        self.nodes.clear();
        self.nodes.push(Node::root(&entrant.cube, state));
        self.levels.clear();
        self.levels.push(0..1);
        self.path.clear();
        self.ends = 0;
        self.replay.begin(entrant.cube);
        Ok(())
    }

    fn next(&mut self, meter: &mut Meter) -> Outcome<Option<Ending<'_>>> {
        while self.ends == 0 {
            let depth = self.levels.len() as u8;
            let Some(level) = self.levels.last_mut() else {
                return Ok(None);
            };
            if level.start == level.end {
                self.levels.pop();
                let last = self.levels.last();
                self.nodes.truncate(last.map_or(0, |level| level.end));
                continue;
            }
            let batch = level.start..level.end.min(level.start + BATCH);
            match self.cost + 1 - depth {
                0 => {
                    // Without turns, only the first node can be an ending.
                    self.levels.clear();
                    if self.nodes[0].is_goal(&self.search.stage) {
                        return Ok(Some(self.ending(meter)));
                    }
                }
                1 => {
                    level.start += 1;
                    meter.node()?;
                    self.find_ends(batch.start);
                }
                left => {
                    level.start = batch.end;
                    for _ in batch.clone() {
                        meter.node()?;
                    }
                    let children = self.nodes.len();
                    meter.statistics.lookups += simd::dispatch!(|simd| expand(
                        simd,
                        self.search,
                        &mut self.nodes,
                        batch,
                        left - 1,
                        &mut self.children
                    ));
                    self.levels.push(children..self.nodes.len());
                }
            }
        }
        let end = self.ends.trailing_zeros() as usize;
        self.ends &= self.ends - 1;
        self.path.pop();
        self.path.push(self.search.stage.turns.moves()[end]);
        Ok(Some(self.ending(meter)))
    }
}

impl PairEdgesEndings<'_> {
    /// The ending with the current path.
    fn ending(&mut self, meter: &mut Meter) -> Ending<'_> {
        meter.statistics.endings += 1;
        let cube = self.replay.cube(&self.path);
        Ending {
            moves: &self.path,
            cube,
            rotation: rotation(&cube),
        }
    }

    /// Finds the ends of a node with one turn left, and its path, followed by an arbitrary move.
    fn find_ends(&mut self, last: usize) {
        let node = self.nodes[last];
        let stage = &self.search.stage;
        let (pairings, centers) = (&stage.pairings, &stage.centers);
        for turn in elements(stage.turns.ending(node.state)) {
            let is_end = centers.images(node.centers)[turn] == centers.goal
                && pairings.turns[turn].on(Portable, node.pairing) == PAIRED;
            self.ends |= TurnSet::from(is_end) << turn;
        }
        if self.ends == 0 {
            return;
        }
        self.path.clear();
        self.path.push(AxisMove::STILL);
        let mut at = last;
        while at != 0 {
            let Node { parent, turn, .. } = self.nodes[at];
            self.path.push(stage.turns.moves()[usize::from(turn)]);
            at = parent as usize;
        }
        self.path.reverse();
    }
}

/// A lower bound of the distance of each cube after an action.
#[inline(always)]
fn bounds<S: Simd>(simd: S, search: &PairEdgesSearch, cubes: &[(Cube, Action)]) -> Vec<u8> {
    let PairEdgesSearch { stage, table, near } = search;
    // All entries are prefetched before the first one is looked up.
    let mut positions = Vec::with_capacity(cubes.len());
    for (cube, action) in cubes {
        let cube = cube.transformed(*action);
        let centers = Centers::rank(&cube);
        let ranked = stage.pairings.rank(simd, pairing_of(&cube));
        let entry = entry(ranked.index, centers);
        table.prefetch(entry);
        let conjugated = stage.centers.conjugated(centers, ranked.sym.into());
        positions.push((centers, entry, key(ranked.index, conjugated)));
    }
    let mut bounds = Vec::with_capacity(cubes.len());
    for (centers, entry, key) in positions {
        let bound = stage.centers.distance(centers).max(table.bound(entry));
        bounds.push(bound.max(near.bound_from(key, bound)));
    }
    bounds
}

/// Beyond the radius of the filter, centers that need more turns than this must leave three to spare. This prunes a third
/// of the nodes and loses a tenth of the solutions (measured with ten turns left).
const MAX_CENTER_DISTANCE: u8 = 7;

/// The children of a batch of nodes. The lists keep their memory to use again.
#[derive(Default)]
struct Children {
    pending: Vec<(Node, Ranked)>,
    probes: Vec<Probe>,
}

/// Appends the children of a batch of nodes whose distance may be at most `left` to the nodes. Returns the number
/// of lookups.
///
/// Beyond the radius of the filter, children are many, and few lead to an ending. Most positions are farther from
/// the goal than their pairings and their centers. So this leaves out children whose pairing alone needs all turns
/// left, or whose centers alone need almost all. A search with more turns finds other endings.
#[inline(always)]
fn expand<S: Simd>(
    simd: S,
    search: &PairEdgesSearch,
    nodes: &mut Vec<Node>,
    batch: Range<usize>,
    left: u8,
    Children { pending, probes }: &mut Children,
) -> u64 {
    let PairEdgesSearch { stage, table, near } = search;
    let is_beyond = left > near.radius;
    let (most_centers, most_pairings) = if is_beyond {
        (
            left.min(MAX_CENTER_DISTANCE).max(left.saturating_sub(3)),
            left - 1,
        )
    } else {
        (left, left)
    };
    // Each step handles all children, so that their cache misses overlap.
    pending.clear();
    for node in &nodes[batch.clone()] {
        let row = stage.centers.images(node.centers);
        prefetch(&row[0]);
        prefetch(&row[TURNS - 1]);
    }
    for (parent, node) in batch.clone().zip(&nodes[batch]) {
        // Without a branch for each turn, which would often be mispredicted.
        let row = stage.centers.images(node.centers);
        let mut kept_by_centers = 0;
        for (turn, &centers) in row.iter().enumerate() {
            kept_by_centers |= u32::from(stage.centers.distance(centers) <= most_centers) << turn;
        }
        for turn in elements(stage.turns.following(node.state) & kept_by_centers) {
            let child = Node {
                pairing: stage.pairings.turns[turn].on(simd, node.pairing),
                centers: row[turn],
                state: stage.turns.after(node.state, turn),
                turn: turn as u8,
                parent: parent as u32,
            };
            // At the goal, the turns left would belong to the next stage.
            if !child.is_goal(stage) {
                pending.push((child, stage.pairings.rank(simd, child.pairing)));
            }
        }
    }
    let count = pending.len() as u64;
    let entry_of = |(child, ranked): &(Node, Ranked)| entry(ranked.index, child.centers);
    // Prefetches are fastest one after another, so that their address translations overlap, too.
    for child in pending.iter() {
        table.prefetch(entry_of(child));
    }
    pending.retain(|child| !table.exceeds(entry_of(child), most_pairings));
    // The filter is much larger than the table. Look up only children that pass the table.
    if is_beyond {
        nodes.extend(pending.iter().map(|(child, _)| child));
        return count;
    }
    probes.clear();
    probes.extend(pending.iter().map(|(child, ranked)| {
        let centers = stage.centers.conjugated(child.centers, ranked.sym.into());
        near.probe(key(ranked.index, centers), left)
    }));
    for probe in probes.iter() {
        near.prefetch_probe(*probe);
    }
    let listed = pending.iter().zip(probes);
    let listed = listed.filter(|(_, probe)| near.has(**probe));
    nodes.extend(listed.map(|((child, _), _)| child));
    count
}

#[cfg(test)]
mod tests;
