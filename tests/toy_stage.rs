//! Two stages small enough for plain search on whole cubes, against the engine: table builder,
//! symmetry reduction and enumeration.

use std::collections::{BTreeMap, HashMap, HashSet};

use scramble444::coord::Coordinate;
use scramble444::coord::centers::{CenterPairing, CenterPlaces};
use scramble444::coord::corners::CornerCoset;
use scramble444::cube::turn::{PATTERNS, Pattern, join, undo};
use scramble444::cube::{Action, Axis, AxisMove, Cube, Metric, Pieces, Symmetry};
use scramble444::scramble::written;
use scramble444::search::{Limits, SearchSpace, enumerate};
use scramble444::stage::{
    AxisFreedom, Cover, Expected, FirstRest, Freedom, Node, Space, StageGraph, StageSpec, Step,
    Turns,
};
use scramble444::table::build;

/// A coordinate with one value.
struct Nothing;

impl Coordinate for Nothing {
    fn name(&self) -> String {
        "nothing".to_owned()
    }
    fn pieces(&self) -> Pieces {
        Pieces::Corners
    }
    fn size(&self) -> usize {
        1
    }
    fn rank(&self, _: &Cube) -> usize {
        0
    }
    fn write(&self, _: usize, _: &mut Cube) {}
}

const HALF: AxisFreedom = AxisFreedom::all(Turns::Half);
const INNER: AxisFreedom = AxisFreedom {
    outer: Turns::Half,
    inner: Turns::Quarter,
};
const OUTER: AxisFreedom = AxisFreedom {
    outer: Turns::Quarter,
    inner: Turns::Half,
};

fn toy(
    freedom: Freedom,
    goal_freedom: Freedom,
    keeps: fn(Symmetry) -> bool,
    lead: Box<dyn Coordinate>,
    first: FirstRest,
) -> StageSpec {
    let positions = (lead.size() * 35) as u64;
    StageSpec {
        name: "toy",
        goal: "a toy",
        freedom,
        goal_freedom,
        symmetries: Symmetry::all()
            .filter(|&s| keeps(s))
            .map(Action::conjugation)
            .collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        turns: vec![Symmetry::IDENTITY],
        lead,
        first,
        second: Box::new(Nothing),
        compact: &[Cover::Both],
        expected: Expected {
            classes: 0,
            goals: 6,
            positions,
        },
    }
}

/// Corners and U and D centers up to half turns, by the turns of stage 4: 420·35 positions.
fn corner_toy() -> StageSpec {
    let freedom = Freedom([HALF, OUTER, HALF]);
    let pairing = FirstRest::Free(Box::new(CenterPairing::DU));
    let keeps_ud = |s: Symmetry| s.axis(Axis::Y).0 == Axis::Y;
    toy(
        freedom,
        Freedom::HALF,
        keeps_ud,
        Box::new(CornerCoset),
        pairing,
    )
}

/// L and R centers, by the turns of stage 3: 12,870·35 positions.
fn center_toy() -> StageSpec {
    let freedom = Freedom([HALF, OUTER, INNER]);
    let goal_freedom = Freedom([HALF, OUTER, HALF]);
    let pairing = FirstRest::PairingOfLead(CenterPairing::LR);
    let keeps_axes = |s: Symmetry| Axis::ALL.into_iter().all(|axis| s.axis(axis).0 == axis);
    toy(
        freedom,
        goal_freedom,
        keeps_axes,
        Box::new(CenterPlaces::LR_OFF_FB),
        pairing,
    )
}

type Raw = (usize, usize);

fn raw(spec: &StageSpec, cube: &Cube) -> Raw {
    (
        spec.lead.rank(cube),
        spec.first.coordinate().unwrap().rank(cube),
    )
}

/// A cube at every position that the goal's moves reach from the solved one.
fn plain_goals(spec: &StageSpec) -> HashMap<Raw, Cube> {
    let mut goals = HashMap::from([(raw(spec, &Cube::solved()), Cube::solved())]);
    let mut cubes = vec![Cube::solved()];
    while let Some(cube) = cubes.pop() {
        for mv in spec.goal_freedom.moves() {
            let next = cube.moved(mv);
            if goals.insert(raw(spec, &next), next).is_none() {
                cubes.push(next);
            }
        }
    }
    goals
}

/// An allowed move of every pattern at the metric's cost, and the allowed whole rotations at none.
fn weighted_moves(freedom: &Freedom, metric: Metric) -> Vec<(AxisMove, u8)> {
    let rotations = freedom
        .moves()
        .filter(|mv| mv.pattern() == 0)
        .map(|mv| (mv, 0));
    let patterns = Axis::ALL
        .into_iter()
        .flat_map(|axis| freedom.realisations(axis, metric));
    rotations
        .chain(patterns.flatten().filter(|(mv, _)| mv.pattern() != 0))
        .collect()
}

/// Distances of all positions from the goal, by search over unreduced positions, whole axis moves
/// at a time.
fn plain_distances(spec: &StageSpec, metric: Metric) -> HashMap<Raw, u8> {
    let goal = plain_goals(spec);
    let moves = weighted_moves(&spec.freedom, metric);
    let mut waiting: BTreeMap<u8, Vec<Cube>> = BTreeMap::from([(0, goal.into_values().collect())]);
    let mut distances = HashMap::new();
    while let Some((distance, cubes)) = waiting.pop_first() {
        for cube in cubes {
            if distances.contains_key(&raw(spec, &cube)) {
                continue;
            }
            distances.insert(raw(spec, &cube), distance);
            for &(mv, cost) in &moves {
                let next = cube.moved(mv);
                if !distances.contains_key(&raw(spec, &next)) {
                    waiting.entry(distance + cost).or_default().push(next);
                }
            }
        }
    }
    distances
}

fn assert_table_is_plain(spec: fn() -> StageSpec, metric: Metric) {
    let plain = plain_distances(&spec(), metric);
    let space = Space::new(spec(), metric).unwrap();
    let (table, distribution) = build(&StageGraph::new(&space, Cover::Both), &|_| ()).unwrap();
    assert_eq!(plain.len() as u64, space.spec().expected.positions);
    assert_eq!(distribution.total(), space.spec().expected.positions);
    let mut counts = vec![0; distribution.positions.len()];
    // Every unreduced position, looked up by way of its symmetry class.
    let mut classes = HashSet::new();
    for (&(lead, first), &distance) in &plain {
        let mut cube = space.spec().lead.unrank(lead);
        space
            .spec()
            .first
            .coordinate()
            .unwrap()
            .write(first, &mut cube);
        let node = space.position(&cube);
        assert_eq!(table[space.index(Cover::Both, &node)], distance);
        counts[distance as usize] += 1;
        let images: HashSet<Raw> = space
            .group()
            .actions()
            .map(|action| raw(space.spec(), &cube.transformed(action)))
            .collect();
        classes.insert(images.into_iter().min().unwrap());
    }
    assert_eq!(distribution.positions, counts);
    let mut unique = vec![0; counts.len()];
    for class in &classes {
        unique[plain[class] as usize] += 1;
    }
    assert_eq!(distribution.unique, unique);
}

#[test]
fn corner_toy_table_agrees_with_plain_search() {
    assert_table_is_plain(corner_toy, Metric::Obtm);
    assert_table_is_plain(corner_toy, Metric::Stm);
}

#[test]
fn center_toy_table_agrees_with_plain_search() {
    assert_table_is_plain(center_toy, Metric::Obtm);
}

/// A toy with its table in memory.
struct InMemory {
    space: Space,
    table: Vec<u8>,
}

impl SearchSpace for InMemory {
    type Node = Node;

    fn expand(&self, node: &Node, state: u8, left: u8, into: &mut Vec<(Node, Step)>) {
        self.space.expand(node, state, left, into);
    }
    fn is_known(&self, left: u8) -> bool {
        left <= self.space.known_radius()
    }
    fn exceeds(&self, node: &Node, limit: u8) -> bool {
        self.table[self.space.index(Cover::Both, node)] > limit
    }
    fn is_goal(&self, node: &Node) -> bool {
        self.space.is_goal(node)
    }
}

/// A sequence of axis moves in canonical notation, so that sequences that differ in where the whole
/// cube is turned are equal.
fn canonical(moves: &[AxisMove]) -> String {
    written(moves).to_string()
}

/// Lists, on whole cubes and without any table or automaton, the sequences of axis moves of exactly
/// `left` that end at the goal with an axis move that cannot leave a part to the next stage for
/// free.
struct Naive<'a> {
    spec: &'a StageSpec,
    metric: Metric,
    goals: HashMap<Raw, Cube>,
    found: HashSet<String>,
}

impl Naive<'_> {
    fn below(&mut self, cube: &Cube, path: &mut Vec<AxisMove>, left: u8) {
        for axis in Axis::ALL {
            if path.last().is_some_and(|last| last.axis() == axis) {
                continue;
            }
            let realisations = self.spec.freedom.realisations(axis, self.metric);
            for pattern in 1..PATTERNS as Pattern {
                let Some((mv, cost)) = realisations[pattern as usize] else {
                    continue;
                };
                if cost > left {
                    continue;
                }
                let next = cube.moved(mv);
                path.push(mv);
                if cost < left {
                    self.below(&next, path, left - cost);
                } else if self.goals.contains_key(&raw(self.spec, &next))
                    && self.may_end(axis, pattern)
                {
                    assert!(self.found.insert(canonical(path)));
                }
                path.pop();
            }
        }
    }

    fn may_end(&self, axis: Axis, pattern: Pattern) -> bool {
        let costs = self.spec.freedom.costs(axis, self.metric);
        let next_costs = self.spec.goal_freedom.costs(axis, self.metric);
        (1..PATTERNS as Pattern).all(|part| {
            let rest = join(pattern, undo(part)) as usize;
            match (costs[rest], next_costs[part as usize]) {
                (Some(rest), Some(part)) => Some(rest + part) > costs[pattern as usize],
                _ => true,
            }
        })
    }
}

/// The axis moves that a path of generators makes.
fn axis_moves(space: &Space, path: &[u8]) -> Vec<AxisMove> {
    let mut joined: Vec<AxisMove> = Vec::new();
    for &generator in path {
        let mv = space.generators().moves()[generator as usize];
        match joined.last_mut() {
            Some(last) if last.axis() == mv.axis() => {
                let sum = |layer| last.amounts()[layer] + mv.amounts()[layer];
                *last = AxisMove::new(mv.axis(), std::array::from_fn(sum));
            }
            _ => joined.push(mv),
        }
    }
    joined
}

fn assert_enumeration_is_naive(
    spec: fn() -> StageSpec,
    metric: Metric,
    scramble: &str,
    most: u8,
    least: usize,
) {
    let space = Space::new(spec(), metric).unwrap();
    let (table, _) = build(&StageGraph::new(&space, Cover::Both), &|_| ()).unwrap();
    let memory = InMemory { space, table };
    let sequence: scramble444::cube::Sequence = scramble.parse().unwrap();
    let cube = Cube::solved().moved_by(sequence.axis_moves());
    let reference = spec();
    let mut total = 0;
    for cost in 1..=most {
        let goals = plain_goals(&reference);
        let mut naive = Naive {
            spec: &reference,
            metric,
            goals,
            found: HashSet::new(),
        };
        naive.below(&cube, &mut Vec::new(), cost);
        let mut found = HashSet::new();
        enumerate(
            &memory,
            memory.space.position(&cube),
            cost,
            &Limits::default(),
            |path| {
                assert!(
                    found.insert(canonical(&axis_moves(&memory.space, path))),
                    "enumerated twice: {path:?}"
                );
            },
        );
        let differing = found.symmetric_difference(&naive.found).count();
        assert_eq!(
            differing,
            0,
            "cost {cost}: {} found, {} listed",
            found.len(),
            naive.found.len()
        );
        total += found.len();
    }
    assert!(total >= least, "only {total} sequences were compared");
}

#[test]
fn enumeration_lists_every_sequence_once() {
    assert_enumeration_is_naive(corner_toy, Metric::Obtm, "U F2 D R2", 5, 100);
    assert_enumeration_is_naive(corner_toy, Metric::Stm, "U F2 D' R2", 5, 100);
    assert_enumeration_is_naive(center_toy, Metric::Obtm, "f U b", 6, 30);
    assert_enumeration_is_naive(center_toy, Metric::Stm, "f U2 b", 5, 30);
}
