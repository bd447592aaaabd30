//! Upper bounds of the nodes of a search.

use cube444::cube::{Cube, Metric};
use cube444::method::{Beam, Beams};
use cube444::search::Limits;
use cube444::{Effort, Method};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use test_support::tables::solver_of;

/// If a stage finds nothing within its limit of nodes, the search starts again with a larger limit, and the nodes
/// of both attempts are bounded. If that fails, too, it starts again without a limit.
#[test]
fn restarted_searches_are_bounded() {
    let effort = |limit: u64| {
        Beams::new(vec![
            Beam::new(300, 100).within(5_000, 5_000),
            Beam::new(20, 20).within(20_000, 60_000),
            Beam::new(1, 1).within(limit, 0),
            Beam::new(200, 1).within(20_000, 5_000),
        ])
    };
    let solver = solver_of(Method::REDUCTION, Metric::Obtm);
    let mut rng = ChaCha20Rng::seed_from_u64(27);
    let mut restarted = 0;
    for _ in 0..30 {
        let cube = Cube::random(&mut rng);
        let found = solver.solve(&cube, &effort(3_000), &Limits::default());
        let found = found.unwrap();
        assert!(cube.moved_by(found.joined_moves()).is_solved());
        let max = effort(3_000).most_nodes(4).unwrap();
        assert!(found.statistics.nodes <= max, "{:?}", found.statistics);
        // A restart lists the endings of the first stage again.
        restarted += u32::from(found.stages[0].statistics.endings > 300);
    }
    assert!((2..30).contains(&restarted), "{restarted}");
    let cube = Cube::random(&mut rng);
    let found = solver.solve(&cube, &effort(1), &Limits::default());
    let found = found.unwrap();
    assert!(cube.moved_by(found.joined_moves()).is_solved());
    // All three list the endings of the first stage.
    assert!(found.stages[0].statistics.endings > 600);
}

/// The bounds in `docs/search.md`.
#[test]
fn the_bound_is_a_small_multiple_of_the_median() {
    let five = solver_of(Method::FIVE_STAGE, Metric::Obtm);
    let reduction = solver_of(Method::REDUCTION, Metric::Obtm);
    for (solver, stages, multiple) in [(five, 5, 100), (reduction, 4, 15)] {
        for level in [1, 2, 4] {
            let effort = solver.beams(Effort::new(level).unwrap());
            let mut rng = ChaCha20Rng::seed_from_u64(28);
            let mut nodes: Vec<u64> = (0..21)
                .map(|_| {
                    let cube = Cube::random(&mut rng);
                    let found = solver.solve(&cube, effort, &Limits::default());
                    found.unwrap().statistics.nodes
                })
                .collect();
            nodes.sort_unstable();
            let max = effort.most_nodes(stages).unwrap();
            assert!(max <= multiple * nodes[10], "{level}: {max}, {nodes:?}");
        }
        for level in 1..=10 {
            let effort = solver.beams(Effort::new(level).unwrap());
            assert!(effort.most_nodes(stages).is_some());
        }
    }
}

/// A stage may use its patience until it has an ending, and then its nodes for more of them.
#[test]
fn a_stage_goes_on_after_its_first_ending_for_as_many_nodes_as_its_beam_has() {
    let solver = solver_of(Method::FIVE_STAGE, Metric::Obtm);
    let mut rng = ChaCha20Rng::seed_from_u64(29);
    let cube = Cube::random(&mut rng);
    let used = |patience: u64, nodes: u64| {
        let mut beams = vec![Beam::new(1_000_000, 20).within(patience, nodes)];
        beams.extend([Beam::new(20, 20); 4]);
        let found = solver.solve(&cube, &Beams::new(beams), &Limits::default());
        found.unwrap().stages[0].statistics.nodes
    };
    for nodes in [10_000, 30_000] {
        let used = used(2_000, nodes);
        // The limit is checked from time to time.
        assert!((nodes..nodes + 4_000).contains(&used), "{used} of {nodes}");
    }
}
