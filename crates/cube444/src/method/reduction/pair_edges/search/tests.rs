use super::super::pairing_table::PairingTable;
use super::*;
use crate::search::turns::is_wide;
use crate::search::{Limits, Profile};
use crate::table::{NearGoalFilter, TableSpec, table_of};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// The stage with a filter of some radius, and a table in which no pairing is far.
fn with_list(stage: &Arc<PairEdges>, radius: u8) -> PairEdgesSearch {
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
    let pairings = table_of(vec![0; bytes as usize], pairings.encoding());
    PairEdgesSearch {
        stage: stage.clone(),
        table: RangeTable::new(pairings).unwrap(),
        near: Filter::new(list, 0).unwrap(),
    }
}

#[test]
fn a_longer_list_leaves_out_no_ending() {
    let stage = Arc::new(PairEdges::new());
    // Up to 7 turns the centers make no difference.
    let searches = [4, 5, 7].map(|radius| with_list(&stage, radius));
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
