//! The beginnings of the distance distributions in outer block turns, by search over pictures of
//! whole cubes that shares no coordinate, symmetry or generator code with the engine.

use std::collections::{HashMap, HashSet};

use scramble444::cube::{Axis, AxisMove, Cube, Sequence};
use serde_json::Value;

use crate::common::naive::{corner_places, edge, reachable};
use crate::common::parity::is_odd;

/// How far the naive search goes.
const DEPTH: usize = 4;

/// By which multiples of a quarter turn outer and inner layers may turn, about x, y and z.
type Steps = [(u8, u8); 3];

const STAGES: [Steps; 5] = [
    [(1, 1), (1, 1), (1, 1)],
    [(2, 1), (1, 1), (2, 1)],
    [(2, 2), (1, 2), (2, 1)],
    [(2, 2), (1, 2), (2, 2)],
    [(2, 2), (2, 2), (2, 2)],
];

/// Every choice of amounts for the four layers of an axis that a stage allows, with its cost: the
/// number of boundaries at which neighbours differ.
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

/// What a stage can see of a cube, as bytes that are equal exactly when it sees the same.
type Picture = Vec<u8>;

/// Arrangements up to relabelling by half turns: the least relabelled one.
struct UpToHalfTurns {
    /// Every relabelling that half turns make, by old label.
    relabellings: Vec<Vec<u8>>,
    known: HashMap<Vec<u8>, Vec<u8>>,
}

impl UpToHalfTurns {
    /// Of the arrangement that `read` reads, whose solved value is 0, 1, 2, …
    fn new(read: fn(&Cube) -> Vec<u8>) -> UpToHalfTurns {
        let single = |mv: &AxisMove| mv.amounts().iter().filter(|&&a| a > 0).count() == 1;
        let half_turns: Vec<AxisMove> = moves(STAGES[4])
            .into_iter()
            .map(|(mv, _)| mv)
            .filter(single)
            .collect();
        UpToHalfTurns {
            relabellings: reachable(&half_turns, read).into_iter().collect(),
            known: HashMap::new(),
        }
    }

    fn least(&mut self, arrangement: Vec<u8>) -> Vec<u8> {
        let relabellings = &self.relabellings;
        let least = |arrangement: &Vec<u8>| {
            let relabelled =
                |r: &Vec<u8>| arrangement.iter().map(|&label| r[label as usize]).collect();
            relabellings.iter().map(relabelled).min().unwrap()
        };
        self.known
            .entry(arrangement)
            .or_insert_with_key(least)
            .clone()
    }
}

/// The u- and d-layer wings, in their eight places.
fn inner_wings(cube: &Cube) -> Vec<u8> {
    (8..16)
        .map(|slot| (cube.wing(slot) as u8).wrapping_sub(8))
        .collect()
}

/// The other sixteen, in their places.
fn outer_wings(cube: &Cube) -> Vec<u8> {
    let squeeze = |slot: usize| if slot < 8 { slot } else { slot - 8 };
    (0..8)
        .chain(16..24)
        .map(|slot| squeeze(cube.wing(slot)) as u8)
        .collect()
}

/// The corner at each place.
fn corners(cube: &Cube) -> Vec<u8> {
    (0..8).map(|slot| cube.corner(slot).0 as u8).collect()
}

/// The places of two colours' centers, and which are alike, whichever is which.
fn centers(cube: &Cube, colours: [char; 2]) -> Vec<u8> {
    let marked = |first: char| -> Vec<u8> {
        let mark = |slot| match cube.center(slot).letter() {
            letter if letter == first => 1,
            letter if colours.contains(&letter) => 2,
            _ => 0,
        };
        (0..24).map(mark).collect()
    };
    marked(colours[0]).min(marked(colours[1]))
}

/// The homes, among the sixteen, that turns of U, D and half turns lead to from the first one.
fn first_hand() -> HashSet<u8> {
    let turns: Vec<AxisMove> = moves(STAGES[3]).into_iter().map(|(mv, _)| mv).collect();
    reachable(&turns, |cube| {
        let mut homes = outer_wings(cube).into_iter();
        homes.position(|home| home == 0).unwrap() as u8
    })
}

/// The picture that each stage sees.
fn pictures(stage: usize) -> Box<dyn FnMut(&Cube) -> Picture> {
    match stage {
        1 => Box::new(|cube| {
            let facelets = cube.facelets().into_bytes();
            let is_ud = |&at: &usize| u8::from(matches!(facelets[at], b'U' | b'D'));
            let corners = corner_places();
            let stickers = corners.iter().flatten().map(is_ud);
            stickers
                .chain((0..24).map(|slot| u8::from((8..16).contains(&cube.wing(slot)))))
                .collect()
        }),
        2 => {
            let mut wings = UpToHalfTurns::new(inner_wings);
            assert_eq!(wings.relabellings.len(), 96);
            Box::new(move |cube| {
                [centers(cube, ['F', 'B']), wings.least(inner_wings(cube))].concat()
            })
        }
        3 => {
            let hand = first_hand();
            assert_eq!(hand.len(), 8);
            Box::new(move |cube| {
                let wings = outer_wings(cube);
                let hands = wings.iter().map(|home| u8::from(hand.contains(home)));
                let mut picture = centers(cube, ['L', 'R']);
                picture.extend(hands);
                picture.push(u8::from(is_odd(&wings)));
                picture
            })
        }
        4 => {
            let mut wings = UpToHalfTurns::new(outer_wings);
            let mut cubies = UpToHalfTurns::new(corners);
            assert_eq!(
                (wings.relabellings.len(), cubies.relabellings.len()),
                (9_216, 96)
            );
            Box::new(move |cube| {
                let centers = centers(cube, ['U', 'D']);
                let corners = cubies.least(corners(cube));
                [centers, corners, wings.least(outer_wings(cube))].concat()
            })
        }
        _ => Box::new(|cube| cube.facelets().into_bytes()),
    }
}

/// What is searched: a stage's picture, what it and the next stage may turn, and how the whole cube may be
/// turned as far as the stage can bear it.
struct Search {
    picture: Box<dyn FnMut(&Cube) -> Picture>,
    steps: Steps,
    next: Option<Steps>,
    rotations: &'static [&'static str],
}

/// One of the five stages.
fn five_stage(stage: usize) -> Search {
    Search {
        picture: pictures(stage),
        steps: STAGES[stage - 1],
        next: STAGES.get(stage).copied(),
        rotations: [&["x", "y"][..], &["y"], &[], &[], &["x2", "y2"]][stage - 1],
    }
}

/// What the first three stages of reduction and the last one may turn; a step of 4 is no turn.
const REDUCTION: [Steps; 4] = [
    [(1, 1), (1, 1), (1, 1)],
    [(1, 2), (1, 2), (1, 1)],
    [(1, 2), (1, 2), (2, 2)],
    [(1, 4), (1, 4), (1, 4)],
];

/// One of the first three stages of reduction.
fn reduction(stage: usize) -> Search {
    let letters = |cube: &Cube| {
        (0..24)
            .map(|slot| cube.center(slot).letter())
            .collect::<Vec<_>>()
    };
    let picture: Box<dyn FnMut(&Cube) -> Picture> = match stage {
        // Where the F and B centers are.
        1 => Box::new(move |cube| {
            let is_fb = |letter: char| u8::from("FB".contains(letter));
            letters(cube).into_iter().map(is_fb).collect()
        }),
        // The centers of the axes, and those of F and B up to exchanging them; the wings' parity.
        2 => Box::new(move |cube| {
            let sides = &letters(cube)[..16];
            let marked = |colours: &str| -> Vec<u8> {
                let is_marked = |&letter: &char| u8::from(colours.contains(letter));
                sides.iter().map(is_marked).collect()
            };
            let mut picture = marked("LR").min(marked("DU"));
            picture.extend(centers(cube, ['F', 'B']));
            let wings: Vec<usize> = (0..24).map(|place| cube.wing(place)).collect();
            picture.push(u8::from(is_odd(&wings)));
            picture
        }),
        // Which wings belong together, the centers up to half turns of the whole cube, and whether the
        // reduced cube could be solved.
        _ => {
            let turns: Vec<AxisMove> = moves(REDUCTION[2]).into_iter().map(|(mv, _)| mv).collect();
            let orbit = reachable(&turns, |cube| {
                (0..24).find(|&place| cube.wing(place) == 0).unwrap()
            });
            let mut orbit: Vec<usize> = orbit.into_iter().collect();
            orbit.sort_unstable();
            let partner = |wing: usize| wing ^ (1 << (wing / 8));
            let homes: Vec<usize> = orbit.iter().map(|&place| edge(place)).collect();
            Box::new(move |cube| {
                let wings: Vec<usize> = (0..24).map(|place| cube.wing(place)).collect();
                let place_of = |home| wings.iter().position(|&wing| wing == home).unwrap() as u8;
                let mut picture: Picture = wings.iter().map(|&w| place_of(partner(w))).collect();
                let renamed = ["", "UDFB", "LRFB", "LRUD"].map(|exchanged| {
                    let name = |letter: char| match exchanged.find(letter) {
                        Some(at) => exchanged.as_bytes()[at ^ 1],
                        None => letter as u8,
                    };
                    letters(cube).into_iter().map(name).collect::<Picture>()
                });
                picture.extend(renamed.into_iter().min().unwrap());
                let edges: Vec<usize> = orbit.iter().map(|&place| edge(cube.wing(place))).collect();
                let odd = is_odd(&edges) ^ is_odd(&homes) ^ is_odd(&corners(cube));
                picture.push(u8::from(odd));
                picture
            })
        }
    };
    Search {
        picture,
        steps: REDUCTION[stage - 1],
        next: Some(REDUCTION[stage]),
        rotations: if stage == 1 { &["x", "y"] } else { &[] },
    }
}

/// Numbers of pictures at each cost up to [`DEPTH`] from the goal: what the next stage's moves, and turning
/// the whole cube, make of the solved cube.
fn naive_distribution(search: Search) -> Vec<u64> {
    let mut picture = search.picture;
    let next_moves = search.next.map_or(Vec::new(), moves);
    let goal_moves: Vec<AxisMove> = next_moves.into_iter().map(|(mv, _)| mv).collect();
    let mut seen: HashMap<Picture, usize> = HashMap::new();
    let mut levels: Vec<Vec<Cube>> = vec![Vec::new(); DEPTH + 1];
    let mut starts = vec![Cube::solved()];
    let mut reached = HashSet::from([picture(&starts[0])]);
    let mut next = 0;
    while next < starts.len() {
        for &mv in &goal_moves {
            let cube = starts[next].moved(mv);
            if reached.insert(picture(&cube)) {
                starts.push(cube);
            }
        }
        next += 1;
    }
    let mut next = 0;
    while next < starts.len() {
        for text in search.rotations {
            let sequence: Sequence = text.parse().unwrap();
            let cube = starts[next].moved_by(sequence.axis_moves());
            if reached.insert(picture(&cube)) {
                starts.push(cube);
            }
        }
        next += 1;
    }
    levels[0] = starts;
    let moves = moves(search.steps);
    for depth in 0..=DEPTH {
        let mut at = 0;
        while at < levels[depth].len() {
            let cube = levels[depth][at];
            at += 1;
            let own = picture(&cube);
            if seen.get(&own).is_some_and(|&before| before <= depth) {
                continue;
            }
            seen.insert(own, depth);
            for &(mv, cost) in moves.iter().filter(|&&(_, cost)| depth + cost <= DEPTH) {
                let next = cube.moved(mv);
                if !seen.contains_key(&picture(&next)) {
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

fn assert_begins_as_computed(stage: usize) {
    let computed: Value = serde_json::from_str(include_str!("../data/obtm.json")).unwrap();
    let positions = computed["stages"][stage - 1]["positions"]
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
fn stage_1_begins_as_computed() {
    assert_begins_as_computed(1);
}

#[test]
fn stage_2_begins_as_computed() {
    assert_begins_as_computed(2);
}

#[test]
fn stage_3_begins_as_computed() {
    assert_begins_as_computed(3);
}

#[test]
fn stage_4_begins_as_computed() {
    assert_begins_as_computed(4);
}

#[test]
fn stage_5_begins_as_computed() {
    assert_begins_as_computed(5);
}

#[test]
fn the_stages_of_reduction_begin_as_computed() {
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
