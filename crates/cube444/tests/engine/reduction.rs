//! The stages of `reduction` and their tables, with searches on complete cubes for comparison.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use cube444::cube::{Action, Axis, AxisMove, Cube};
use cube444::method::{Beam, Ending, Entrant, Meter, StageSearch, Stopped};
use cube444::search::{Limits, Profile, Statistics, verify_fully};
use cube444::table::{Store, Table, TableError, TableProblem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use test_support::cubes::{can_be_paired, is_paired, parities, place_of_first, reachable};
use test_support::tables::{alone, pocket, reduction, tables_dir};

/// The quarter turns that are allowed for each axis, at the two outer boundaries and at the middle one.
type Allowed = [(&'static [u8], &'static [u8]); 3];

const ANY: &[u8] = &[1, 2, 3];
const HALF: &[u8] = &[2];
const FACES: Allowed = [(ANY, &[]); 3];
/// The turns of each stage.
const STAGES: [Allowed; 4] = [
    [(ANY, ANY), (ANY, ANY), (ANY, ANY)],
    [(ANY, HALF), (ANY, HALF), (ANY, ANY)],
    [(ANY, HALF), (ANY, HALF), (HALF, HALF)],
    FACES,
];
const PROFILES: [Profile; 2] = [Profile::Pocket, Profile::Compact];

fn turns(allowed: Allowed) -> Vec<AxisMove> {
    let mut turns = Vec::new();
    for (axis, (outer, middle)) in Axis::ALL.into_iter().zip(allowed) {
        let blocks = [[1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]];
        for (block, quarters) in blocks.into_iter().zip([outer, middle, outer]) {
            let turn = |by| AxisMove::new(axis, block.map(|turned| turned * by));
            turns.extend(quarters.iter().map(turn));
        }
    }
    turns
}

/// The axis of a turn and the boundary at which it turns.
fn place(turn: AxisMove) -> (Axis, usize) {
    let amounts = turn.amounts();
    let boundary = amounts.windows(2).position(|pair| pair[0] != pair[1]);
    (turn.axis(), boundary.unwrap())
}

fn random_turns(rng: &mut ChaCha20Rng, turns: &[AxisMove], count: usize) -> Vec<AxisMove> {
    let turn = |_| turns[rng.random_range(0..turns.len())];
    (0..count).map(turn).collect()
}

/// Adds all sequences of exactly `left` turns that lead from a cube to the goal of a stage, and whose last run has no
/// turn that the next stage could make. The turns of a run about one axis are in the order of the boundaries.
fn plain_search(
    stage: usize,
    cube: Cube,
    turns: &[AxisMove],
    path: &mut Vec<AxisMove>,
    left: usize,
    found: &mut BTreeSet<Vec<AxisMove>>,
) {
    let last = path.last().copied();
    if left == 0 {
        let mut run = path.iter().rev();
        let run = run
            .by_ref()
            .take_while(|mv| Some(mv.axis()) == last.map(|last| last.axis()));
        if run.copied().all(|mv| is_last(stage, mv)) && is_goal(stage, &cube) {
            found.insert(path.clone());
        }
        return;
    }
    // Sequences of the second stage may lead through goals.
    if stage != 1 && last.is_some() && is_goal(stage, &cube) {
        return;
    }
    for &turn in turns {
        let is_ordered =
            last.is_none_or(|last| last.axis() != turn.axis() || place(last) < place(turn));
        if is_ordered && (left > 1 || is_last(stage, turn)) {
            path.push(turn);
            plain_search(stage, cube.moved(turn), turns, path, left - 1, found);
            path.pop();
        }
    }
}

/// Whether the stage after one cannot make a turn.
fn is_last(stage: usize, turn: AxisMove) -> bool {
    let is_quarter = turn.amounts().iter().any(|amount| amount % 2 == 1);
    let (axis, boundary) = place(turn);
    match stage {
        0 => boundary == 1 && is_quarter,
        1 => axis == Axis::Z && is_quarter,
        _ => boundary == 1,
    }
}

fn is_goal(stage: usize, cube: &Cube) -> bool {
    [is_first_goal, is_second_goal, is_third_goal][stage](cube)
}

/// Whether the F and B centers are on the two faces of one axis.
fn is_first_goal(cube: &Cube) -> bool {
    (0..3).any(|axis| (0..24).all(|slot| is_fb(cube, slot) == (slot / 8 == axis)))
}

fn is_fb(cube: &Cube, slot: usize) -> bool {
    matches!(cube.centers()[slot].letter(), 'F' | 'B')
}

/// The colors of the F and B faces, up to exchanging the two colors.
fn front_and_back(cube: &Cube) -> Vec<bool> {
    let is_front = |slot: usize| cube.centers()[slot].letter() == 'F';
    let front: Vec<bool> = (16..24).map(is_front).collect();
    let back = front.iter().map(|front| !front).collect();
    front.min(back)
}

/// The patterns of the F and B faces and the places of the first wing that the moves of the third stage reach
/// from the solved cube.
static THIRD: LazyLock<(HashSet<Vec<bool>>, HashSet<usize>)> = LazyLock::new(|| {
    let turns = turns(STAGES[2]);
    (
        reachable(&turns, front_and_back),
        reachable(&turns, place_of_first),
    )
});

fn is_second_goal(cube: &Cube) -> bool {
    if !(0..24).all(|slot| is_fb(cube, slot) == (slot / 8 == 2)) {
        return false;
    }
    let (patterns, orbit) = &*THIRD;
    let axes_of = |letter: char| {
        let slots = (0..24).filter(|&slot| cube.centers()[slot].letter() == letter);
        slots.map(|slot| slot / 8).collect::<BTreeSet<_>>()
    };
    let sides = axes_of('L');
    let settled = sides.len() == 1 && sides == axes_of('R') && !sides.contains(&2);
    settled && patterns.contains(&front_and_back(cube)) && can_be_paired(cube, orbit)
}

/// Whether all edges are paired, the centers are solved up to half turns of the cube, and the parities of
/// corners and edges agree.
fn is_third_goal(cube: &Cube) -> bool {
    static HOMES: LazyLock<[Cube; 4]> =
        LazyLock::new(|| ["", "x2", "y2", "z2"].map(test_support::cubes::cube));
    let is_home = |home: &Cube| home.centers() == cube.centers();
    is_paired(cube) && HOMES.iter().any(is_home) && !parities(cube)[1]
}

/// The search of a stage with the tables of a profile.
fn search(stage: usize, profile: Profile) -> &'static dyn StageSearch {
    static SEARCHES: LazyLock<[Vec<Box<dyn StageSearch>>; 2]> = LazyLock::new(|| {
        [pocket(), reduction()].map(|scrambler| {
            let set = scrambler.solver().tables();
            let copy = |it: &Table| Table::in_memory(it.header().clone(), it.payload()).unwrap();
            let mut tables = set.all().map(|table| Arc::new(copy(table)));
            let open = |stage: &Arc<dyn cube444::method::Stage>| {
                let count = stage.tables(set.profile()).len();
                let tables = tables.by_ref().take(count).collect();
                stage.clone().open(set.profile(), tables)
            };
            set.chain().stages().iter().map(open).collect()
        })
    });
    &*SEARCHES[usize::from(profile == Profile::Compact)][stage]
}

/// A lower bound of the distance of a cube.
fn bound(search: &dyn StageSearch, cube: &Cube) -> usize {
    search.bounds(&[(*cube, Action::IDENTITY)], u8::MAX)[0].into()
}

/// The endings of a stage from a cube at exactly this cost, after a last run of the stage before.
fn endings(
    search: &dyn StageSearch,
    cube: &Cube,
    last_run: AxisMove,
    cost: usize,
) -> BTreeSet<Vec<AxisMove>> {
    let entrant = Entrant {
        last_run,
        key: cost,
        ..Entrant::new(*cube)
    };
    let mut listed = BTreeSet::new();
    let mut take = |_, total, ending: &Ending<'_>, _: &mut Meter| {
        if total > cost {
            return Err(Stopped);
        }
        let moves = ending.moves.to_vec();
        assert_eq!(ending.cube, cube.moved_by(moves.iter().copied()));
        assert!(listed.insert(moves), "an ending is listed twice");
        Ok(())
    };
    // Far more nodes than at this cost, since there may be no ending at a greater one for long.
    let beam = Beam::new(usize::MAX, 1).within(2_000_000, 0);
    let limits = Limits::default();
    let _ = search.search(&[entrant], beam, &mut take, &mut Meter::new(&limits));
    listed
}

/// Compares the endings that a stage lists with those of the plain search, from some starts: goals after a number of
/// turns, up to a cost. At least as many as `least` are compared.
fn assert_lists_endings(stage: usize, starts: &[(usize, usize)], least: usize) {
    let mut rng = ChaCha20Rng::seed_from_u64(11 + stage as u64);
    let [own, next] = [stage, stage + 1].map(|stage| turns(STAGES[stage]));
    let mut listed = 0;
    for &(count, max) in starts {
        let goal = Cube::solved().moved_by(random_turns(&mut rng, &next, 30));
        let start = goal.moved_by(random_turns(&mut rng, &own, count));
        let mut distance = None;
        for cost in 0..=max {
            let mut found = BTreeSet::new();
            plain_search(stage, start, &own, &mut Vec::new(), cost, &mut found);
            listed += found.len();
            if !found.is_empty() {
                distance.get_or_insert(cost);
            }
            for profile in PROFILES {
                let search = search(stage, profile);
                let listed = endings(search, &start, AxisMove::STILL, cost);
                assert_eq!(listed, found, "stage {stage}, {profile}, cost {cost}");
                // A stage starts with no turn that would merge with the last run of the stage before.
                let last_run = AxisMove::new(Axis::X, [0, 0, 0, 1]);
                let mut expected = found.clone();
                expected.retain(|path| {
                    let mut run = path.iter().take_while(|mv| mv.axis() == Axis::X);
                    run.all(|&mv| place(mv) != place(last_run))
                });
                assert_eq!(endings(search, &start, last_run, cost), expected);
            }
        }
        let distance = distance.expect("the start is near enough");
        for search in PROFILES.map(|profile| search(stage, profile)) {
            let bound = bound(search, &start);
            assert!(bound == distance || !search.is_exact() && bound < distance);
        }
    }
    assert!(listed > least, "{listed}");
}

#[test]
fn the_first_stage_lists_the_endings_of_a_plain_search() {
    let starts = [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3].map(|count| (count, 3));
    assert_lists_endings(0, &starts, 40);
}

#[test]
fn the_second_stage_lists_the_endings_of_a_plain_search() {
    // The ends of four turns are listed in advance, so a cost of 5 is the first with a search.
    let starts = [(0, 4), (1, 5), (2, 4), (3, 4), (3, 5), (4, 4)];
    assert_lists_endings(1, &starts, 1_000);
}

#[test]
fn the_third_stage_lists_the_endings_of_a_plain_search() {
    let starts = [0, 1, 2, 3, 3, 4, 4, 4].map(|count| (count, 4));
    assert_lists_endings(2, &starts, 20);
}

/// Farther from the goal than a plain search reaches, the endings are those of one turn less after each turn, except
/// that the turns of a run are in the order of the boundaries.
#[test]
fn longer_endings_are_those_of_one_turn_less_after_each_turn() {
    let mut rng = ChaCha20Rng::seed_from_u64(26);
    // A number of turns from solved and a least lower bound of some starts, and how many turns more than this endings
    // have at most.
    for (stage, count, least, more) in [(0, 30, 6, 0), (1, 7, 6, 1), (2, 8, 7, 1)] {
        let search = search(stage, Profile::Compact);
        let turns = turns(STAGES[stage]);
        let mut listed = 0;
        let starts = std::iter::repeat_with(|| {
            Cube::solved().moved_by(random_turns(&mut rng, &turns, count))
        });
        for cube in starts.filter(|cube| bound(search, cube) >= least).take(8) {
            for cost in bound(search, &cube)..=bound(search, &cube) + more {
                let mut expected = BTreeSet::new();
                for &first in &turns {
                    let after = cube.moved(first);
                    // A stage that ends at a goal does not go on.
                    if stage != 1 && is_goal(stage, &after) {
                        continue;
                    }
                    for rest in endings(search, &after, AxisMove::STILL, cost - 1) {
                        let then = place(rest[0]);
                        if then.0 != first.axis() || then > place(first) {
                            expected.insert([vec![first], rest].concat());
                        }
                    }
                }
                listed += expected.len();
                let found = endings(search, &cube, AxisMove::STILL, cost);
                assert_eq!(found, expected, "stage {stage}, cost {cost}");
            }
        }
        assert!(listed > 100, "stage {stage}: {listed}");
    }
}

/// The cost of the solution that the two phases find of a cube, and the work for it.
fn finish(profile: Profile, cube: Cube, candidates: usize, limits: &Limits) -> (usize, Statistics) {
    let mut found = None;
    let mut take = |_, total: usize, ending: &Ending<'_>, _: &mut Meter| {
        assert!(cube.moved_by(ending.moves.iter().copied()).is_solved());
        assert!(ending.cube.is_solved() && total == ending.moves.len());
        assert!(found.replace(total).is_none());
        Ok(())
    };
    let mut meter = Meter::new(limits);
    let beam = Beam::new(candidates, 1);
    let outcome = search(3, profile).search(&[Entrant::new(cube)], beam, &mut take, &mut meter);
    outcome.unwrap();
    (found.unwrap(), meter.statistics)
}

/// Within the subgroup the first ending of the first phase has no turns. Elsewhere, without a limit of candidates, the
/// search goes on until nothing shorter can be found.
#[test]
fn a_cube_is_solved_in_as_few_turns_as_it_was_turned() {
    const SUBGROUP: Allowed = [(HALF, &[]), (ANY, &[]), (HALF, &[])];
    let mut rng = ChaCha20Rng::seed_from_u64(27);
    for (allowed, most, candidates) in [(SUBGROUP, 13, 1), (FACES, 7, usize::MAX)] {
        for profile in PROFILES {
            let mut greatest = 0;
            for round in 0..60 {
                let count = most - round % 8;
                let turned = random_turns(&mut rng, &turns(allowed), count);
                let cube = Cube::solved().moved_by(turned);
                let (cost, _) = finish(profile, cube, candidates, &Limits::default());
                assert!(cost <= count, "{cost} turns instead of {count}");
                greatest = greatest.max(cost);
            }
            assert!(greatest > most - 4, "{greatest}");
        }
    }
}

/// The nodes of the last stage are limited, whether or not it has a solution, and after the deadline the first ending
/// is the last.
#[test]
fn the_two_phases_stop_at_their_limits() {
    let mut rng = ChaCha20Rng::seed_from_u64(24);
    let cube = Cube::solved().moved_by(random_turns(&mut rng, &turns(FACES), 40));
    let limits = Limits::default();
    for nodes in [100, 20_000] {
        let mut meter = Meter::new(&limits);
        // So many endings take far more nodes.
        let beam = Beam::new(200_000, 1).within(nodes / 4, nodes - nodes / 4);
        let take = &mut |_, _, _: &Ending<'_>, _: &mut Meter| Ok(());
        let _ = search(3, Profile::Compact).search(&[Entrant::new(cube)], beam, take, &mut meter);
        let used = meter.statistics.nodes;
        assert!((nodes..nodes + 1_000).contains(&used), "{used} of {nodes}");
    }
    let past = Limits::within(Duration::ZERO);
    let (cost, work) = finish(Profile::Compact, cube, usize::MAX, &past);
    let (first_cost, first) = finish(Profile::Compact, cube, 1, &limits);
    assert_eq!((cost, work.endings), (first_cost, first.endings));
}

#[test]
fn the_tables_have_the_known_distributions() {
    let set = reduction().solver().tables();
    let positions = |name: &str| {
        let mut headers = set.all().map(Table::header);
        let header = headers.find(|header| header.identity.label.ends_with(name));
        header.unwrap().distribution.positions.clone()
    };
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
    let second = positions("phase-two-exact");
    assert_eq!(second.iter().sum::<u64>(), 40_320 * 40_320);
    let known = [3, 6, 108, 1434, 15210, 126306, 420312, 171204, 888];
    assert_eq!(positions("axis-centers-exact"), known);
    let known = [1, 3, 34, 356, 3_568, 34_223, 331_445, 3_279_289, 32_869_934];
    assert_eq!(positions("near-goal"), known);
    let _alone = alone();
    let store = Store::new(tables_dir());
    for (path, result) in verify_fully(set.chain(), &store, Profile::Compact) {
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
    let mut verified = verify_fully(set.chain(), &store, Profile::Compact);
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
    for scrambler in [pocket(), reduction()] {
        let set = scrambler.solver().tables();
        let profile = set.profile();
        let stages = set.chain().stages().iter();
        let specs = stages.flat_map(|stage| stage.tables(profile));
        for (spec, table) in specs.zip(set.all()) {
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
                profile == Profile::Compact || spec.is_as_counted(table),
                "{label}"
            );
        }
    }
}
