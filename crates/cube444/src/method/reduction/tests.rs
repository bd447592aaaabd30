//! The declared stages for the tests of all methods, and the stages with the tables of the pocket profile.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::Scrambler;
use crate::cube::{Action, AxisMove, Cube, Metric};
use crate::method::known::Method;
use crate::search::{Beam, Ending, Entrant, Limits, Meter, MoveSet, StageSearch, Stopped};
use crate::stage::StageSpec;

use super::{all_axes, axis_centers, three_by_three};

/// The declared stages, including those inside the last stage, each with the turns of the next one.
pub(in crate::method) fn declared_stages() -> Vec<(StageSpec, MoveSet)> {
    let mut stages = vec![(axis_centers(), all_axes::MOVES)];
    stages.extend(three_by_three::declared());
    stages
}

/// The least cost of an ending.
fn first_cost(search: &dyn StageSearch, cube: Cube) -> Option<u8> {
    let mut first = None;
    let mut take = |_, total: usize, _: &Ending<'_>, _: &mut Meter| {
        first = Some(total as u8);
        Err(Stopped)
    };
    let limits = Limits::default();
    let _ = search.search(
        &[Entrant::new(cube)],
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
    let tables = Scrambler::builder().open_tables(&chain).unwrap();
    // The last stage finds whole solutions.
    let searches = &tables.searches()[..3];
    let stages = Method::REDUCTION.declaration().stages;
    let turns = stages.iter().map(|stage| {
        let turns = stage.move_set.moves();
        turns.filter(|mv| Metric::Obtm.cost(mv.amounts()) == 1)
    });
    let turns: Vec<Vec<AxisMove>> = turns.map(Iterator::collect).collect();
    let mut rng = ChaCha20Rng::seed_from_u64(51);
    for (number, search) in searches.iter().enumerate() {
        // The turns of the next stage lead from goal to goal.
        let (mut greatest, mut least) = (0, u8::MAX);
        for round in 0..150 {
            let inside = any_of(&turns[number + 1], 30, &mut rng);
            let outside = any_of(&turns[number], round % 5, &mut rng);
            let most = outside.len() as u8;
            let cube = Cube::solved().moved_by(inside.iter().chain(&outside).copied());
            let bound = search.bounds(&[(cube, Action::IDENTITY)], u8::MAX)[0];
            let name = format!("stage {number}: {bound} of {outside:?}");
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
