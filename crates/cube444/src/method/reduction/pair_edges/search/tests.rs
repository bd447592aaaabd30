use super::super::pairing_table::PairingTable;
use super::*;
use crate::search::turns::is_wide;
use crate::search::{Limits, Profile};
use crate::table::{NearGoalFilter, TableSpec, table_of};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// The stage with a filter of some radius, and a table with two bits for each entry: 0 for a distance up
/// to 9, 1 for 10.
fn with_list(stage: &Arc<PairEdges>, radius: u8, distances: u8) -> PairEdgesSearch {
    let list = NearGoalFilter {
        radius,
        bytes: 4 << 20,
        ..stage.near_goal(Profile::Pocket)
    };
    let list = table_of(
        list.build(&Monitor::default()).unwrap().payload,
        list.encoding(),
    );
    let pairings = PairingTable {
        stage,
        is_near: false,
    };
    let bytes = pairings.encoding().bytes(pairings.entries());
    let pairings = table_of(vec![distances; bytes as usize], pairings.encoding());
    PairEdgesSearch {
        stage: stage.clone(),
        table: RangeTable::new(pairings).unwrap(),
        near: Filter::new(list, 0).unwrap(),
    }
}

/// The maximum distance of the centers among the children of some positions, if there are any.
fn farthest_child(search: &PairEdgesSearch, left: u8) -> Option<u8> {
    let mut rng = ChaCha20Rng::seed_from_u64(22);
    let PairEdges {
        turns: all,
        centers,
        ..
    } = &*search.stage;
    let moves = all.moves();
    let mut nodes = Vec::new();
    for _ in 0..BATCH * 50 {
        let turns = (0..40).map(|_| moves[rng.random_range(0..moves.len())]);
        let cube = Cube::solved().moved_by(turns.collect::<Vec<_>>());
        let state = all.start(AxisMove::STILL);
        nodes.push(Node::root(&cube, state));
    }
    let given = nodes.len();
    let mut children = Children::default();
    simd::dispatch!(|simd| expand(simd, search, &mut nodes, 0..given, left, &mut children));
    let children = nodes[given..].iter();
    let distances = children.map(|child| centers.distance(child.centers));
    distances.max()
}

#[test]
fn beyond_the_filter_a_child_needs_turns_to_spare() {
    let stage = Arc::new(PairEdges::new());
    let search = with_list(&stage, 4, 0);
    let farthest = [7, 8, 10, 11, 12].map(|left| farthest_child(&search, left));
    assert_eq!(farthest, [7, 7, 7, 8, 9].map(Some));
    // Up to the radius the filter has all positions, and none of these is so near.
    assert_eq!([3, 4].map(|left| farthest_child(&search, left)), [None; 2]);
    // All pairings have a distance of ten.
    let search = with_list(&stage, 4, 0b0101_0101);
    let farthest = [10, 11].map(|left| farthest_child(&search, left));
    assert_eq!(farthest, [None, Some(8)]);
}

#[test]
fn beyond_the_filter_bounds_are_those_of_the_tables() {
    let stage = Arc::new(PairEdges::new());
    let moves = stage.turns.moves();
    let mut rng = ChaCha20Rng::seed_from_u64(23);
    let cubes: Vec<(Cube, Action)> = (0..100)
        .map(|_| {
            let turns = (0..40).map(|_| moves[rng.random_range(0..moves.len())]);
            let cube = Cube::solved().moved_by(turns.collect::<Vec<_>>());
            (cube, Action::IDENTITY)
        })
        .collect();
    let centers = |cube: &Cube| stage.centers.distance(Centers::rank(cube));
    // All pairings have a distance of up to nine, or of ten.
    for (distances, least) in [(0, 5), (0b0101_0101, 10)] {
        let bounds = with_list(&stage, 4, distances).bounds(&cubes, u8::MAX);
        for ((cube, _), bound) in cubes.iter().zip(bounds) {
            assert_eq!(bound, centers(cube).max(least));
        }
    }
}

#[test]
fn a_longer_list_leaves_out_no_ending() {
    let stage = Arc::new(PairEdges::new());
    // No pairing is far, and up to 7 turns the centers make no difference.
    let searches = [4, 5, 7].map(|radius| with_list(&stage, radius, 0));
    let moves = stage.turns.moves();
    let wide: Vec<usize> = elements(stage.turns.which(is_wide)).collect();
    let mut rng = ChaCha20Rng::seed_from_u64(21);
    let (mut listed, mut exact, mut nodes) = (0, 0, [0; 3]);
    for _ in 0..40 {
        // Outer turns alone do not leave the goal.
        let turns = (0..4).flat_map(|i| {
            let outer = rng.random_range(0..moves.len());
            [moves[wide[i % 3]], moves[outer]]
        });
        let cube = Cube::solved().moved_by(turns.collect::<Vec<_>>());
        let mut has_endings = [false; 3];
        for cost in 0..=7 {
            let endings = [0, 1, 2].map(|number| {
                let limits = Limits::default();
                let mut meter = Meter::new(&limits);
                let bound = searches[number].bounds(&[(cube, Action::IDENTITY)], u8::MAX)[0];
                let mut listing = searches[number].endings();
                let entrant = Entrant::new(cube);
                listing.begin(0, &entrant, cost, &mut meter).unwrap();
                let mut endings = Vec::new();
                while let Some(ending) = listing.next(&mut meter).unwrap() {
                    endings.push(ending.moves.to_vec());
                }
                assert!(endings.is_empty() || bound <= cost);
                // Within the radius, the bound is the distance.
                let is_first = !endings.is_empty() && !has_endings[number];
                has_endings[number] |= is_first;
                if is_first && cost <= searches[number].near.radius {
                    assert_eq!(bound, cost);
                    exact += 1;
                }
                nodes[number] += meter.statistics.nodes;
                endings
            });
            assert_eq!(endings[0], endings[1]);
            assert_eq!(endings[0], endings[2]);
            listed += endings[0].len();
        }
    }
    assert!(listed > 100 && exact > 40, "{listed}, {exact}");
    assert!(nodes[0] > nodes[1] && nodes[1] > nodes[2], "{nodes:?}");
}
