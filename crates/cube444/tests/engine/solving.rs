//! Scrambles to random states with compact tables, replayed from their text.

use std::time::{Duration, Instant};

use cube444::cube::notation::Block;
use cube444::cube::{Cube, Face, Metric, Sequence};
use cube444::method::{Beam, Beams};
use cube444::scramble::{Scramble, Scrambler, canonical_sequence};
use cube444::search::{Limits, SearchError};
use cube444::{Effort, Method};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use test_support::tables::{scrambler, solver_of};

/// Makes scrambles to `count` random states and replays each from its text. Returns the length in outer
/// block turns and the milliseconds of each.
fn scramble_states(scrambler: &Scrambler, count: usize) -> Vec<(usize, f64)> {
    let mut rng = ChaCha20Rng::seed_from_u64(count as u64);
    let scramble_one = |_| {
        let state = Cube::random(&mut rng);
        let started = Instant::now();
        let scramble = scrambler.scramble_to(&state).unwrap();
        let millis = started.elapsed().as_secs_f64() * 1000.0;
        let reread: Sequence = scramble.sequence.to_string().parse().unwrap();
        let replayed = Cube::solved().moved_by(reread.axis_moves());
        assert_eq!(replayed, scramble.state);
        assert!(replayed.is_same_up_to_rotation(&state));
        assert_is_canonical(&scramble.sequence);
        (scramble.move_count(), millis)
    };
    (0..count).map(scramble_one).collect()
}

/// Asserts that all turns are outer turns or Uw, Rw or Fw, and that consecutive turns about one axis are
/// of different blocks.
fn assert_is_canonical(sequence: &Sequence) {
    let mut since_axis_change: Vec<Block> = Vec::new();
    let mut last_axis = None;
    for token in sequence.tokens() {
        let axis = match token.block() {
            Block::Outer(face) | Block::Wide(face @ (Face::U | Face::R | Face::F)) => face.axis(),
            other => panic!("{other:?} in a scramble"),
        };
        if last_axis != Some(axis) {
            since_axis_change.clear();
            last_axis = Some(axis);
        }
        assert!(
            !since_axis_change.contains(&token.block()),
            "two turns can be merged"
        );
        since_axis_change.push(token.block());
    }
}

fn report(lengths: &[(usize, f64)]) -> f64 {
    let mean = lengths.iter().map(|l| l.0).sum::<usize>() as f64 / lengths.len() as f64;
    let mut millis: Vec<f64> = lengths.iter().map(|l| l.1).collect();
    millis.sort_by(f64::total_cmp);
    println!(
        "{} states, 0 failures: mean {mean:.3} OBTM, min {:?}, max {:?}, median {:.2} ms, p99 {:.2} ms",
        lengths.len(),
        lengths.iter().map(|l| l.0).min(),
        lengths.iter().map(|l| l.0).max(),
        millis[millis.len() / 2],
        millis[millis.len() * 99 / 100],
    );
    mean
}

#[test]
fn a_thousand_states_are_solved_and_replayed() {
    let mean = report(&scramble_states(scrambler(), 1000));
    assert!(mean < 48.0, "mean length {mean}");
}

/// `cargo test --test engine solving -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_states_are_solved_and_replayed() {
    report(&scramble_states(&scrambler().with(Effort::MIN), 100_000));
}

#[test]
fn states_near_solved_and_rotated_states() {
    let solver = scrambler().solver();
    for text in [
        "",
        "x y",
        "R",
        "Rw2",
        "r",
        "R U R' U'",
        "Rw U2 x Rw U2 Rw U2 Rw' U2 Lw U2 Rw'",
    ] {
        let sequence: Sequence = text.parse().unwrap();
        let state = Cube::solved().moved_by(sequence.axis_moves());
        let default = solver.beams(Effort::DEFAULT);
        let first_endings = Beams::new(vec![Beam::new(1, 1).within(100_000, 0)]);
        for beams in [default, &first_endings] {
            let solution = solver.solve(&state, beams, &Limits::default()).unwrap();
            let scramble = Scramble::inverse_of(&solution, &state).unwrap();
            assert!(scramble.state.is_same_up_to_rotation(&state), "{text}");
            match text {
                "" | "x y" => assert_eq!(scramble.move_count(), 0, "{text}"),
                "R" | "Rw2" => assert_eq!(scramble.move_count(), 1, "{text}"),
                "r" => assert_eq!(scramble.move_count(), 2, "{text}"),
                _ => {}
            }
        }
    }
}

#[test]
fn a_deadline_in_the_past_still_gives_a_scramble() {
    let scrambler = scrambler();
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let limits = Limits::within(Duration::ZERO);
    let huge = Beams::new(vec![HUGE; 4]);
    for _ in 0..20 {
        let state = Cube::random(&mut rng);
        let solution = scrambler.solver().solve(&state, &huge, &limits).unwrap();
        assert!(Scramble::inverse_of(&solution, &state).is_ok());
        let work = solution.statistics;
        assert!(work.endings < 100, "{work:?}");
    }
}

#[test]
fn a_deadline_too_far_in_the_future_is_none() {
    assert_eq!(Limits::within(Duration::MAX).deadline, None);
    let hour = Duration::from_secs(3600);
    let before = Instant::now();
    let deadline = Limits::within(hour).deadline.unwrap();
    assert!(before + hour <= deadline && deadline <= Instant::now() + hour);
}

/// A beam that takes far longer than a test.
const HUGE: Beam = Beam::new(usize::MAX, 1000);

#[test]
fn a_cancelled_search_ends_without_a_result() {
    let scrambler = scrambler();
    let huge = Beams::new(vec![HUGE; 4]);
    let limits = Limits::default();
    let cancel = limits.cancel.clone();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| {
            let state = Cube::random(&mut ChaCha20Rng::seed_from_u64(6));
            let solution = scrambler.solver().solve(&state, &huge, &limits);
            solution.map(|_| ())
        });
        std::thread::sleep(Duration::from_millis(50));
        assert!(!search.is_finished());
        cancel.cancel();
        let result = search.join().unwrap();
        assert_eq!(result, Err(SearchError::Cancelled));
    });
}

/// The turns of the stages, one after the other, solve the state, and those of a stage cost what the solution says.
#[test]
fn the_turns_of_the_stages_are_the_solution() {
    let mut rng = ChaCha20Rng::seed_from_u64(16);
    let reduction = Scrambler::new(solver_of(Method::REDUCTION, Metric::Obtm));
    for scrambler in [scrambler(), &reduction] {
        for _ in 0..10 {
            let state = Cube::random(&mut rng);
            let solution = scrambler.solve(&state).unwrap();
            let stages = solution.stages.iter();
            let end = stages.fold(state, |cube, (_, turns)| cube.moved_by(turns.axis_moves()));
            assert!(end.is_solved());
        }
        // Premoves may enter at any stage, and at most stages rarely do.
        let solver = scrambler.solver();
        let mut with_premoves = 0;
        for _ in 0..100 {
            let state = Cube::random(&mut rng);
            let beams = solver.beams(Effort::MIN);
            let found = solver.solve(&state, beams, &Limits::default()).unwrap();
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
        assert_eq!(with_premoves > 20, has_premoves, "{with_premoves}");
    }
}

#[test]
fn the_same_state_and_effort_give_the_same_scramble() {
    let scrambler = scrambler();
    let state = Cube::random(&mut ChaCha20Rng::seed_from_u64(7));
    let scramble = || scrambler.scramble_to(&state).unwrap().sequence;
    assert_eq!(scramble(), scramble());
}

#[test]
fn hurried_results_are_no_longer_than_those_of_the_least_effort() {
    let (lowest, highest) = (scrambler().with(Effort::MIN), scrambler().with(Effort::MAX));
    let mut rng = ChaCha20Rng::seed_from_u64(15);
    for _ in 0..5 {
        let state = Cube::random(&mut rng);
        let reference = lowest.scramble_to(&state).unwrap();
        assert!(!reference.hurried);
        let past = highest.within(Duration::ZERO);
        let hurried = past.scramble_to(&state).unwrap();
        assert!(hurried.hurried);
        assert_eq!(hurried.sequence.to_string(), reference.sequence.to_string());
        // The highest effort takes more than a second.
        let soon = highest.within(Duration::from_millis(20));
        let hurried = soon.scramble_to(&state).unwrap();
        assert!(hurried.hurried && hurried.move_count() <= reference.move_count());
        let solution = soon.solve(&state).unwrap();
        assert!(solution.hurried);
        assert!(solution.sequence.length(Metric::Obtm) <= reference.move_count());
        let end = state.moved_by(solution.sequence.axis_moves());
        assert!(end.is_solved());
    }
}

/// A service gives out the scrambles of its buffer by their levels.
#[test]
fn a_scramble_has_the_level_of_its_search_unless_that_was_cut_short() {
    let level = Effort::new(2).unwrap();
    let scrambler = scrambler().with(level);
    let state = Cube::random(&mut ChaCha20Rng::seed_from_u64(17));
    for (scrambler, hurried, effort) in [
        (&scrambler, false, level),
        (&scrambler.within(Duration::ZERO), true, Effort::MIN),
    ] {
        for scramble in [
            scrambler.scramble_to(&state).unwrap(),
            scrambler.scramble_exactly_to(&state).unwrap(),
        ] {
            assert_eq!((scramble.hurried, scramble.effort), (hurried, effort));
        }
    }
}
