//! The joint search of both phases, compared with plain lists of endings.

use std::sync::{Arc, LazyLock};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::super::cubies::Arrangement;
use super::super::declared::spaces;
use super::super::phase_one::{TURNS, with_filter};
use super::super::phase_two::PhaseTwo;
use super::super::starts::Start;
use super::*;
use crate::cube::{Axis, Cube};
use crate::search::{FinishSearch, Limits, Statistics, last_run};
use crate::simd::Portable;
use crate::stage::Position;

/// Both phases, as in the pocket profile.
static PHASES: LazyLock<ThreeByThree> = LazyLock::new(|| {
    let [_, two] = spaces().unwrap();
    ThreeByThree::new(with_filter(), PhaseTwo::new(Arc::new(two), None))
});

/// A cube after random turns of outer layers; quarter turns are about the axes that `quarters` has.
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

/// The search of some reductions, with its work.
fn found(reductions: &[Reduction], endings: usize) -> (Finished, Statistics) {
    let limits = Limits::default();
    let mut meter = Meter::new(&limits);
    let found = PHASES.shortest(reductions, endings, &mut meter).unwrap();
    let moves = found.moves.iter().copied();
    let from = &reductions[found.reduction];
    assert!(from.cube.moved_by(moves).is_solved());
    assert_eq!(
        usize::from(found.total - from.cost),
        found.moves.len(),
        "each turn costs 1"
    );
    (found, meter.statistics)
}

fn reduction(cube: Cube, cost: u8, premoves: u8) -> Reduction {
    Reduction {
        cube,
        cost,
        premoves,
    }
}

/// Without a limit of endings, the search goes on until nothing shorter can be found.
#[test]
fn no_solution_is_longer_than_the_turns_that_have_made_the_state() {
    let mut rng = ChaCha20Rng::seed_from_u64(41);
    for round in 0..300 {
        let turns = turned(&mut rng, 4 + round % 4, &Axis::ALL);
        let cube = Cube::solved().moved_by(turns.iter().copied());
        for premoves in [0, 2] {
            let (found, _) = found(&[reduction(cube, 3, premoves)], usize::MAX);
            assert!(found.moves.len() <= turns.len(), "{turns:?}");
        }
    }
}

/// The paths of exactly `left` more turns that enter the subgroup, for the first time since they have begun, by a run
/// of turns that leave it.
fn plain_paths(position: Position, path: &mut Vec<u8>, left: u8, paths: &mut Vec<Vec<u8>>) {
    let one = &PHASES.one;
    let moves = one.turns.moves();
    let Some(guide) = one.near.guide(one.entry(&position)) else {
        return;
    };
    if left == 0 {
        let last = path.last().map(|&turn| moves[usize::from(turn)].axis());
        let mut run = path
            .iter()
            .rev()
            .map(|&turn| moves[usize::from(turn)])
            .take_while(|mv| Some(mv.axis()) == last);
        let leaves = |mv: AxisMove| {
            mv.axis() != Axis::Y && mv.amounts().iter().any(|amount| amount % 2 == 1)
        };
        if guide.distance() == 0 && run.all(leaves) {
            paths.push(path.clone());
        }
        return;
    }
    if guide.distance() > left || (guide.distance() == 0 && !path.is_empty()) {
        return;
    }
    for turn in 0..TURNS as u8 {
        let mv = moves[usize::from(turn)];
        let is_first = |last: AxisMove| last.amounts()[0] != 0 && mv.amounts()[0] == 0;
        let fits = path.last().is_none_or(|&last| {
            let last = moves[usize::from(last)];
            last.axis() != mv.axis() || is_first(last)
        });
        if fits {
            path.push(turn);
            plain_paths(one.space.child(&position, turn), path, left - 1, paths);
            path.pop();
        }
    }
}

/// The endings of a start with exactly this total: the path, and the arrangement after it.
fn plain_endings(start: &Start, total: u8) -> Vec<(Vec<u8>, Arrangement)> {
    let mut paths = Vec::new();
    let left = total - start.spent;
    plain_paths(start.node.position, &mut Vec::new(), left, &mut paths);
    let after = |at: Arrangement, path: &[u8]| {
        path.iter().fold(at, |at, &turn| {
            at.moved(Portable, &PHASES.shuffles[usize::from(turn)])
        })
    };
    let variants: Vec<Arrangement> = PHASES.premoves.variants(&start.root).collect();
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
        let reductions = [reduction(cube(), 4, 1), reduction(cube(), 5, 1)];
        let starts = PHASES.starts(&reductions);
        assert!(starts.is_sorted_by_key(|start| start.key));
        let (mut count, mut best): (u64, Option<u8>) = (0, None);
        let mut meter = Meter::new(&limits);
        'search: for total in starts[0].key..starts[0].key + 5 {
            for (number, start) in starts.iter().enumerate() {
                if start.key > total {
                    break;
                }
                let endings = plain_endings(start, total);
                count += endings.len() as u64;
                for (path, at) in &endings {
                    let last_run = last_run(PHASES.one.turns.moves(), path);
                    let most = best.map_or(18, |best: u8| best.saturating_sub(total + 1));
                    let distance = (0..=most).find(|&left| {
                        let path = &mut Vec::new();
                        PHASES.two.solve(at, last_run, left, &mut meter, path)
                    });
                    if let Some(distance) = distance.map(|left| total + left)
                        && best.is_none_or(|best| distance < best)
                    {
                        improved += u32::from(best.is_some());
                        best = Some(distance);
                    }
                }
                let is_last = starts.get(number + 1).is_none_or(|next| next.key > total);
                let is_checked = !endings.is_empty() && number % 4 == 0;
                if count == 0 || !(is_last || is_checked) {
                    continue;
                }
                let (found, work) = found(&reductions, count as usize);
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
        let cubes = costs.map(|cost| {
            let turns = turned(&mut rng, 20, &Axis::ALL);
            (Cube::solved().moved_by(turns), cost)
        });
        let mut meter = Meter::new(&limits);
        let finished = PHASES.finish(&cubes, ENDINGS, &mut meter).unwrap();
        let with = |(of_least, of_others)| {
            let reductions = cubes.map(|(cube, cost)| {
                let premoves = if cost == least { of_least } else { of_others };
                reduction(cube, cost as u8, premoves)
            });
            found(&reductions, ENDINGS)
        };
        let (expected, work) = with((2, 1));
        assert_eq!(finished.from, expected.reduction);
        assert_eq!(finished.moves, expected.moves);
        assert_eq!(finished.cost, expected.moves.len());
        assert_eq!(meter.statistics, work);
        for (premoves, differ) in &mut others {
            *differ += u32::from(with(*premoves).1 != work);
        }
    }
    assert!(others.iter().all(|&(_, differ)| differ > 0), "{others:?}");
}
