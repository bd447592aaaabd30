//! The stages with the tables of the pocket profile.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::cube::{Action, Axis, AxisMove, Cube, Metric};
use crate::method::Method;
use crate::search::{
    Beam, Ending, Entry, Limits, Meter, Profile, Root, StageSearch, Stopped, open_or_build,
};
use crate::table::Store;

/// The least cost of an ending.
fn first_cost(search: &dyn StageSearch, cube: Cube) -> Option<u8> {
    let root = Root {
        cube,
        last_run: AxisMove::STILL,
        cost: 0,
        key: 0,
    };
    let mut first = None;
    let mut take = |_, total: usize, _: &Ending<'_>, _: &mut Meter| {
        first = Some(total as u8);
        Err(Stopped)
    };
    let limits = Limits::default();
    let _ = search.search(
        &[root],
        Beam::new(1, 1),
        &mut take,
        &mut Meter::new(&limits),
    );
    first
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
    // The last stage finds whole solutions.
    let searches = &tables.searches()[..3];
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
            let bound = search.bounds(&[entry], u8::MAX)[0];
            let name = format!("{:?}: {bound} of {most}", search.moves());
            assert!(bound <= most, "{name}");
            let first = first_cost(&**search, cube).expect(&name);
            assert!(bound <= first && first <= most, "{name}, {first}");
            if search.is_exact() {
                assert_eq!(bound, first, "{name}");
            }
            (greatest, least) = (greatest.max(bound), least.min(first));
        }
        assert!(greatest >= 3 && least == 0, "{greatest}, {least}");
    }
}
