//! The stages of `reduction`, compared with a plain search on complete cubes, and chains of declared and
//! custom stages.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use cube444::cube::{Action, Axis, AxisMove, Cube, Metric, Sequence};
use cube444::method::{
    Beam, Beams, ChainSpec, Ending, Entrant, Meter, StageSearch, Stopped, TableSpec,
};
use cube444::scramble::{Scrambler, canonical_sequence};
use cube444::search::{Chain, Limits, Profile, SearchError, Solver, TableSet, verify_fully};
use cube444::table::{Store, Table, TableError, TableProblem};
use cube444::{Effort, Method};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use test_support::naive::{corner_places, edge};
use test_support::parity::is_odd;
use test_support::tables::{alone, scrambler, solver_of, tables_dir};

/// The allowed turns: for each axis the quarter turns at the two outer boundaries and at the middle one.
type Allowed = [(&'static [u8], &'static [u8]); 3];

const ANY: &[u8] = &[1, 2, 3];
const HALF: &[u8] = &[2];
const STAGES: [Allowed; 3] = [
    [(ANY, ANY), (ANY, ANY), (ANY, ANY)],
    [(ANY, HALF), (ANY, HALF), (ANY, ANY)],
    [(ANY, HALF), (ANY, HALF), (HALF, HALF)],
];

/// A turn: axis, boundary (from the negative end of the axis), quarters.
type Turn = (usize, usize, u8);

fn axis_move((axis, boundary, quarters): Turn) -> AxisMove {
    let turned: [u8; 4] = [[1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]][boundary];
    AxisMove::new(Axis::ALL[axis], turned.map(|one| one * quarters))
}

fn turns(allowed: Allowed) -> Vec<Turn> {
    let mut turns = Vec::new();
    for (axis, (outer, middle)) in allowed.into_iter().enumerate() {
        for (boundary, quarters) in [outer, middle, outer].into_iter().enumerate() {
            turns.extend(quarters.iter().map(|&quarters| (axis, boundary, quarters)));
        }
    }
    turns
}

/// Appends all sequences of exactly `left` turns that lead from `cube` to a goal. The turns of a run about one
/// axis are in the order of the boundaries. Unless `through_goals`, a sequence has no goal before its end.
fn naive(
    cube: Cube,
    turns: &[Turn],
    path: &mut Vec<Turn>,
    left: usize,
    is_goal: &dyn Fn(&Cube) -> bool,
    through_goals: bool,
    found: &mut Vec<Vec<Turn>>,
) {
    if left == 0 {
        if is_goal(&cube) {
            found.push(path.clone());
        }
        return;
    }
    if !through_goals && !path.is_empty() && is_goal(&cube) {
        return;
    }
    for &turn in turns {
        if let Some(last) = path.last()
            && last.0 == turn.0
            && last.1 >= turn.1
        {
            continue;
        }
        path.push(turn);
        let next = cube.moved(axis_move(turn));
        naive(next, turns, path, left - 1, is_goal, through_goals, found);
        path.pop();
    }
}

/// The last turns of a path that are about one axis.
fn last_run(path: &[Turn]) -> &[Turn] {
    let axis = path.last().map(|turn| turn.0);
    let start = path.iter().rposition(|turn| Some(turn.0) != axis);
    &path[start.map_or(0, |at| at + 1)..]
}

/// The endings of a stage from a cube at exactly this cost: their moves, and the cubes after them.
fn endings(
    search: &dyn StageSearch,
    cube: &Cube,
    last_run: AxisMove,
    cost: usize,
) -> Vec<(Vec<AxisMove>, Cube)> {
    endings_within(100_000, search, cube, last_run, cost)
}

/// The same with a limit of nodes.
fn endings_within(
    nodes: u64,
    search: &dyn StageSearch,
    cube: &Cube,
    last_run: AxisMove,
    cost: usize,
) -> Vec<(Vec<AxisMove>, Cube)> {
    let entrant = Entrant {
        last_run,
        key: cost,
        ..Entrant::new(*cube)
    };
    let mut listed = Vec::new();
    let mut take = |_, total, ending: &Ending<'_>, _: &mut Meter| {
        if total > cost {
            return Err(Stopped);
        }
        listed.push((ending.moves.to_vec(), ending.cube));
        Ok(())
    };
    // Far more nodes than at this cost, since there may be no ending at a greater one for long.
    let beam = Beam::new(usize::MAX, 1).within(nodes, 0);
    let limits = Limits::default();
    let mut meter = Meter::new(&limits);
    let _ = search.search(&[entrant], beam, &mut take, &mut meter);
    listed
}

/// The solution that the two phases find of one of some cubes with their costs so far: its index, cost and moves.
fn finish(
    from: &[(Cube, usize)],
    candidates: usize,
    meter: &mut Meter,
) -> (usize, usize, Vec<AxisMove>) {
    let phases = search(3);
    let entrant = |&(cube, cost): &(Cube, usize)| Entrant {
        cost,
        key: cost,
        ..Entrant::new(cube)
    };
    let entrants: Vec<Entrant> = from.iter().map(entrant).collect();
    let mut found = None;
    let mut take = |index: usize, total: usize, ending: &Ending<'_>, _: &mut Meter| {
        let moves = ending.moves.to_vec();
        let (cube, cost) = from[index];
        assert!(cube.moved_by(moves.iter().copied()).is_solved());
        assert!(ending.cube.is_solved());
        assert!(found.replace((index, total - cost, moves)).is_none());
        Ok(())
    };
    let beam = Beam::new(candidates, 1);
    phases.search(&entrants, beam, &mut take, meter).unwrap();
    found.unwrap()
}

/// Compares the endings that a stage lists with those of the plain search, at every cost up to `max`. An ending
/// counts if `is_end` holds for its last run. Returns the number of endings.
fn assert_lists_endings(
    stage: usize,
    start: &Cube,
    max: usize,
    is_goal: &dyn Fn(&Cube) -> bool,
    is_end: &dyn Fn(&[Turn]) -> bool,
) -> usize {
    let search = search(stage);
    let turns = turns(STAGES[stage]);
    let bound = search.bounds(&[(*start, Action::IDENTITY)], u8::MAX)[0];
    let mut listed = 0;
    for cost in 0..=max {
        let mut found = Vec::new();
        naive(
            *start,
            &turns,
            &mut Vec::new(),
            cost,
            is_goal,
            stage == 1,
            &mut found,
        );
        assert!(
            found.is_empty() || usize::from(bound) <= cost,
            "{bound} is not a lower bound"
        );
        found.retain(|path| is_end(last_run(path)));
        let expected: BTreeSet<Vec<AxisMove>> = found
            .iter()
            .map(|path| path.iter().map(|&turn| axis_move(turn)).collect())
            .collect();
        let mut visited = Vec::new();
        for (moves, cube) in endings(&*search, start, AxisMove::STILL, cost) {
            assert_eq!(cube, start.moved_by(moves.iter().copied()));
            visited.push(moves);
        }
        let distinct: BTreeSet<Vec<AxisMove>> = visited.iter().cloned().collect();
        assert_eq!(distinct.len(), visited.len(), "an ending was listed twice");
        assert_eq!(distinct, expected, "stage {stage}, cost {cost}");
        listed += visited.len();
    }
    listed
}

fn random_turns(rng: &mut ChaCha20Rng, turns: &[Turn], count: usize) -> Vec<AxisMove> {
    let turn = |_| axis_move(turns[rng.random_range(0..turns.len())]);
    (0..count).map(turn).collect()
}

/// Whether the F and B centers are on the two faces of one axis.
fn is_first_goal(cube: &Cube) -> bool {
    (0..3).any(|axis| (0..24).all(|slot| is_fb(cube, slot) == (slot / 8 == axis)))
}

fn is_fb(cube: &Cube, slot: usize) -> bool {
    matches!(cube.centers()[slot].letter(), 'F' | 'B')
}

/// The colours of the F and B faces, up to exchanging the two colours.
fn front_and_back(cube: &Cube) -> Vec<bool> {
    let front: Vec<bool> = (16..24)
        .map(|slot| cube.centers()[slot].letter() == 'F')
        .collect();
    let back = front.iter().map(|front| !front).collect();
    front.min(back)
}

/// The patterns of the F and B faces and the places of the first wing that the moves of the third stage reach
/// from the solved cube.
static THIRD: LazyLock<(HashSet<Vec<bool>>, HashSet<usize>)> = LazyLock::new(|| {
    let turns = turns(STAGES[2]);
    let (mut patterns, mut orbit) = (HashSet::new(), HashSet::from([0]));
    let mut cubes = vec![Cube::solved()];
    while let Some(cube) = cubes.pop() {
        for &turn in &turns {
            let next = cube.moved(axis_move(turn));
            let place = (0..24).find(|&place| next.wings()[place] == 0).unwrap();
            let is_new = patterns.insert(front_and_back(&next));
            if orbit.insert(place) || is_new {
                cubes.push(next);
            }
        }
    }
    (patterns, orbit)
});

fn is_second_goal(cube: &Cube) -> bool {
    if !(0..24).all(|slot| is_fb(cube, slot) == (slot / 8 == 2)) {
        return false;
    }
    let (patterns, orbit) = &*THIRD;
    let axis_of = |letter: char| {
        let slots = (0..24).filter(|&slot| cube.centers()[slot].letter() == letter);
        slots.map(|slot| slot / 8).collect::<BTreeSet<_>>()
    };
    let sides = axis_of('L');
    let settled = sides.len() == 1 && sides == axis_of('R') && !sides.contains(&2);
    let wings: Vec<usize> = cube.wings().into_iter().collect();
    let first = orbit.iter().map(|&place| wings[place]);
    let edges: HashSet<usize> = first.clone().map(edge).collect();
    let crossed = first.filter(|home| !orbit.contains(home)).count();
    settled
        && patterns.contains(&front_and_back(cube))
        && !is_odd(&wings)
        && edges.len() == 12
        && crossed % 2 == 0
}

/// Whether all edges are paired, the centers are solved up to half turns of the cube, and the parities of
/// corners and edges agree.
fn is_third_goal(cube: &Cube) -> bool {
    let orbit = &THIRD.1;
    let paired = (0..24).all(|place| {
        let partner = place ^ (1 << (place / 8));
        edge(cube.wings()[place]) == edge(cube.wings()[partner])
    });
    if !paired {
        return false;
    }
    let halves = ["", "x2", "y2", "z2"].map(|text| {
        let turn: Sequence = text.parse().unwrap();
        Cube::solved().moved_by(turn.axis_moves())
    });
    let centered = halves
        .iter()
        .any(|home| (0..24).all(|slot| cube.centers()[slot] == home.centers()[slot]));
    let mut places: Vec<usize> = orbit.iter().copied().collect();
    places.sort_unstable();
    let edges: Vec<usize> = places
        .iter()
        .map(|&place| edge(cube.wings()[place]))
        .collect();
    let homes: Vec<usize> = places.iter().map(|&place| edge(place)).collect();
    let odd = is_odd(&edges) ^ is_odd(&homes) ^ is_odd(&corners(cube));
    centered && !odd
}

/// The corner at each place, identified by its colours.
fn corners(cube: &Cube) -> Vec<usize> {
    let colours = |cube: &Cube| {
        let facelets = cube.facelets().into_bytes();
        corner_places().map(|place| {
            let mut colours = place.map(|at| facelets[at]);
            colours.sort_unstable();
            colours
        })
    };
    let homes = colours(&Cube::solved());
    let number = |found| homes.iter().position(|home| *home == found).unwrap();
    colours(cube).into_iter().map(number).collect()
}

#[test]
fn the_first_stage_lists_the_endings_of_a_plain_search() {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    let is_end = |run: &[Turn]| matches!(run, [] | [(_, 1, 1 | 3)]);
    let mut listed = 0;
    for count in [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3] {
        let start = Cube::solved().moved_by(random_turns(&mut rng, &turns(STAGES[0]), count));
        listed += assert_lists_endings(0, &start, 3, &is_first_goal, &is_end);
    }
    assert!(listed > 40, "{listed}");
}

#[test]
fn the_second_stage_lists_the_endings_of_a_plain_search() {
    let mut rng = ChaCha20Rng::seed_from_u64(12);
    let is_end = |run: &[Turn]| run.iter().all(|turn| turn.0 == 2 && turn.2 % 2 == 1);
    let mut listed = 0;
    for count in [0, 1, 2, 2, 3, 3, 4] {
        let start = Cube::solved().moved_by(random_turns(&mut rng, &turns(STAGES[1]), count));
        // The ends of four turns are listed in advance, so a cost of 5 is the first with a search.
        listed += assert_lists_endings(1, &start, 5, &is_second_goal, &is_end);
    }
    assert!(listed > 1_000, "{listed}");
}

/// The tables of the method, built if they are missing.
static TABLES: LazyLock<TableSet> = LazyLock::new(|| {
    let _alone = alone();
    let chain = Method::REDUCTION.chain(Metric::Obtm).unwrap();
    open_compact(&chain)
});

/// The compact tables of a chain, built if they are missing.
fn open_compact(chain: &Chain) -> TableSet {
    let builder = Scrambler::builder().tables_dir(tables_dir());
    builder
        .profile(Profile::Compact)
        .open_tables(chain)
        .unwrap()
}

/// The search of a stage.
fn search(stage: usize) -> Box<dyn StageSearch> {
    let stage = &TABLES.chain().stages()[stage];
    let store = Store::new(tables_dir());
    let open = |spec: Box<dyn TableSpec + '_>| {
        let table = store.open(&spec.identity(Metric::Obtm.name()));
        Arc::new(table.unwrap().unwrap())
    };
    let tables = stage.tables(Profile::Compact).into_iter();
    let tables = tables.map(open).collect();
    stage.clone().open(Profile::Compact, tables)
}

fn table(name: &str) -> &'static Table {
    let mut tables = TABLES.all();
    let table = tables.find(|table| table.header().identity.label.ends_with(name));
    table.unwrap()
}

#[test]
fn the_tables_have_the_known_distributions() {
    let positions = |name: &str| table(name).header().distribution.positions.clone();
    // The known distribution of the 3x3x3 cube's first phase.
    let known = [
        1,
        4,
        50,
        592,
        7_156,
        87_236,
        1_043_817,
        12_070_278,
        124_946_368,
        821_605_960,
        1_199_128_738,
        58_202_444,
        476,
    ];
    assert_eq!(positions("phase-one-exact"), known);
    assert_eq!(
        positions("phase-two-exact").iter().sum::<u64>(),
        40_320 * 40_320
    );
    let known = [3, 6, 108, 1434, 15210, 126306, 420312, 171204, 888];
    assert_eq!(positions("axis-centers-exact"), known);
    let known = [1, 3, 34, 356, 3_568, 34_223, 331_445, 3_279_289, 32_869_934];
    assert_eq!(positions("near-goal"), known);
    let _alone = alone();
    let store = Store::new(tables_dir());
    for (path, result) in verify_fully(TABLES.chain(), &store, Profile::Compact) {
        assert!(result.is_ok(), "{}: {result:?}", path.display());
    }
    // With a bit more the filter still has all positions, so only the checksum can tell.
    let name = store.path("reduction-near-goal", "obtm");
    let mut contents = fs::read(&name).unwrap();
    let byte = contents.iter_mut().rev().find(|byte| **byte != u8::MAX);
    let byte = byte.unwrap();
    *byte |= *byte + 1;
    let directory = tempfile::tempdir().unwrap();
    let copied = directory.path().join(name.file_name().unwrap());
    fs::write(&copied, contents).unwrap();
    let store = Store::new(directory.path());
    let mut verified = verify_fully(TABLES.chain(), &store, Profile::Compact);
    let (_, result) = verified.find(|(path, _)| *path == copied).unwrap();
    let Err(TableError::File { problem, .. }) = result else {
        panic!("{result:?}");
    };
    assert!(
        matches!(problem, TableProblem::Checksum { .. }),
        "{problem}"
    );
}

/// Checking a table completely finds entries that differ from its distribution, although their checksum is right.
#[test]
fn wrong_entries_of_every_kind_of_table_are_found() {
    for profile in [Profile::Compact, Profile::Pocket] {
        let tables = match profile {
            Profile::Pocket => &Scrambler::builder().open_tables(TABLES.chain()).unwrap(),
            _ => &*TABLES,
        };
        let specs = TABLES.chain().stages().iter();
        let specs = specs.flat_map(|stage| stage.tables(profile));
        for (spec, table) in specs.zip(tables.all()) {
            let header = table.header();
            let label = &header.identity.label;
            assert_eq!(spec.label(), *label);
            let mut wrong = table.payload().to_vec();
            match header.identity.encoding.entry_bits {
                // One bit of a filter may belong to no position that is looked up.
                1 => wrong[..table.payload().len() / 64].fill(0),
                _ => wrong[0] ^= 1,
            }
            let wrong = Table::in_memory(header.clone(), &wrong).unwrap();
            assert!(!spec.is_as_counted(&wrong), "{label}");
            if label.contains("near-goal") {
                for change in [0, 1] {
                    let mut header = header.clone();
                    let distribution = &mut header.distribution;
                    [&mut distribution.positions, &mut distribution.unique][change][2] += 1;
                    let wrong = Table::in_memory(header, table.payload()).unwrap();
                    assert!(!spec.is_as_counted(&wrong), "{label}");
                }
            }
            assert!(
                profile != Profile::Pocket || spec.is_as_counted(table),
                "{label}"
            );
        }
    }
}

#[test]
fn the_third_stage_lists_the_endings_of_a_plain_search() {
    let mut rng = ChaCha20Rng::seed_from_u64(13);
    let is_end = |run: &[Turn]| matches!(run, [] | [(_, 1, 2)]);
    let mut listed = 0;
    for count in [0, 1, 2, 3, 3, 4, 4, 4] {
        let start = Cube::solved().moved_by(random_turns(&mut rng, &turns(STAGES[2]), count));
        listed += assert_lists_endings(2, &start, 4, &is_third_goal, &is_end);
    }
    assert!(listed > 20, "{listed}");
}

/// Farther from the goal than a plain search reaches, the endings are those of one turn less after each turn, except
/// that the turns of a run are in the order of the boundaries.
#[test]
fn longer_endings_are_those_of_one_turn_less_after_each_turn() {
    let place = |mv: &AxisMove| {
        let boundary = mv.amounts().windows(2).position(|pair| pair[0] != pair[1]);
        (mv.axis(), boundary)
    };
    let mut rng = ChaCha20Rng::seed_from_u64(26);
    // A number of turns from solved and a least lower bound of some starts, and how many turns more than this endings
    // have at most.
    for (stage, count, least, more) in [(0, 30, 6, 0), (1, 7, 6, 1), (2, 8, 7, 1)] {
        let search = search(stage);
        let turns = turns(STAGES[stage]);
        let is_goal = |cube: &Cube| match stage {
            0 => is_first_goal(cube),
            1 => false,
            _ => is_third_goal(cube),
        };
        let paths = |cube: &Cube, cost| {
            let endings = endings_within(2_000_000, &*search, cube, AxisMove::STILL, cost);
            let paths = endings.into_iter().map(|(moves, _)| moves);
            paths.collect::<Vec<_>>()
        };
        let mut listed = 0;
        let bound =
            |cube: &Cube| usize::from(search.bounds(&[(*cube, Action::IDENTITY)], u8::MAX)[0]);
        let starts = std::iter::repeat_with(|| {
            Cube::solved().moved_by(random_turns(&mut rng, &turns, count))
        });
        for cube in starts.filter(|cube| bound(cube) >= least).take(8) {
            for cost in bound(&cube)..=bound(&cube) + more {
                let mut expected = BTreeSet::new();
                for &turn in &turns {
                    let first = axis_move(turn);
                    let after = cube.moved(first);
                    // A stage that ends at a goal does not go on.
                    if is_goal(&after) {
                        continue;
                    }
                    for rest in paths(&after, cost - 1) {
                        let (axis, boundary) = place(&rest[0]);
                        if axis != first.axis() || boundary > place(&first).1 {
                            expected.insert([vec![first], rest].concat());
                        }
                    }
                }
                let found = paths(&cube, cost);
                listed += found.len();
                assert_eq!(found.len(), expected.len(), "stage {stage}, cost {cost}");
                assert_eq!(BTreeSet::from_iter(found), expected);
            }
        }
        assert!(listed > 100, "stage {stage}: {listed}");
    }
}

/// The second phase is solved in as few turns as possible, with its table for those far from solved.
#[test]
fn a_cube_in_the_subgroup_is_solved_in_as_few_turns_as_it_was_turned() {
    let turns = turns([(HALF, &[]), (ANY, &[]), (HALF, &[])]);
    let limits = Limits::default();
    let mut rng = ChaCha20Rng::seed_from_u64(27);
    let mut greatest = 0;
    for round in 0..60 {
        let count = 6 + round % 8;
        let cube = Cube::solved().moved_by(random_turns(&mut rng, &turns, count));
        // The first ending of the first phase has no turns.
        let mut meter = Meter::new(&limits);
        let (_, cost, _) = finish(&[(cube, 0)], 1, &mut meter);
        assert!(cost <= count, "{cost} turns instead of {count}");
        greatest = greatest.max(cost);
    }
    assert!(greatest > 9, "{greatest}");
}

/// A stage starts with no turn that would merge with the last run of the previous stage.
#[test]
fn a_stage_does_not_continue_the_last_run_of_the_previous_stage() {
    let mut rng = ChaCha20Rng::seed_from_u64(17);
    let last_run = AxisMove::new(Axis::X, [0, 0, 0, 1]);
    let mut excluded = 0;
    for stage in [1, 2] {
        let search = search(stage);
        for _ in 0..20 {
            let cube = Cube::solved().moved_by(random_turns(&mut rng, &turns(STAGES[stage]), 4));
            let paths = |last_run| {
                let endings = endings(&*search, &cube, last_run, 4);
                endings
                    .into_iter()
                    .map(|(moves, _)| moves)
                    .collect::<BTreeSet<_>>()
            };
            let merges = |path: &Vec<AxisMove>| {
                let run = path.iter().take_while(|mv| mv.axis() == Axis::X);
                let turned = |mv: &AxisMove| mv.amounts()[2] != mv.amounts()[3];
                run.into_iter().any(turned)
            };
            let mut expected = paths(AxisMove::STILL);
            let all = expected.len();
            expected.retain(|path| !merges(path));
            excluded += all - expected.len();
            assert_eq!(paths(last_run), expected);
        }
    }
    assert!(excluded > 0);
}

/// Without a limit of candidates, the two phases find a shortest solution.
#[test]
fn the_two_phases_find_shortest_solutions_of_states_near_solved() {
    const DEPTH: usize = 4;
    let faces = turns([(ANY, &[]); 3]);
    let mut distances = HashMap::from([(Cube::solved(), 0)]);
    let mut levels = vec![vec![Cube::solved()]];
    for depth in 1..=DEPTH {
        let mut next = Vec::new();
        for cube in &levels[depth - 1] {
            for &turn in &faces {
                let moved = cube.moved(axis_move(turn));
                distances.entry(moved).or_insert_with(|| {
                    next.push(moved);
                    depth
                });
            }
        }
        levels.push(next);
    }
    assert_eq!(
        levels.iter().map(Vec::len).collect::<Vec<_>>(),
        [1, 18, 243, 3_240, 43_239]
    );
    let limits = Limits::default();
    let mut meter = Meter::new(&limits);
    let mut sampled = BTreeMap::new();
    for level in &levels {
        for cube in level.iter().step_by(1 + level.len() / 40) {
            let (_, cost, _) = finish(&[(*cube, 0)], usize::MAX, &mut meter);
            assert_eq!(cost, distances[cube]);
            *sampled.entry(distances[cube]).or_insert(0) += 1;
        }
    }
    assert_eq!(sampled.len(), DEPTH + 1);
}

/// Endings of the first phase wait for each other, and count whenever the search ends.
#[test]
fn more_candidates_of_the_two_phases_never_give_a_longer_solution() {
    let faces = turns([(ANY, &[]); 3]);
    let limits = Limits::default();
    let mut rng = ChaCha20Rng::seed_from_u64(19);
    let mut costs = Vec::new();
    for _ in 0..8 {
        let cube = Cube::solved().moved_by(random_turns(&mut rng, &faces, 40));
        let result = |candidates, limits| {
            let mut meter = Meter::new(limits);
            let (_, cost, _) = finish(&[(cube, 0)], candidates, &mut meter);
            (cost, meter.statistics.endings)
        };
        let candidates = [1, 5, 25, 60, 70, 150, 500];
        costs.push(candidates.map(|candidates| result(candidates, &limits).0));
        // After the deadline the first ending is the last.
        let past = Limits::within(Duration::ZERO);
        assert_eq!(result(usize::MAX, &past), result(1, &limits));
    }
    for costs in &costs {
        assert!(costs.is_sorted_by(|less, more| less >= more), "{costs:?}");
    }
    // With most states, more candidates give a shorter one.
    let [least, most] = [0, 6].map(|at| costs.iter().map(|costs| costs[at]).sum::<usize>());
    assert!(most + costs.len() < least, "{most}, {least}");
}

/// The nodes of the last stage are limited, whether or not it has a solution.
#[test]
fn the_two_phases_stop_at_their_limit_of_nodes() {
    let phases = search(3);
    let faces = turns([(ANY, &[]); 3]);
    let mut rng = ChaCha20Rng::seed_from_u64(24);
    for nodes in [100, 20_000] {
        let cube = Cube::solved().moved_by(random_turns(&mut rng, &faces, 40));
        let mut take = |_, _, _: &Ending<'_>, _: &mut Meter| Ok(());
        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        // So many endings take far more nodes.
        let beam = Beam::new(200_000, 1).within(nodes / 4, nodes - nodes / 4);
        let _ = phases.search(&[Entrant::new(cube)], beam, &mut take, &mut meter);
        let used = meter.statistics.nodes;
        assert!((nodes..nodes + 1_000).contains(&used), "{used} of {nodes}");
    }
}

/// The costs so far count, so a longer reduction is used only if its solution is shorter by more.
#[test]
fn the_two_phases_solve_the_reduction_with_the_least_total() {
    let state = |text: &str| {
        let turns: Sequence = text.parse().unwrap();
        Cube::solved().moved_by(turns.axis_moves())
    };
    let (near, far) = (state("R U"), state("R U F L"));
    let limits = Limits::default();
    for (cost_of_near, from, cost) in [(10, 0, 2), (11, 0, 2), (13, 1, 4), (20, 1, 4)] {
        let mut meter = Meter::new(&limits);
        let cubes = [(near, cost_of_near), (far, 10)];
        let (index, found, _) = finish(&cubes, usize::MAX, &mut meter);
        assert_eq!((index, found), (from, cost));
    }
}

fn solver() -> Solver {
    // Builds missing tables.
    LazyLock::force(&TABLES);
    let store = Store::new(tables_dir());
    let tables = TableSet::open(TABLES.chain(), &store, Profile::Compact).unwrap();
    Solver::new(tables).unwrap()
}

fn effort(first: usize, kept: usize, second: usize, third: usize, fourth: usize) -> Beams {
    Beams::new(vec![
        Beam::new(first, kept),
        Beam::new(second, second),
        Beam::new(third, third),
        Beam::new(fourth, 1),
    ])
}

#[test]
fn states_near_solved_are_solved_in_as_few_turns() {
    let pocket = Scrambler::builder().open_tables(TABLES.chain());
    for solver in [solver(), Solver::new(pocket.unwrap()).unwrap()] {
        let profile = solver.tables().profile();
        let efforts = [effort(20, 5, 5, 1, 20), solver.beams(Effort::MIN).clone()];
        for effort in &efforts {
            for text in [
                "",
                "R",
                "Rw",
                "Rw2",
                "Uw2 F",
                "U2 R2 F2",
                "x",
                "Rw U Fw2 x2",
            ] {
                let given: Sequence = text.parse().unwrap();
                let cube = Cube::solved().moved_by(given.axis_moves());
                let found = solver.solve(&cube, effort, &Limits::default()).unwrap();
                let moves = found.joined_moves();
                assert!(cube.moved_by(moves.iter().copied()).is_solved(), "{text}");
                let turns = canonical_sequence(&moves);
                let most = given.length(Metric::Obtm);
                assert!(
                    turns.length(Metric::Obtm) <= most,
                    "{profile:?}: {text:?}, {turns}"
                );
            }
        }
    }
}

/// The effort levels of the pocket profile are those declared for it, or else those of the others.
#[test]
fn profiles_have_their_effort_levels() {
    for method in [Method::FIVE_STAGE, Method::REDUCTION] {
        let ChainSpec {
            efforts,
            pocket_efforts,
            ..
        } = method.declaration();
        let chain = method.chain(Metric::Obtm).unwrap();
        assert_eq!(pocket_efforts.is_empty(), method == Method::FIVE_STAGE);
        for number in 1..=10 {
            let level = Effort::new(number).unwrap();
            let declared = Beams::new(efforts[level.index()].clone());
            let pocket = pocket_efforts.get(level.index()).cloned();
            let pocket = pocket.map_or_else(|| declared.clone(), Beams::new);
            assert_eq!(chain.beams(level, Profile::Pocket), Some(&pocket));
            for profile in [Profile::Compact, Profile::Full] {
                assert_eq!(chain.beams(level, profile), Some(&declared));
            }
        }
    }
}

/// A higher level lists and keeps at least as many candidates in every stage, and may expand more nodes.
#[test]
fn higher_levels_have_wider_beams() {
    for method in [Method::FIVE_STAGE, Method::REDUCTION] {
        let chain = method.chain(Metric::Obtm).unwrap();
        let stages = chain.stages().len();
        for profile in [Profile::Pocket, Profile::Compact] {
            let levels = (1..=10).map(|number| chain.beams(Effort::new(number).unwrap(), profile));
            let levels: Vec<&Beams> = levels.map(Option::unwrap).collect();
            for (number, pair) in (1..).zip(levels.windows(2)) {
                let name = format!("{method}, {profile}, {number}");
                for stage in 0..stages {
                    let [low, high] = [pair[0], pair[1]].map(|beams| beams.beam(stage));
                    assert!(low.endings <= high.endings, "{name}");
                    assert!(low.width <= high.width, "{name}");
                }
                let [low, high] = [pair[0], pair[1]].map(|beams| beams.most_nodes(stages));
                assert!(low < high, "{name}");
            }
        }
    }
}

/// Each stage has at least one candidate, even if its beam has none.
#[test]
fn a_beam_of_no_candidates_is_one_of_a_single_candidate() {
    let reduction = solver();
    let mut rng = ChaCha20Rng::seed_from_u64(25);
    for solver in [&reduction, scrambler().solver()] {
        let cube = Cube::random(&mut rng);
        let [none, one] = [0, 1].map(|width| {
            let beams = Beams::new(vec![Beam::new(width, width).within(1_000_000, 0); 4]);
            solver.solve(&cube, &beams, &Limits::default()).unwrap()
        });
        assert!(cube.moved_by(none.joined_moves()).is_solved());
        assert_eq!(none.joined_moves(), one.joined_moves());
    }
}

/// The random state does not depend on the method.
#[test]
fn both_methods_lead_to_the_same_random_state() {
    let five = scrambler();
    let four = Scrambler::new(solver_of(Method::REDUCTION, Metric::Obtm));
    for seed in 0..10 {
        let reached = [five, &four].map(|scrambler| {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let scramble = scrambler.with(Effort::MIN).scramble(&mut rng);
            let turns = scramble.unwrap().sequence.to_string();
            let turns: Sequence = turns.parse().unwrap();
            Cube::solved().moved_by(turns.axis_moves())
        });
        assert!(reached[0].is_same_up_to_rotation(&reached[1]), "{seed}");
    }
}

#[test]
fn a_search_respects_cancellation_and_deadlines() {
    let effort = effort(40_000, 3_000, 16_000, 2_000, 1_500_000);
    let solver = solver();
    let cube = Cube::random(&mut ChaCha20Rng::seed_from_u64(16));
    for limits in [Limits::default(), Limits::within(Duration::ZERO)] {
        limits.cancel.cancel();
        let cancelled = solver.solve(&cube, &effort, &limits);
        assert_eq!(cancelled.unwrap_err(), SearchError::Cancelled);
    }

    let limits = Limits::within(Duration::ZERO);
    let found = solver.solve(&cube, &effort, &limits).unwrap();
    assert!(cube.moved_by(found.joined_moves()).is_solved());
    let endings: Vec<u64> = found
        .stages
        .iter()
        .map(|stage| stage.statistics.endings)
        .collect();
    assert_eq!(endings[..3], [1, 1, 1], "each stage takes the first ending");
    assert!(endings[3] < 1_000, "{}", endings[3]);
}

/// A second attempt would count the endings of both.
#[test]
fn a_single_candidate_of_each_stage_is_enough_in_the_first_attempt() {
    let solver = solver();
    let mut rng = ChaCha20Rng::seed_from_u64(21);
    let effort = Beams::new(vec![Beam::new(1, 1); 4]);
    for _ in 0..10 {
        let cube = Cube::random(&mut rng);
        let found = solver.solve(&cube, &effort, &Limits::default()).unwrap();
        assert!(cube.moved_by(found.joined_moves()).is_solved());
        let endings = found.stages.iter().map(|stage| stage.statistics.endings);
        assert_eq!(endings.take(3).collect::<Vec<_>>(), [1; 3]);
    }
}

/// A commit that changes these counts must give the reason and update them.
#[test]
fn the_work_for_fixed_states_is_unchanged() {
    let effort = effort(1_000, 200, 80, 1, 1_500);
    let solver = solver();
    let mut rng = ChaCha20Rng::seed_from_u64(15);
    let mut sums = [[0; 3]; 4];
    for _ in 0..10 {
        let cube = Cube::random(&mut rng);
        let found = solver.solve(&cube, &effort, &Limits::default()).unwrap();
        for (sum, stage) in sums.iter_mut().zip(&found.stages) {
            let work = stage.statistics;
            for (sum, count) in sum.iter_mut().zip([work.nodes, work.lookups, work.endings]) {
                *sum += count;
            }
        }
    }
    assert_eq!(
        sums,
        [
            [23_411, 0, 10_000],
            [231_352, 237_542, 800],
            [12_099, 134_438, 10],
            [61_492, 233_412, 15_004],
        ]
    );
}

/// Three stages of `reduction`, two of them with a custom search, and Thistlethwaite's declared phases.
#[test]
fn chains_can_mix_declared_and_custom_stages() {
    let mut stages = Method::REDUCTION.declaration().stages;
    stages.truncate(3);
    stages.extend(
        cube444_lab::EIGHT_STEP
            .declaration()
            .stages
            .into_iter()
            .skip(4),
    );
    let mut method = ChainSpec::new("mixed", stages);
    method.efforts = vec![vec![Beam::new(20, 5); 6]; Effort::COUNT];
    let chain = Chain::new(method, Metric::Obtm).unwrap();
    LazyLock::force(&TABLES);
    let tables = {
        let _alone = alone();
        open_compact(&chain)
    };
    let scrambler = Scrambler::new(Solver::new(tables).unwrap());
    let effort = scrambler.solver().beams(Effort::DEFAULT);
    let mut rng = ChaCha20Rng::seed_from_u64(18);
    for _ in 0..20 {
        let cube = Cube::random(&mut rng);
        let solution = scrambler.solver().solve(&cube, effort, &Limits::default());
        let solution = solution.unwrap();
        let names: Vec<&str> = solution.stages.iter().map(|stage| stage.stage).collect();
        assert_eq!(
            names[..4],
            ["axis-centers", "all-axes", "reduced", "oriented-edges"]
        );
        assert_eq!(names.len(), 7);
        assert!(cube.moved_by(solution.joined_moves()).is_solved());
        assert!(scrambler.scramble_to(&cube).is_ok());
    }
}
