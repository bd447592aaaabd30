//! The joint search of both phases, compared with plain lists of endings.

use std::sync::LazyLock;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::super::ThreeByThree;
use super::super::phases::PhaseTwo;
use super::super::starts::Start;
use super::super::tests::{one_with_filter, one_without_bounds, two_without_bounds};
use super::super::ways::TURNS_ONE;
use super::*;
use crate::cube::{Axis, AxisMove, Cube};
use crate::search::turns::is_quarter;
use crate::search::{Beam, Ending, Entrant, Limits, StageSearch, Statistics, last_run};
use crate::simd::Portable;
use crate::stage::Position;
use crate::table::Filter;

/// Both phases, as in the pocket profile.
static PHASES: LazyLock<BothPhases<Filter>> = LazyLock::new(|| {
    let [_, two] = ThreeByThree::new().unwrap().0;
    BothPhases::new(one_with_filter(), PhaseTwo::new(two, None))
});

/// Random turns of outer layers; quarter turns are about the axes that `quarters` has.
fn turned(rng: &mut ChaCha20Rng, count: usize, quarters: &[Axis]) -> Vec<AxisMove> {
    let mut turns: Vec<AxisMove> = Vec::new();
    while turns.len() < count {
        let axis = Axis::ALL[rng.random_range(0..3)];
        let amount = match quarters.contains(&axis) {
            true => rng.random_range(1..4),
            false => 2,
        };
        let amounts = [[amount, 0, 0, 0], [0, 0, 0, amount]][rng.random_range(0..2)];
        if turns.last().is_none_or(|last| last.axis() != axis) {
            turns.push(AxisMove::new(axis, amounts));
        }
    }
    turns
}

/// The solution that a search finds, and the work. `premoves` gives the maximum cost of premoves for a cost so far.
fn found(
    entrants: &[Entrant],
    premoves: impl Fn(usize) -> u8,
    endings: usize,
) -> (Best, Statistics) {
    let limits = Limits::default();
    let mut meter = Meter::new(&limits);
    let found = PHASES.solve(entrants, premoves, endings, &mut meter);
    let found = found.unwrap();
    let Entrant { cube, cost, .. } = entrants[found.entrant];
    assert!(cube.moved_by(found.moves.iter().copied()).is_solved());
    let total = cost + found.moves.len();
    assert_eq!(total, usize::from(found.total), "each turn costs 1");
    (found, meter.statistics)
}

fn entrant(cube: Cube, cost: usize) -> Entrant {
    Entrant {
        cost,
        key: cost,
        ..Entrant::new(cube)
    }
}

/// The paths of exactly `left` more turns that enter the subgroup, for the first time since they have begun, by a run
/// of turns that leave it. They are all as long as no position is farther from it than [`RADIUS`].
fn plain_paths(
    one: &PhaseOne<impl Bounds>,
    position: Position,
    path: &mut Vec<u8>,
    left: u8,
    paths: &mut Vec<Vec<u8>>,
) {
    let moves = one.turns.moves();
    let Some(number) = one.ways.number(one.space.key(&position)) else {
        return;
    };
    let distance = one.ways.distance(number);
    let last = path.last().map(|&turn| moves[usize::from(turn)]);
    if left == 0 {
        let run = path.iter().rev().map(|&turn| moves[usize::from(turn)]);
        let mut run = run.take_while(|mv| Some(mv.axis()) == last.map(|last| last.axis()));
        if distance == 0 && run.all(|mv| mv.axis() != Axis::Y && is_quarter(mv)) {
            paths.push(path.clone());
        }
        return;
    }
    if distance > left || (distance == 0 && !path.is_empty()) {
        return;
    }
    for turn in 0..TURNS_ONE as u8 {
        let mv = moves[usize::from(turn)];
        let is_first = |last: AxisMove| last.amounts()[0] != 0 && mv.amounts()[0] == 0;
        if last.is_none_or(|last| last.axis() != mv.axis() || is_first(last)) {
            path.push(turn);
            plain_paths(one, one.space.child(&position, turn), path, left - 1, paths);
            path.pop();
        }
    }
}

/// The endings of a start with exactly this total: the path, and the arrangement after it.
fn plain_endings(start: &Start<'_>, total: u8) -> Vec<(Vec<u8>, Arrangement)> {
    let mut paths = Vec::new();
    let left = total - start.spent;
    plain_paths(
        &PHASES.one,
        start.position,
        &mut Vec::new(),
        left,
        &mut paths,
    );
    let after = |at: Arrangement, path: &[u8]| {
        path.iter().fold(at, |at, &turn| {
            at.moved(
                Portable,
                &PHASES.pairs[usize::from(turn)][usize::from(STILL)],
            )
        })
    };
    let variants: Vec<Arrangement> = start.arrangements();
    let endings = paths.iter().flat_map(|path| {
        let variants = variants.iter();
        variants.map(|&at| (path.clone(), after(at, path)))
    });
    endings.collect()
}

/// The search gives the shortest of all solutions that begin with one of its first endings, in the order of the
/// cost at the end of the first phase.
#[test]
fn the_solution_is_the_shortest_from_the_endings_so_far() {
    let limits = Limits::default();
    let mut rng = ChaCha20Rng::seed_from_u64(42);
    let (mut improved, mut proven) = (0, 0);
    for round in 0..16 {
        let mut cube = || {
            // Near the subgroup, and within it near the solved cube.
            let inner = turned(&mut rng, 3 + round % 4, &[Axis::Y]);
            let outer = turned(&mut rng, 2 + round % 2, &Axis::ALL);
            Cube::solved().moved_by(inner.into_iter().chain(outer))
        };
        let entrants = [entrant(cube(), 4), entrant(cube(), 5 + round / 8)];
        let starts = starts(&PHASES.one, &PHASES.families, &entrants, |_| 1);
        assert!(starts.is_sorted_by_key(|start| start.bound));
        let (mut count, mut best): (u64, Option<u8>) = (0, None);
        let mut meter = Meter::new(&limits);
        'search: for total in starts[0].bound..starts[0].bound + 5 {
            for (number, start) in starts.iter().enumerate() {
                if start.bound > total {
                    break;
                }
                let endings = plain_endings(start, total);
                count += endings.len() as u64;
                for (path, at) in &endings {
                    let moves = PHASES.one.turns.moves();
                    let last_run = last_run(path.iter().map(|&turn| moves[usize::from(turn)]));
                    let most = best.map_or(18, |best: u8| best.saturating_sub(total + 1));
                    let two = &PHASES.two;
                    let (node, state) = (two.node(at), two.turns.start(last_run));
                    let distance =
                        (0..=most).find(|&left| two.solve(node, state, left, &mut meter).is_some());
                    if let Some(distance) = distance.map(|left| total + left)
                        && best.is_none_or(|best| distance < best)
                    {
                        improved += u32::from(best.is_some());
                        best = Some(distance);
                    }
                }
                let is_last = starts.get(number + 1).is_none_or(|next| next.bound > total);
                let is_checked = !endings.is_empty() && number % 4 == 0;
                if count == 0 || !(is_last || is_checked) {
                    continue;
                }
                let (found, work) = found(&entrants, |_| 1, count as usize);
                assert_eq!(Some(found.total), best, "{count} endings");
                if best.is_some_and(|best| best <= total) {
                    proven += 1;
                    assert!(work.endings <= count);
                    break 'search;
                }
                assert_eq!(work.endings, count);
                if count > 4_000 {
                    break 'search;
                }
            }
        }
    }
    assert!(improved > 2 && proven > 2, "{improved}, {proven}");
}

/// The reductions that cost least have premoves of up to two turns, the others of one.
#[test]
fn only_the_shortest_reductions_have_premoves_of_two_turns() {
    const ENDINGS: usize = 200;
    let limits = Limits::default();
    let mut rng = ChaCha20Rng::seed_from_u64(43);
    // Numbers of premoves of those that cost least and of the others, which give other work for some states.
    let mut others = [((1, 1), 0), ((2, 2), 0), ((2, 0), 0)];
    for round in 0..9 {
        let costs = [[7, 7, 8], [9, 8, 9], [5, 4, 4]][round % 3];
        let least = *costs.iter().min().unwrap();
        let entrants = costs.map(|cost| {
            let turns = turned(&mut rng, 20, &Axis::ALL);
            entrant(Cube::solved().moved_by(turns), cost)
        });
        let mut meter = Meter::new(&limits);
        let mut ended = None;
        let mut take = |entrant: usize, total: usize, ending: &Ending<'_>, _: &mut Meter| {
            ended = Some(Best {
                entrant,
                moves: ending.moves.to_vec(),
                total: total as u8,
            });
            Ok(())
        };
        let beam = Beam::new(ENDINGS, 1);
        PHASES
            .search(&entrants, beam, &mut take, &mut meter)
            .unwrap();
        let with = |(of_least, of_others): (u8, u8)| {
            let premoves = |cost| if cost == least { of_least } else { of_others };
            found(&entrants, premoves, ENDINGS)
        };
        let (found, work) = with((2, 1));
        assert_eq!(ended, Some(found));
        assert_eq!(meter.statistics, work);
        for (premoves, differ) in &mut others {
            *differ += u32::from(with(*premoves).1 != work);
        }
    }
    assert!(others.iter().all(|&(_, differ)| differ > 0), "{others:?}");
}

/// The number of endings of exactly the cost that a node has left.
fn count(phases: &BothPhases<impl Bounds>, node: SpaceNode) -> usize {
    let limits = Limits::default();
    let mut meter = Meter::new(&limits);
    let mut search = PhaseSearch::new(phases, Vec::new(), usize::MAX, &mut meter);
    // Pieces in places from which so few turns do not solve them, so that no ending is better than this.
    let mut rng = ChaCha20Rng::seed_from_u64(45);
    let other = Cube::solved().moved_by(turned(&mut rng, 60, &Axis::ALL));
    search.placed.begin(vec![Arrangement::of(&other)]);
    search.total = node.left;
    search.best = Some(Best {
        entrant: 0,
        moves: Vec::new(),
        total: node.left + 1,
    });
    search.endings(node).unwrap();
    usize::MAX - search.endings_left
}

/// Farther from the goal than plain paths reach, there are as many endings as of one turn less after each turn.
#[test]
fn the_first_phase_has_as_many_endings_as_plain_paths_and_as_follow_each_turn() {
    fn compare(one: PhaseOne<impl Bounds>) {
        let phases = BothPhases::new(one, two_without_bounds());
        let one = &phases.one;
        let is_within = |distance: u8, position: &Position| {
            let number = one.ways.number(one.space.key(position));
            number.is_some_and(|number| one.ways.distance(number) <= distance)
        };
        let mut rng = ChaCha20Rng::seed_from_u64(44);
        let mut counted = [0; 2];
        for round in 0..30 {
            let turns = turned(&mut rng, round % 10, &Axis::ALL);
            let cube = Cube::solved().moved_by(turns);
            let starts = starts(&phases.one, &phases.families, &[entrant(cube, 0)], |_| 0);
            let start = starts[0].position;
            // From near the goal, longer paths may lead through it.
            let most = if is_within(3, &start) { RADIUS } else { 9 };
            for cost in 0..=most {
                let node = SpaceNode::root(&one.turns, start, cost);
                let expected: usize = if cost <= RADIUS {
                    let mut paths = Vec::new();
                    plain_paths(one, node.position, &mut Vec::new(), cost, &mut paths);
                    paths.len()
                } else {
                    let after = elements(one.turns.following(node.state)).map(|turn| SpaceNode {
                        position: one.space.child(&node.position, turn as u8),
                        generator: turn as u8,
                        state: one.turns.after(node.state, turn),
                        left: cost - 1,
                    });
                    let after = after.filter(|node| !is_within(0, &node.position));
                    after.map(|node| count(&phases, node)).sum()
                };
                assert_eq!(count(&phases, node), expected, "{round}, {cost}");
                counted[usize::from(cost > RADIUS)] += expected;
            }
        }
        assert!(counted[0] > 100 && counted[1] > 500, "{counted:?}");
    }
    // Tables in which every distance is small bound nothing.
    compare(one_without_bounds());
    compare(one_with_filter());
}
