//! Solving and scrambling with both methods.

use std::time::{Duration, Instant};

use cube444::cube::notation::Block;
use cube444::cube::{Cube, Face, Metric, Sequence};
use cube444::method::{Beam, Beams, ChainSpec};
use cube444::scramble::{Scramble, Scrambler, canonical_sequence};
use cube444::search::{Chain, Limits, Profile, SearchError, Solution, Solver};
use cube444::{Effort, Method};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use test_support::cubes::{self, states};
use test_support::tables::{open, pocket, reduction, scrambler};

/// A beam that takes far longer than a test.
const HUGE: Beam = Beam::new(usize::MAX, 1000);

fn methods() -> [&'static Scrambler; 2] {
    [scrambler(), reduction()]
}

/// A solution, which has been replayed.
fn solved(solver: &Solver, cube: &Cube, beams: &Beams, limits: &Limits) -> Solution {
    let found = solver.solve(cube, beams, limits).unwrap();
    assert!(cube.moved_by(found.joined_moves()).is_solved());
    found
}

/// Asserts that all turns are outer turns or Uw, Rw or Fw, and that no two of them merge or cancel, which would make
/// the length smaller.
pub(crate) fn assert_is_canonical(sequence: &Sequence) {
    for token in sequence.tokens() {
        let is_allowed = match token.block() {
            Block::Outer(_) => true,
            Block::Wide(face) => [Face::U, Face::R, Face::F].contains(&face),
            _ => false,
        };
        assert!(is_allowed, "{sequence}");
    }
    let length = sequence.length(Metric::Obtm);
    assert_eq!(length, sequence.tokens().len(), "{sequence}");
}

/// The mean length of scrambles to random states, each replayed from its text.
fn mean_length(scrambler: &Scrambler, count: usize) -> f64 {
    let lengths = states(count as u64).take(count).map(|state| {
        let scramble = scrambler.scramble_to(&state).unwrap();
        let replayed = cubes::cube(&scramble.sequence.to_string());
        assert_eq!(replayed, scramble.state);
        assert!(replayed.is_same_up_to_rotation(&state));
        assert_is_canonical(&scramble.sequence);
        scramble.move_count()
    });
    let lengths: Vec<usize> = lengths.collect();
    let mean = lengths.iter().sum::<usize>() as f64 / count as f64;
    let (min, max) = (lengths.iter().min(), lengths.iter().max());
    println!("{count} states: mean {mean:.3} OBTM, min {min:?}, max {max:?}");
    mean
}

#[test]
fn random_states_are_scrambled_and_replayed() {
    for (scrambler, most) in methods().into_iter().zip([48.0, 44.0]) {
        let mean = mean_length(scrambler, 100);
        assert!(mean < most, "mean length {mean}");
    }
}

/// `cargo test --test engine solving -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_states_are_solved_and_replayed() {
    mean_length(&scrambler().with(Effort::MIN), 100_000);
}

#[test]
fn states_near_solved_and_rotated_states_are_solved_in_as_few_turns() {
    let first_endings = Beams::new(vec![Beam::new(1, 1).within(100_000, 0)]);
    let small = [(20, 5), (5, 5), (1, 1), (20, 1)].map(|(first, kept)| Beam::new(first, kept));
    let small = Beams::new(small.to_vec());
    // The last two have no bound.
    let texts = "|x y|R|Rw|Rw2|r|Uw2 F|U2 R2 F2|Rw U Fw2 x2|R U R' U'|Rw U2 x Rw U2 Rw U2 Lw U2";
    for (scrambler, beams) in [
        (scrambler(), &first_endings),
        (reduction(), &small),
        (pocket(), &small),
    ] {
        let solver = scrambler.solver();
        for beams in [beams, solver.beams(Effort::MIN)] {
            for text in texts.split('|') {
                let given: Sequence = text.parse().unwrap();
                let state = Cube::solved().moved_by(given.axis_moves());
                let solution = solved(solver, &state, beams, &Limits::default());
                let scramble = Scramble::inverse_of(&solution, &state).unwrap();
                assert!(scramble.state.is_same_up_to_rotation(&state), "{text}");
                let most = given.length(Metric::Obtm);
                let most_bounded = [1, 3][usize::from(solver.chain().name() == "reduction")];
                let count = scramble.move_count();
                assert!(count <= most || most > most_bounded, "{text}: {count}");
            }
        }
    }
}

#[test]
fn a_search_respects_cancellation_and_deadlines() {
    let huge = Beams::new(vec![HUGE; 4]);
    let past = || Limits::within(Duration::ZERO);
    for scrambler in methods() {
        let solver = scrambler.solver();
        for state in states(5).take(10) {
            let solution = solved(solver, &state, &huge, &past());
            assert!(Scramble::inverse_of(&solution, &state).is_ok());
            let endings = solution.stages.iter().map(|stage| stage.statistics.endings);
            let endings: Vec<u64> = endings.collect();
            assert_eq!(endings[..3], [1, 1, 1], "each stage takes the first ending");
            assert!(endings[3] < 1_000, "{endings:?}");
        }
        let state = states(6).next().unwrap();
        for limits in [Limits::default(), past()] {
            limits.cancel.cancel();
            let cancelled = solver.solve(&state, &huge, &limits);
            assert_eq!(cancelled.err(), Some(SearchError::Cancelled));
        }
        let limits = Limits::default();
        std::thread::scope(|scope| {
            let search = scope.spawn(|| solver.solve(&state, &huge, &limits).err());
            std::thread::sleep(Duration::from_millis(50));
            assert!(!search.is_finished());
            limits.cancel.cancel();
            assert_eq!(search.join().unwrap(), Some(SearchError::Cancelled));
        });
    }
    assert_eq!(Limits::within(Duration::MAX).deadline, None);
    let hour = Duration::from_secs(3600);
    let before = Instant::now();
    let deadline = Limits::within(hour).deadline.unwrap();
    assert!(before + hour <= deadline && deadline <= Instant::now() + hour);
}

/// The turns of the stages, one after the other, solve the state, and those of a stage cost what the solution says.
#[test]
fn the_turns_of_the_stages_are_the_solution() {
    for scrambler in methods() {
        for state in states(16).take(5) {
            let solution = scrambler.solve(&state).unwrap();
            let stages = solution.stages.iter();
            let end = stages.fold(state, |cube, (_, turns)| cube.moved_by(turns.axis_moves()));
            assert!(end.is_solved());
        }
        // Premoves may enter at any stage, and at most stages rarely do.
        let solver = scrambler.solver();
        let beams = solver.beams(Effort::MIN);
        let mut with_premoves = 0;
        for state in states(17).take(60) {
            let found = solved(solver, &state, beams, &Limits::default());
            let length = |moves: &[_]| canonical_sequence(moves).length(Metric::Obtm);
            for stage in &found.stages {
                assert_eq!(length(&stage.moves), stage.cost, "{}", stage.stage);
            }
            // A half turn that reverses a quarter turn is free.
            assert!(found.premove_cost <= length(&found.premoves));
            with_premoves += usize::from(found.premove_cost > 0);
        }
        // Those of `reduction` are turns of its last stage.
        let has_premoves = solver.chain().name() == "five-stage";
        assert_eq!(with_premoves > 10, has_premoves, "{with_premoves}");
    }
}

/// The random state does not depend on the method.
#[test]
fn both_methods_lead_to_the_same_random_state() {
    for seed in 0..5 {
        let [five, four] = methods().map(|scrambler| {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let scramble = scrambler.with(Effort::MIN).scramble(&mut rng);
            cubes::cube(&scramble.unwrap().sequence.to_string())
        });
        assert!(five.is_same_up_to_rotation(&four), "{seed}");
    }
}

#[test]
fn hurried_results_are_no_longer_than_those_of_the_least_effort() {
    let (lowest, highest) = (scrambler().with(Effort::MIN), scrambler().with(Effort::MAX));
    for state in states(15).take(5) {
        let reference = lowest.scramble_to(&state).unwrap();
        assert!(!reference.hurried);
        let past = highest.within(Duration::ZERO);
        let hurried = past.scramble_to(&state).unwrap();
        assert!(hurried.hurried);
        assert_eq!(hurried.sequence, reference.sequence);
        // The highest effort takes more than a second.
        let soon = highest.within(Duration::from_millis(20));
        let hurried = soon.scramble_to(&state).unwrap();
        assert!(hurried.hurried && hurried.move_count() <= reference.move_count());
        let solution = soon.solve(&state).unwrap();
        assert!(solution.hurried);
        assert!(solution.sequence.length(Metric::Obtm) <= reference.move_count());
        assert!(state.moved_by(solution.sequence.axis_moves()).is_solved());
    }
}

/// A service gives out the scrambles of its buffer by their levels.
#[test]
fn a_scramble_has_the_level_of_its_search_unless_that_was_cut_short() {
    let level = Effort::new(2).unwrap();
    let state = states(17).next().unwrap();
    let (at_level, hurried) = (scrambler().with(level), scrambler().within(Duration::ZERO));
    for (scrambler, effort) in [
        (&at_level, level),
        (&at_level.within(Duration::ZERO), Effort::MIN),
        (&hurried.with(level), Effort::MIN),
    ] {
        let scramble = scrambler.scramble_to(&state).unwrap();
        let exact = scrambler.scramble_exactly_to(&state).unwrap();
        for scramble in [scramble, exact] {
            assert_eq!(
                (scramble.hurried, scramble.effort),
                (effort != level, effort)
            );
        }
    }
}

/// The effort levels of the pocket profile are those declared for it, or else those of the others. A higher level lists
/// and keeps at least as many candidates in every stage, and may expand more nodes.
#[test]
fn higher_levels_have_wider_beams_as_declared_for_each_profile() {
    for (scrambler, method) in methods()
        .into_iter()
        .zip([Method::FIVE_STAGE, Method::REDUCTION])
    {
        let chain = scrambler.solver().tables().chain();
        let stages = chain.stages().len();
        let declared = method.declaration();
        let has_pocket = !declared.pocket_efforts.is_empty();
        assert_eq!(has_pocket, method == Method::REDUCTION);
        for profile in [Profile::Pocket, Profile::Compact, Profile::Full] {
            let declared = match profile {
                Profile::Pocket if has_pocket => &declared.pocket_efforts,
                _ => &declared.efforts,
            };
            let levels = (1..=10).map(|number| chain.beams(Effort::new(number).unwrap(), profile));
            let levels: Vec<&Beams> = levels.map(Option::unwrap).collect();
            for (beams, declared) in std::iter::zip(&levels, declared) {
                assert_eq!(**beams, Beams::new(declared.clone()));
            }
            for pair in levels.windows(2) {
                for stage in 0..stages {
                    let [low, high] = [pair[0], pair[1]].map(|beams| beams.beam(stage));
                    assert!(low.endings <= high.endings && low.width <= high.width);
                }
                let [low, high] = [pair[0], pair[1]].map(|beams| beams.most_nodes(stages));
                assert!(low < high && high.is_some(), "{method}, {profile}");
            }
        }
    }
}

/// Each stage has at least one candidate, even if its beam has none. One of each stage is enough in the first attempt of
/// `reduction`; a second one would count the endings of both.
#[test]
fn a_beam_of_no_candidates_is_one_of_a_single_candidate() {
    for scrambler in methods() {
        for state in states(25).take(4) {
            let [none, one] = [0, 1].map(|width| {
                let beams = Beams::new(vec![Beam::new(width, width).within(1_000_000, 0); 4]);
                solved(scrambler.solver(), &state, &beams, &Limits::default())
            });
            assert_eq!(none.joined_moves(), one.joined_moves());
            let endings = one.stages.iter().map(|stage| stage.statistics.endings);
            assert_eq!(endings.take(3).collect::<Vec<_>>(), [1; 3]);
        }
    }
}

/// A commit that changes these counts must give the reason and update them.
#[test]
fn the_work_for_fixed_states_is_unchanged() {
    let level_2 = Effort::new(2).unwrap();
    // Nodes, lookups and endings of each stage.
    let of_five_stage: &[_] = &[
        [84_339, 145_011, 60_000],
        [80_647, 198_674, 24_000],
        [105_602, 736_651, 30_000],
        [256_155, 51_140, 105_000],
        [6_253, 40_404, 30],
    ];
    let of_reduction: &[_] = &[
        [103_055, 0, 45_000],
        [677_226, 692_352, 2_980],
        [64_376, 730_282, 86],
        [59_408, 536_433, 36_112],
    ];
    for (scrambler, expected, length) in [
        (scrambler(), of_five_stage, 1456),
        (reduction(), of_reduction, 1342),
    ] {
        let solver = scrambler.solver();
        let mut sums = vec![[0; 3]; expected.len()];
        let mut moves = 0;
        for state in states(20).take(30) {
            let found = solved(solver, &state, solver.beams(level_2), &Limits::default());
            moves += Scramble::inverse_of(&found, &state).unwrap().move_count();
            for (sum, stage) in sums.iter_mut().zip(&found.stages) {
                let work = stage.statistics;
                for (sum, count) in sum.iter_mut().zip([work.nodes, work.lookups, work.endings]) {
                    *sum += count;
                }
            }
        }
        assert_eq!((&sums[..], moves), (expected, length));
    }
}

/// Three stages of `reduction`, two of them with a custom search, and Thistlethwaite's declared phases.
#[test]
fn chains_can_mix_declared_and_custom_stages() {
    let mut stages = Method::REDUCTION.declaration().stages;
    stages.truncate(3);
    let last = cube444_lab::EIGHT_STEP.declaration().stages;
    stages.extend(last.into_iter().skip(4));
    let mut method = ChainSpec::new("mixed", stages);
    method.efforts = vec![vec![Beam::new(20, 5); 6]; Effort::COUNT];
    let chain = Chain::new(method, Metric::Obtm).unwrap();
    let scrambler = Scrambler::new(Solver::new(open(&chain)).unwrap());
    let solver = scrambler.solver();
    for state in states(18).take(10) {
        let solution = solved(
            solver,
            &state,
            solver.beams(Effort::DEFAULT),
            &Limits::default(),
        );
        let names: Vec<&str> = solution.stages.iter().map(|stage| stage.stage).collect();
        let first = ["axis-centers", "all-axes", "reduced", "oriented-edges"];
        assert_eq!((&names[..4], names.len()), (&first[..], 7));
        assert!(scrambler.scramble_to(&state).is_ok());
    }
}

/// If a stage finds nothing within its limit of nodes, the search starts again with a larger limit, and the nodes
/// of both attempts are bounded. If that fails, too, it starts again without a limit.
#[test]
fn restarted_searches_are_bounded() {
    let beams = |limit: u64| {
        Beams::new(vec![
            Beam::new(300, 100).within(5_000, 5_000),
            Beam::new(20, 20).within(20_000, 60_000),
            Beam::new(1, 1).within(limit, 0),
            Beam::new(200, 1).within(20_000, 5_000),
        ])
    };
    let solver = reduction().solver();
    let mut restarted = 0;
    for state in states(27).take(20) {
        let found = solved(solver, &state, &beams(3_000), &Limits::default());
        let max = beams(3_000).most_nodes(4).unwrap();
        assert!(found.statistics.nodes <= max, "{:?}", found.statistics);
        // A restart lists the endings of the first stage again.
        restarted += u32::from(found.stages[0].statistics.endings > 300);
    }
    assert!((2..20).contains(&restarted), "{restarted}");
    let state = states(28).next().unwrap();
    let found = solved(solver, &state, &beams(1), &Limits::default());
    // All three list the endings of the first stage.
    assert!(found.stages[0].statistics.endings > 600);
}

/// The bounds in `docs/search.md`.
#[test]
fn the_bound_is_a_small_multiple_of_the_median() {
    for (scrambler, multiple) in methods().into_iter().zip([100, 15]) {
        let solver = scrambler.solver();
        for level in [1, 2, 4] {
            let beams = solver.beams(Effort::new(level).unwrap());
            let solve = |state| solved(solver, &state, beams, &Limits::default());
            let nodes = states(28)
                .take(15)
                .map(|state| solve(state).statistics.nodes);
            let mut nodes: Vec<u64> = nodes.collect();
            nodes.sort_unstable();
            let max = beams.most_nodes(solver.chain().stages().len()).unwrap();
            assert!(max <= multiple * nodes[7], "{level}: {max}, {nodes:?}");
        }
    }
}

/// A stage may use its patience until it has an ending, and then its nodes for more of them.
#[test]
fn a_stage_goes_on_after_its_first_ending_for_as_many_nodes_as_its_beam_has() {
    let state = states(29).next().unwrap();
    for nodes in [10_000, 30_000] {
        let mut beams = vec![Beam::new(1_000_000, 20).within(2_000, nodes)];
        beams.extend([Beam::new(20, 20); 4]);
        let found = solved(
            scrambler().solver(),
            &state,
            &Beams::new(beams),
            &Limits::default(),
        );
        let used = found.stages[0].statistics.nodes;
        // The limit is checked from time to time.
        assert!((nodes..nodes + 4_000).contains(&used), "{used} of {nodes}");
    }
}
