//! The small distances of the distributions in outer block turns, compared with a search on complete cubes
//! that shares no coordinate, symmetry or generator code with the engine.

use std::collections::{HashMap, HashSet};

use cube444::cube::{Axis, AxisMove, Cube, Sequence};
use serde_json::Value;

use test_support::naive::{corner_places, edge, reachable};
use test_support::parity::is_odd;

/// The largest distance of the naive search.
const DEPTH: usize = 4;

/// For the axes x, y and z, the multiples of a quarter turn by which outer and inner layers may turn.
type Steps = [(u8, u8); 3];

const STAGES: [Steps; 5] = [
    [(1, 1), (1, 1), (1, 1)],
    [(2, 1), (1, 1), (2, 1)],
    [(2, 2), (1, 2), (2, 1)],
    [(2, 2), (1, 2), (2, 2)],
    [(2, 2), (2, 2), (2, 2)],
];

/// The moves that a stage allows: all amounts of the four layers of an axis. The cost of a move is the number
/// of adjacent layers with different amounts.
fn moves(steps: Steps) -> Vec<(AxisMove, usize)> {
    let mut moves = Vec::new();
    for (axis, (outer, inner)) in Axis::ALL.into_iter().zip(steps) {
        for a in (0..4).step_by(outer as usize) {
            for b in (0..4).step_by(inner as usize) {
                for c in (0..4).step_by(inner as usize) {
                    for d in (0..4).step_by(outer as usize) {
                        let cost = usize::from(a != b) + usize::from(b != c) + usize::from(c != d);
                        moves.push((AxisMove::new(axis, [a, b, c, d]), cost));
                    }
                }
            }
        }
    }
    moves
}

/// The part of a cube that a stage distinguishes. Positions of a stage are equal if their views are equal.
type View = Vec<u8>;

/// Canonical representatives of arrangements up to relabeling by half turns.
struct UpToHalfTurns {
    /// The relabelings by half turns. Each gives the new label of each old label.
    relabelings: Vec<Vec<u8>>,
    cache: HashMap<Vec<u8>, Vec<u8>>,
}

impl UpToHalfTurns {
    /// For the arrangement that `read` returns, which is 0, 1, 2, … for the solved cube.
    fn new(read: fn(&Cube) -> Vec<u8>) -> UpToHalfTurns {
        let single = |mv: &AxisMove| mv.amounts().iter().filter(|&&a| a > 0).count() == 1;
        let half_turns: Vec<AxisMove> = moves(STAGES[4])
            .into_iter()
            .map(|(mv, _)| mv)
            .filter(single)
            .collect();
        UpToHalfTurns {
            relabelings: reachable(&half_turns, read).into_iter().collect(),
            cache: HashMap::new(),
        }
    }

    /// The smallest relabeled arrangement.
    fn representative(&mut self, arrangement: Vec<u8>) -> Vec<u8> {
        let relabelings = &self.relabelings;
        let smallest = |arrangement: &Vec<u8>| {
            let relabeled =
                |r: &Vec<u8>| arrangement.iter().map(|&label| r[label as usize]).collect();
            relabelings.iter().map(relabeled).min().unwrap()
        };
        self.cache
            .entry(arrangement)
            .or_insert_with_key(smallest)
            .clone()
    }
}

/// The wings in the eight places of the u and d layers.
fn inner_wings(cube: &Cube) -> Vec<u8> {
    (8..16)
        .map(|slot| (cube.wings()[slot] as u8).wrapping_sub(8))
        .collect()
}

/// The wings in the other sixteen places, numbered from 0 to 15.
fn outer_wings(cube: &Cube) -> Vec<u8> {
    let number = |slot: usize| if slot < 8 { slot } else { slot - 8 };
    (0..8)
        .chain(16..24)
        .map(|slot| number(cube.wings()[slot]) as u8)
        .collect()
}

/// The corner at each place.
fn corners(cube: &Cube) -> Vec<u8> {
    (0..8).map(|slot| cube.corners()[slot].0 as u8).collect()
}

/// The centers of two colours, up to exchanging the colours.
fn centers(cube: &Cube, colours: [char; 2]) -> Vec<u8> {
    let marked = |first: char| -> Vec<u8> {
        let mark = |slot: usize| match cube.centers()[slot].letter() {
            letter if letter == first => 1,
            letter if colours.contains(&letter) => 2,
            _ => 0,
        };
        (0..24).map(mark).collect()
    };
    marked(colours[0]).min(marked(colours[1]))
}

/// The places, among the sixteen, that the moves of stage 4 reach from the first one.
fn first_hand() -> HashSet<u8> {
    let turns: Vec<AxisMove> = moves(STAGES[3]).into_iter().map(|(mv, _)| mv).collect();
    reachable(&turns, |cube| {
        let mut homes = outer_wings(cube).into_iter();
        homes.position(|home| home == 0).unwrap() as u8
    })
}

/// The view of each of the five stages.
fn view_of(stage: usize) -> Box<dyn FnMut(&Cube) -> View> {
    match stage {
        1 => Box::new(|cube| {
            let facelets = cube.facelets().into_bytes();
            let is_ud = |&at: &usize| u8::from(matches!(facelets[at], b'U' | b'D'));
            let corners = corner_places();
            let stickers = corners.iter().flatten().map(is_ud);
            stickers
                .chain((0..24).map(|slot| u8::from((8..16).contains(&cube.wings()[slot]))))
                .collect()
        }),
        2 => {
            let mut wings = UpToHalfTurns::new(inner_wings);
            assert_eq!(wings.relabelings.len(), 96);
            Box::new(move |cube| {
                let wings = wings.representative(inner_wings(cube));
                [centers(cube, ['F', 'B']), wings].concat()
            })
        }
        3 => {
            let hand = first_hand();
            assert_eq!(hand.len(), 8);
            Box::new(move |cube| {
                let wings = outer_wings(cube);
                let hands = wings.iter().map(|home| u8::from(hand.contains(home)));
                let mut view = centers(cube, ['L', 'R']);
                view.extend(hands);
                view.push(u8::from(is_odd(&wings)));
                view
            })
        }
        4 => {
            let mut up_to_wings = UpToHalfTurns::new(outer_wings);
            let mut up_to_corners = UpToHalfTurns::new(corners);
            assert_eq!(
                (
                    up_to_wings.relabelings.len(),
                    up_to_corners.relabelings.len()
                ),
                (9_216, 96)
            );
            Box::new(move |cube| {
                let centers = centers(cube, ['U', 'D']);
                let corners = up_to_corners.representative(corners(cube));
                let wings = up_to_wings.representative(outer_wings(cube));
                [centers, corners, wings].concat()
            })
        }
        _ => Box::new(|cube| cube.facelets().into_bytes()),
    }
}

/// The definition of a stage.
struct StageDefinition {
    view: Box<dyn FnMut(&Cube) -> View>,
    /// The moves of the stage.
    steps: Steps,
    /// The moves of the next stage.
    next: Option<Steps>,
    /// The rotations of the cube that map goals to goals.
    rotations: &'static [&'static str],
}

/// One of the five stages.
fn five_stage(stage: usize) -> StageDefinition {
    StageDefinition {
        view: view_of(stage),
        steps: STAGES[stage - 1],
        next: STAGES.get(stage).copied(),
        rotations: [&["x", "y"][..], &["y"], &[], &[], &["x2", "y2"]][stage - 1],
    }
}

/// The moves of the four stages of reduction. With a step of 4, layers do not turn.
const REDUCTION: [Steps; 4] = [
    [(1, 1), (1, 1), (1, 1)],
    [(1, 2), (1, 2), (1, 1)],
    [(1, 2), (1, 2), (2, 2)],
    [(1, 4), (1, 4), (1, 4)],
];

/// One of the first three stages of reduction.
fn reduction(stage: usize) -> StageDefinition {
    let letters = |cube: &Cube| {
        (0..24)
            .map(|slot| cube.centers()[slot].letter())
            .collect::<Vec<_>>()
    };
    let view: Box<dyn FnMut(&Cube) -> View> = match stage {
        // The places of the F and B centers.
        1 => Box::new(move |cube| {
            let is_fb = |letter: char| u8::from("FB".contains(letter));
            letters(cube).into_iter().map(is_fb).collect()
        }),
        // The centers of each axis, those of F and B up to exchanging them, and the parity of the wings.
        2 => Box::new(move |cube| {
            let sides = &letters(cube)[..16];
            let marked = |colours: &str| -> Vec<u8> {
                let is_marked = |&letter: &char| u8::from(colours.contains(letter));
                sides.iter().map(is_marked).collect()
            };
            let mut view = marked("LR").min(marked("DU"));
            view.extend(centers(cube, ['F', 'B']));
            let wings: Vec<usize> = cube.wings().into_iter().collect();
            view.push(u8::from(is_odd(&wings)));
            view
        }),
        // The pairs of wings, the centers up to half turns of the cube, and whether the parities of edges and
        // corners agree.
        _ => {
            let turns: Vec<AxisMove> = moves(REDUCTION[2]).into_iter().map(|(mv, _)| mv).collect();
            let orbit = reachable(&turns, |cube| {
                (0..24).find(|&place| cube.wings()[place] == 0).unwrap()
            });
            let mut orbit: Vec<usize> = orbit.into_iter().collect();
            orbit.sort_unstable();
            let partner = |wing: usize| wing ^ (1 << (wing / 8));
            let homes: Vec<usize> = orbit.iter().map(|&place| edge(place)).collect();
            Box::new(move |cube| {
                let wings: Vec<usize> = cube.wings().into_iter().collect();
                let place_of = |home| wings.iter().position(|&wing| wing == home).unwrap() as u8;
                let mut view: View = wings.iter().map(|&w| place_of(partner(w))).collect();
                let rotated = ["", "UDFB", "LRFB", "LRUD"].map(|exchanged| {
                    let name = |letter: char| match exchanged.find(letter) {
                        Some(at) => exchanged.as_bytes()[at ^ 1],
                        None => letter as u8,
                    };
                    letters(cube).into_iter().map(name).collect::<View>()
                });
                view.extend(rotated.into_iter().min().unwrap());
                let edges: Vec<usize> = orbit
                    .iter()
                    .map(|&place| edge(cube.wings()[place]))
                    .collect();
                let odd = is_odd(&edges) ^ is_odd(&homes) ^ is_odd(&corners(cube));
                view.push(u8::from(odd));
                view
            })
        }
    };
    StageDefinition {
        view,
        steps: REDUCTION[stage - 1],
        next: Some(REDUCTION[stage]),
        rotations: if stage == 1 { &["x", "y"] } else { &[] },
    }
}

/// The numbers of positions at the costs 0 to [`DEPTH`] from the goal. The goal contains the positions that
/// the moves of the next stage and rotations reach from the solved cube.
fn naive_distribution(stage: StageDefinition) -> Vec<u64> {
    let mut view = stage.view;
    let next_moves = stage.next.map_or(Vec::new(), moves);
    let goal_moves: Vec<AxisMove> = next_moves.into_iter().map(|(mv, _)| mv).collect();
    let mut seen: HashMap<View, usize> = HashMap::new();
    let mut levels: Vec<Vec<Cube>> = vec![Vec::new(); DEPTH + 1];
    let mut starts = vec![Cube::solved()];
    let mut reached = HashSet::from([view(&starts[0])]);
    let mut next = 0;
    while next < starts.len() {
        for &mv in &goal_moves {
            let cube = starts[next].moved(mv);
            if reached.insert(view(&cube)) {
                starts.push(cube);
            }
        }
        next += 1;
    }
    let mut next = 0;
    while next < starts.len() {
        for text in stage.rotations {
            let sequence: Sequence = text.parse().unwrap();
            let cube = starts[next].moved_by(sequence.axis_moves());
            if reached.insert(view(&cube)) {
                starts.push(cube);
            }
        }
        next += 1;
    }
    levels[0] = starts;
    let moves = moves(stage.steps);
    for depth in 0..=DEPTH {
        let mut at = 0;
        while at < levels[depth].len() {
            let cube = levels[depth][at];
            at += 1;
            let own = view(&cube);
            if seen.get(&own).is_some_and(|&before| before <= depth) {
                continue;
            }
            seen.insert(own, depth);
            for &(mv, cost) in moves.iter().filter(|&&(_, cost)| depth + cost <= DEPTH) {
                let next = cube.moved(mv);
                if !seen.contains_key(&view(&next)) {
                    levels[depth + cost].push(next);
                }
            }
        }
    }
    let mut counts = vec![0; DEPTH + 1];
    for depth in seen.into_values() {
        counts[depth] += 1;
    }
    counts
}

fn assert_small_distances(stage: usize) {
    let recorded: Value = serde_json::from_str(include_str!("../data/obtm.json")).unwrap();
    let positions = recorded["stages"][stage - 1]["positions"]
        .as_array()
        .unwrap();
    let expected: Vec<u64> = positions[..=DEPTH]
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect();
    assert_eq!(
        naive_distribution(five_stage(stage)),
        expected,
        "stage {stage}"
    );
}

#[test]
fn small_distances_of_stage_1() {
    assert_small_distances(1);
}

#[test]
fn small_distances_of_stage_2() {
    assert_small_distances(2);
}

#[test]
fn small_distances_of_stage_3() {
    assert_small_distances(3);
}

#[test]
fn small_distances_of_stage_4() {
    assert_small_distances(4);
}

#[test]
fn small_distances_of_stage_5() {
    assert_small_distances(5);
}

#[test]
fn small_distances_of_reduction() {
    for (stage, expected) in [
        (1, [3, 6, 108, 1_434, 15_210]),
        (2, [6, 11, 97, 840, 5_651]),
        (3, [1, 3, 34, 356, 3_568]),
    ] {
        assert_eq!(
            naive_distribution(reduction(stage)),
            expected,
            "stage {stage}"
        );
    }
}
