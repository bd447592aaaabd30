//! What the search does on its way, on compact tables.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use scramble444::cube::{Cube, Metric};
use scramble444::method::Method;
use scramble444::search::{Limits, Solver, SolverError, Statistics};
use scramble444::stage::{
    Automaton, Chain, ChainSpec, EffortLevel, Profile, Projection, TableSet, open_or_build,
    verify_fully,
};
use scramble444::table::Store;

use crate::common::tables::{alone, ensure_tables, scrambler, tables_dir};

fn states(seed: u64, count: usize) -> Vec<Cube> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (0..count).map(|_| Cube::random(&mut rng)).collect()
}

/// A change that alters the work for the same states, if only by a node, must say why and put the
/// new numbers here.
#[test]
fn a_fixed_corpus_takes_as_much_work_as_ever() {
    let scrambler = scrambler();
    let (mut total, mut moves) = (Statistics::default(), 0);
    let effort = scrambler.solver().effort(EffortLevel::new(2).unwrap());
    for state in states(20, 50) {
        let scramble = scrambler
            .scramble_to(&state, effort, &Limits::default())
            .unwrap();
        total.nodes += scramble.statistics.nodes;
        total.lookups += scramble.statistics.lookups;
        total.endings += scramble.statistics.endings;
        moves += scramble.moves();
    }
    let expected = Statistics {
        nodes: 877_700,
        lookups: 2_670_950,
        endings: 375_050,
    };
    assert_eq!((total, moves), (expected, 2434));
}

/// Where the tables are exact (stages 1 and 4), what is known near the goal must agree with them.
#[test]
fn what_is_known_near_the_goal_agrees_with_exact_tables() {
    let scrambler = scrambler();
    let solver = scrambler.solver();
    let mut rng = ChaCha20Rng::seed_from_u64(21);
    for (stage, space) in solver.chain().stages().iter().enumerate() {
        if space.component_specs().next().unwrap().compact != [Projection::Whole] {
            continue;
        }
        let tables = &solver.tables().stages()[stage];
        let radius = space.known_radius();
        assert!(radius >= 4, "{}", space.name());
        let moves = space.generators().moves();
        let (mut known, mut left_out) = (0, 0);
        for _ in 0..2_000 {
            let mut cube = Cube::solved();
            for _ in 0..rng.random_range(0..=radius) {
                cube = cube.moved(moves[rng.random_range(0..moves.len())]);
            }
            let node = space.position(&cube);
            for left in 1..=radius {
                let mut children = Vec::new();
                space.expand(&[node[0]], Automaton::START, left, &mut children);
                let mut listed = children.iter();
                for step in space.automaton().steps(Automaton::START) {
                    if step.cost > left || (step.cost == left && !step.ends) {
                        continue;
                    }
                    let child = space.child(&node, step.generator);
                    if tables.bound(&child) <= left - step.cost {
                        assert_eq!(listed.next().map(|(child, _)| child[0]), Some(child[0]));
                        known += 1;
                    } else {
                        left_out += 1;
                    }
                }
                assert!(listed.next().is_none());
            }
        }
        assert!(known > 1_000 && left_out > 1_000, "{known} {left_out}");
    }
}

#[test]
fn premoves_are_outer_turns_to_different_positions() {
    let chain = Method::FIVE_STAGE.chain(Metric::Obtm).unwrap();
    let counts = chain.stages().iter().map(|space| space.premoves().len());
    // Stage 1: four single turns (F for F', as F2 belongs to the stages after), and two of them,
    // opposite or one after the other, the first in both ways. Stage 4: U, and D.
    assert_eq!(counts.collect::<Vec<_>>(), [55, 1, 1, 3, 1]);
    for space in chain.stages() {
        let mut reached = Vec::new();
        for premove in space.premoves() {
            for mv in premove.turns() {
                assert_eq!(mv.amounts()[1..3], [0, 0]);
            }
            assert!(premove.cost <= space.spec().premoves);
            let cube = premove.before(&Cube::solved());
            assert_eq!(cube, Cube::solved().moved_by(premove.turns()));
            assert!(!reached.contains(&cube));
            reached.push(cube);
        }
    }
}

#[test]
fn premoves_shorten_scrambles() {
    let mut without = Method::FIVE_STAGE.declaration().unwrap();
    for stage in &mut without.stages {
        stage.premoves = 0;
    }
    let lengths = |spec: ChainSpec| {
        let chain = Chain::new(spec, Metric::Obtm).unwrap();
        ensure_tables();
        let store = Store::new(tables_dir());
        let tables = TableSet::open(&chain, &store, Profile::Compact).unwrap();
        let scrambler = scramble444::scramble::Scrambler::new(Solver::new(chain, tables).unwrap());
        let effort = scrambler.solver().effort(EffortLevel::new(2).unwrap());
        let (mut moves, mut with_premoves) = (0, 0);
        for state in states(22, 100) {
            let scramble = scrambler
                .scramble_to(&state, effort, &Limits::default())
                .unwrap();
            moves += scramble.moves();
            with_premoves += usize::from(scramble.premove_cost > 0);
            let stages: usize = scramble.stage_costs.iter().sum();
            assert!(scramble.moves() <= stages + scramble.premove_cost);
        }
        (moves, with_premoves)
    };
    let (plain, none) = lengths(without);
    let (short, some) = lengths(Method::FIVE_STAGE.declaration().unwrap());
    assert_eq!(none, 0);
    assert!(some > 20, "{some} of 100 scrambles have premoves");
    assert!(short + 20 < plain, "{short} moves with, {plain} without");
}

#[test]
fn tables_of_another_chain_are_refused() {
    ensure_tables();
    let store = Store::new(tables_dir());
    let chain = |method: Method, metric| method.chain(metric).unwrap();
    let own = chain(Method::FIVE_STAGE, Metric::Obtm);
    let tables = || TableSet::open(&own, &store, Profile::Compact).unwrap();
    for (method, metric) in [
        (Method::NORSKOG, Metric::Obtm),
        (Method::FIVE_STAGE, Metric::Stm),
        (Method::THISTLETHWAITE, Metric::Obtm),
    ] {
        let error = Solver::new(chain(method, metric), tables()).unwrap_err();
        let expected = SolverError::OtherTables {
            found: "five-stage",
            wanted: method.name(),
            metric,
        };
        assert_eq!(error, expected);
    }
    assert!(Solver::new(chain(Method::FIVE_STAGE, Metric::Obtm), tables()).is_ok());
}

/// Its last stage has entries that cannot be reached, which a recount must not take for distances.
#[test]
fn a_method_for_analysis_has_tables_but_makes_no_solver() {
    let _alone = alone();
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    let chain = Method::THISTLETHWAITE.chain(Metric::Obtm).unwrap();
    let tables = open_or_build(&chain, &store, Profile::Compact, false, &|_| ()).unwrap();
    let last = tables.all().last().unwrap();
    let unreachable = last.header().distribution.unreachable.positions;
    assert_eq!(unreachable, 96 * 13_824 / 2);
    let verified = verify_fully(&chain, &store, Profile::Compact);
    assert_eq!(verified.len(), 4);
    for (_, result) in verified {
        result.unwrap();
    }
    let error = Solver::new(chain, tables).unwrap_err();
    let method = "thistlethwaite";
    assert_eq!(error, SolverError::AnalysisOnly { method });
}
