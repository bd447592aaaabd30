//! A small search over the kernels, for measuring.

use std::cell::Cell;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use super::axis_centers::AxisCenters;
use super::belt::Belt;
use super::kernel::{Meter, StageKernel};
use super::pair_up::PairUp;
use super::three_by_three::{Reduction, ThreeByThree};
use super::turns::RunState;
use crate::cube::{Action, Axis, AxisMove, Cube, Symmetry};

/// How much work goes into a solution.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Endings of the first stage.
    pub first: usize,
    /// The most promising of them that are kept.
    pub first_kept: usize,
    /// Endings of the second stage.
    pub second: usize,
    /// Endings of the third stage: reductions.
    pub third: usize,
    /// Nodes of the third stage after which the reductions found so far must do, if there is one.
    pub third_nodes: u64,
    /// Endings of the first phase.
    pub fourth: usize,
    /// Reductions within so many turns of the shortest have premoves of two turns.
    pub two_premoves: u8,
}

/// The five stages.
pub struct Driver {
    /// The first stage.
    pub axis_centers: AxisCenters,
    /// The second stage.
    pub belt: Belt,
    /// The third stage.
    pub pair_up: PairUp,
    /// The last two stages.
    pub three_by_three: ThreeByThree,
}

/// A way to solve a state, and what finding it took.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Axis moves in the frame of the cube given.
    pub moves: Vec<AxisMove>,
    /// Turns of each of the first three stages, and of the rest.
    pub costs: [usize; 4],
    /// Time spent in them.
    pub times: [Duration; 4],
    /// Nodes expanded in them.
    pub nodes: [u64; 4],
    /// Lookups made in them.
    pub lookups: [u64; 4],
}

/// A cube that has come through some stages.
#[derive(Clone)]
struct Candidate<N> {
    cube: Cube,
    node: N,
    cost: usize,
    key: usize,
    parent: usize,
    path: Vec<u8>,
    action: Action,
}

/// Equal for equal cubes; that unequal ones collide does not matter here.
fn state_hash(cube: &Cube) -> u64 {
    let mut bytes = [0; 56];
    bytes[..8].copy_from_slice(&cube.corners);
    bytes[8..32].copy_from_slice(&cube.wings);
    bytes[32..].copy_from_slice(&cube.centers);
    xxh3_64(&bytes)
}

/// Takes a number that is a hash already for its own hash.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// How far a stage is listed.
#[derive(Clone, Copy)]
struct Share {
    endings: usize,
    /// Nodes after which what has been found must do.
    nodes: u64,
}

/// What came of a stage.
struct Passed<N> {
    candidates: Vec<Candidate<N>>,
    nodes: u64,
    lookups: u64,
}

/// Lists endings of a stage in the order of total cost and gives those that are not copies.
fn pass<K: StageKernel, N>(
    stage: &K,
    parents: &[Candidate<K::Node>],
    share: Share,
    enter: impl Fn(&Cube, RunState) -> (N, u8),
) -> Passed<N> {
    let listed = Cell::new(0);
    let mut stop = |nodes| listed.get() > 0 && nodes > share.nodes;
    let mut meter = Meter::new(&mut stop);
    let mut candidates = Vec::new();
    let mut seen: HashSet<u64, BuildHasherDefault<Hashed>> = HashSet::default();
    let least = parents.iter().map(|parent| parent.key).min();
    let totals = least.map_or(0..0, |least| least..usize::MAX);
    'totals: for total in totals {
        for (number, parent) in parents.iter().enumerate().filter(|(_, p)| p.key <= total) {
            let mut replay = vec![parent.cube];
            let mut replayed: Vec<u8> = Vec::new();
            let mut visit = |path: &[u8]| {
                let same = replayed.iter().zip(path).take_while(|(a, b)| a == b);
                let common = same.count();
                replay.truncate(common + 1);
                replayed.truncate(common);
                for &turn in &path[common..] {
                    let mv = stage.turns().moves()[usize::from(turn)];
                    replay.extend(replay.last().map(|cube| cube.moved(mv)));
                    replayed.push(turn);
                }
                listed.set(listed.get() + 1);
                let cube = replay[path.len()];
                let turn = stage.settle(&cube);
                let action = Action::turning(turn);
                let settled = if turn == Symmetry::IDENTITY {
                    cube
                } else {
                    cube.transformed(action)
                };
                if seen.insert(state_hash(&settled)) {
                    let (node, bound) = enter(&settled, stage.turns().border(path, turn));
                    candidates.push(Candidate {
                        cube: settled,
                        node,
                        cost: total,
                        key: total + usize::from(bound),
                        parent: number,
                        path: path.to_vec(),
                        action,
                    });
                }
                if listed.get() >= share.endings {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let cost = (total - parent.cost) as u8;
            if stage
                .endings(&parent.node, cost, &mut meter, &mut visit)
                .is_break()
            {
                break 'totals;
            }
        }
    }
    let (nodes, lookups) = (meter.nodes, meter.lookups);
    Passed {
        candidates,
        nodes,
        lookups,
    }
}

impl Driver {
    /// Solves a state; `None` if a budget has no room for a solution.
    #[must_use]
    pub fn solve(&self, cube: &Cube, budget: &Budget) -> Option<Solved> {
        let mut times = [Duration::ZERO; 4];
        let (mut nodes, mut lookups) = ([0; 4], [0; 4]);
        let mut clock = Instant::now();
        let third = Symmetry::rotation(Axis::X, 1).then(Symmetry::rotation(Axis::Y, 1));
        let roots: Vec<_> = [Symmetry::IDENTITY, third, third.then(third)]
            .map(|colours| {
                let action = Action::relabelling(colours);
                let cube = cube.transformed(action);
                let (node, bound) = self.axis_centers.enter(&cube, RunState::START);
                Candidate {
                    cube,
                    node,
                    cost: 0,
                    key: usize::from(bound),
                    parent: 0,
                    path: Vec::new(),
                    action,
                }
            })
            .to_vec();
        let mut lap = |stage: usize, nodes_now: u64, lookups_now: u64| {
            times[stage] = clock.elapsed();
            clock = Instant::now();
            (nodes[stage], lookups[stage]) = (nodes_now, lookups_now);
        };
        let all = |endings: usize| Share {
            endings,
            nodes: u64::MAX,
        };
        let enter = |cube: &Cube, state| self.belt.enter(cube, state);
        let passed = pass(&self.axis_centers, &roots, all(budget.first), enter);
        let mut first = passed.candidates;
        first.sort_by_key(|candidate| candidate.key);
        first.truncate(budget.first_kept);
        lap(0, passed.nodes, passed.lookups);
        let enter = |cube: &Cube, state| self.pair_up.enter(cube, state);
        let passed = pass(&self.belt, &first, all(budget.second), enter);
        let mut second = passed.candidates;
        second.sort_by_key(|candidate| candidate.key);
        lap(1, passed.nodes, passed.lookups);
        let share = Share {
            endings: budget.third,
            nodes: budget.third_nodes,
        };
        let passed = pass(&self.pair_up, &second, share, |_, _| ((), 0));
        let reductions = passed.candidates;
        lap(2, passed.nodes, passed.lookups);
        let mut never = |_| false;
        let mut meter = Meter::new(&mut never);
        let least = reductions.first()?.cost;
        let from: Vec<Reduction> = reductions
            .iter()
            .map(|candidate| Reduction {
                cube: candidate.cube,
                cost: candidate.cost as u8,
                premoves: if candidate.cost <= least + usize::from(budget.two_premoves) {
                    2
                } else {
                    1
                },
            })
            .collect();
        let finished = self
            .three_by_three
            .finish(&from, budget.fourth, &mut meter)?;
        lap(3, meter.nodes, meter.lookups);
        let third = &reductions[finished.reduction];
        let second = &second[third.parent];
        let first = &first[second.parent];
        let root = &roots[first.parent];
        let mut frame = root.action.places();
        let mut moves = Vec::new();
        let mut take = |path: &[u8], stage: &[AxisMove], action: Action| {
            let undo = frame.inverse();
            let turns = path.iter().map(|&turn| stage[usize::from(turn)]);
            moves.extend(turns.map(|mv| mv.conjugate(undo)));
            frame = frame.then(action.places());
        };
        take(&first.path, self.axis_centers.turns().moves(), first.action);
        take(&second.path, self.belt.turns().moves(), second.action);
        take(&third.path, self.pair_up.turns().moves(), third.action);
        let undo = frame.inverse();
        moves.extend(finished.moves.iter().map(|mv| mv.conjugate(undo)));
        let total = usize::from(finished.total);
        Some(Solved {
            moves,
            costs: [
                first.cost,
                second.cost - first.cost,
                third.cost - second.cost,
                total - third.cost,
            ],
            times,
            nodes,
            lookups,
        })
    }
}
