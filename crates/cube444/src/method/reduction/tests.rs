//! The stages with the tables of the pocket profile.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::cube::{Action, Axis, AxisMove, Cube, Metric};
use crate::method::Method;
use crate::search::{Entry, Limits, Meter, Profile, Root, StageSearch, open_or_build};
use crate::table::Store;

/// The number of endings of exactly this cost.
fn endings(search: &dyn StageSearch, cube: Cube, cost: u8) -> usize {
    let limits = Limits::default();
    let mut meter = Meter::new(&limits);
    let last_run = AxisMove::STILL;
    let mut endings = search.start(&[Root { cube, last_run }]);
    endings.begin(0, cost);
    let mut count = 0;
    while endings.next(&mut meter).unwrap().is_some() {
        count += 1;
    }
    count
}

fn any_of(moves: &[AxisMove], count: usize, rng: &mut impl Rng) -> Vec<AxisMove> {
    let any = |_| moves[rng.random_range(0..moves.len())];
    (0..count).map(any).collect()
}

/// Some turns away from a goal, no bound exceeds the cost of the turns, and there is an ending of at most that cost,
/// but none below the bound.
#[test]
fn bounds_of_the_pocket_profile_never_exceed_the_distance() {
    let chain = Method::REDUCTION.chain(Metric::Obtm).unwrap();
    let store = Store::new("");
    let tables = open_or_build(&chain, &store, Profile::Pocket, false, &|_| ()).unwrap();
    let searches = tables.searches();
    let faces: Vec<AxisMove> = Axis::ALL
        .into_iter()
        .flat_map(|axis| (1..4).map(move |quarters| AxisMove::new(axis, [quarters, 0, 0, 0])))
        .collect();
    let mut rng = ChaCha20Rng::seed_from_u64(51);
    for (number, search) in searches.iter().enumerate() {
        // The turns of the next stage lead from goal to goal.
        let next = searches.get(number + 1).map(|next| next.moves());
        let (mut greatest, mut least) = (0, u8::MAX);
        for round in 0..150 {
            let inside = any_of(next.unwrap_or(&faces), 30, &mut rng);
            let outside = any_of(search.moves(), round % 5, &mut rng);
            let most: u8 = outside
                .iter()
                .map(|mv| Metric::Obtm.cost(mv.amounts()))
                .sum();
            let cube = Cube::solved().moved_by(inside.into_iter().chain(outside));
            let entry = Entry {
                cube,
                action: Action::IDENTITY,
            };
            let bound = search.bounds(&[entry])[0];
            let name = format!("{}: {bound} of {most}", search.name());
            assert!(bound <= most, "{name}");
            let mut costs = 0..=most;
            let first = costs.find(|&cost| endings(&**search, cube, cost) > 0);
            let first = first.expect(&name);
            assert!(bound <= first, "{name}, {first}");
            if search.is_exact() {
                assert_eq!(bound, first, "{name}");
            }
            (greatest, least) = (greatest.max(bound), least.min(first));
        }
        assert!(greatest >= 3 && least == 0, "{greatest}, {least}");
    }
}
