//! Two stages small enough for plain search on whole cubes: what the engine enumerates, against a
//! list of all sequences of axis moves that does without tables and automaton.

use std::collections::{HashMap, HashSet};

use scramble444::coord::Coordinate;
use scramble444::coord::centers::{CenterPairing, CenterPlaces};
use scramble444::coord::corners::CornerCoset;
use scramble444::cube::turn::{PATTERNS, Pattern, join, undo};
use scramble444::cube::{Action, Axis, AxisMove, Cube, Metric, Symmetry};
use scramble444::scramble::written;
use scramble444::search::{Limits, SearchSpace, enumerate};
use scramble444::stage::{
    AxisFreedom, ComponentSpec, Expected, Freedom, Node, Projection, ProjectionGraph, Raw, Space,
    StageSpec, Step, Turns,
};
use scramble444::table::build;

use crate::common::plain::{self, Values};

const HALF: AxisFreedom = AxisFreedom::all(Turns::Half);
const INNER: AxisFreedom = AxisFreedom {
    outer: Turns::Half,
    inner: Turns::Quarter,
};
const OUTER: AxisFreedom = AxisFreedom {
    outer: Turns::Quarter,
    inner: Turns::Half,
};

/// A stage, and what may be turned after it.
type Stage = (StageSpec, Freedom);

fn stage(
    freedom: Freedom,
    keeps: fn(Symmetry) -> bool,
    symmetry: Box<dyn Coordinate>,
    first: Raw,
) -> StageSpec {
    let positions = (symmetry.size() * 35) as u64;
    StageSpec {
        method: "test",
        name: "test",
        goal: "a small goal",
        freedom,
        symmetries: Symmetry::all()
            .filter(|&s| keeps(s))
            .map(Action::conjugation)
            .collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        rotations: vec![Symmetry::IDENTITY],
        condition: None,
        widens: false,
        components: vec![ComponentSpec {
            name: "all",
            symmetry,
            first,
            second: None,
            compact: &[Projection::Whole],
            full: &[Projection::Whole],
        }],
        expected: Expected {
            goals: 6,
            positions,
        },
    }
}

/// Corners and U and D centers up to half turns, by the turns of the fourth of the five stages:
/// 420·35 positions.
fn corner_stage() -> Stage {
    let freedom = Freedom([HALF, OUTER, HALF]);
    let pairing = Raw::Independent(Box::new(CenterPairing::DU));
    let keeps_ud = |s: Symmetry| s.axis(Axis::Y).0 == Axis::Y;
    let spec = stage(freedom, keeps_ud, Box::new(CornerCoset), pairing);
    (spec, Freedom::HALF)
}

/// L and R centers, by the turns of the third of the five stages: 12,870·35 positions.
fn center_stage() -> Stage {
    let freedom = Freedom([HALF, OUTER, INNER]);
    let pairing = Raw::Dependent(Box::new(CenterPairing::LR));
    let keeps_axes = |s: Symmetry| Axis::ALL.into_iter().all(|axis| s.axis(axis).0 == axis);
    let places = Box::new(CenterPlaces::LR_OFF_FB);
    let spec = stage(freedom, keeps_axes, places, pairing);
    (spec, Freedom([HALF, OUTER, HALF]))
}

/// A stage with its exact table in memory.
struct InMemory {
    space: Space,
    table: Vec<u8>,
}

impl InMemory {
    fn new((spec, next): Stage, metric: Metric) -> InMemory {
        let space = Space::new(spec, next, metric).unwrap();
        let graph = ProjectionGraph::new(&space, 0, Projection::Whole);
        let (table, _) = build(&graph, &|_| ()).unwrap();
        InMemory { space, table }
    }

    fn root(&self, cube: &Cube) -> [Node; 1] {
        [self.space.position(cube)[0]]
    }
}

impl SearchSpace for InMemory {
    type Node = [Node; 1];

    fn expand(&self, node: &[Node; 1], state: u8, left: u8, into: &mut Vec<([Node; 1], Step)>) {
        self.space.expand(node, state, left, into);
    }
    fn is_known(&self, left: u8) -> bool {
        left <= self.space.known_radius()
    }
    fn exceeds(&self, &[node]: &[Node; 1], limit: u8) -> bool {
        let position = [node, Node::default(), Node::default()];
        self.table[self.space.index(0, Projection::Whole, &position)] > limit
    }
    fn is_goal(&self, node: &[Node; 1]) -> bool {
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
    next: &'a Freedom,
    metric: Metric,
    goals: HashMap<Values, Cube>,
    found: HashSet<String>,
}

/// The values of all of a stage's coordinates.
fn values(spec: &StageSpec, cube: &Cube) -> Values {
    let values = spec.coordinates().map(|coordinate| coordinate.rank(cube));
    values.collect()
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
                } else if self.goals.contains_key(&values(self.spec, &next))
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
        let next_costs = self.next.costs(axis, self.metric);
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
    stage: fn() -> Stage,
    metric: Metric,
    scramble: &str,
    most: u8,
    least: usize,
) {
    let memory = InMemory::new(stage(), metric);
    let sequence: scramble444::cube::Sequence = scramble.parse().unwrap();
    let cube = Cube::solved().moved_by(sequence.axis_moves());
    let (spec, next) = stage();
    let mut total = 0;
    for cost in 1..=most {
        let coordinates: Vec<&dyn Coordinate> = spec.coordinates().collect();
        let mut naive = Naive {
            spec: &spec,
            next: &next,
            metric,
            goals: plain::goals(&coordinates, &next),
            found: HashSet::new(),
        };
        naive.below(&cube, &mut Vec::new(), cost);
        let mut found = HashSet::new();
        enumerate(
            &memory,
            memory.root(&cube),
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
    assert_enumeration_is_naive(corner_stage, Metric::Obtm, "U F2 D R2", 5, 100);
    assert_enumeration_is_naive(corner_stage, Metric::Stm, "U F2 D' R2", 5, 100);
    assert_enumeration_is_naive(center_stage, Metric::Obtm, "f U b", 6, 30);
    assert_enumeration_is_naive(center_stage, Metric::Stm, "f U2 b", 5, 30);
}
