//! Scrambles of subsets and padded scrambles with the solvers.

use std::time::Duration;

use cube444::cube::notation::Block;
use cube444::cube::{AxisMove, Cube, Face, Metric};
use cube444::scramble::{Engine, Recipe, Scramble, Scrambler, Subset};
use cube444::search::{Limits, SearchError};
use cube444::{Effort, Method};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use test_support::parity::is_odd;
use test_support::tables::{scrambler, solver_of};

fn recipes() -> impl Iterator<Item = Recipe> {
    Subset::ALL
        .into_iter()
        .map(Recipe::Subset)
        .chain([Recipe::Padded])
}

/// Checks the states and the notation of `count` scrambles of each recipe.
fn check(scrambler: &Scrambler, count: usize) {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    let mut tried_again = 0;
    for recipe in recipes() {
        for _ in 0..count {
            let state = recipe.draw(&mut rng);
            let mut searches = 0;
            let scramble = recipe.scramble_to(&state, &mut rng, |state, exactly| {
                searches += 1;
                scrambler.find_scramble(state, exactly, Effort::MIN, &Limits::default())
            });
            let Scramble {
                sequence,
                state: reached,
                ..
            } = scramble.unwrap();
            tried_again += usize::from(searches > 1);
            let moves: Vec<AxisMove> = sequence.axis_moves().collect();
            assert!(Cube::solved().moved_by(moves) == state && reached == state);
            for token in sequence.tokens() {
                let is_allowed = match token.block() {
                    Block::Outer(_) => true,
                    Block::Wide(face) => [Face::U, Face::R, Face::F].contains(&face),
                    _ => false,
                };
                assert!(is_allowed, "{recipe:?}: {sequence}");
            }
            // Turns that merge or cancel would make the length smaller.
            let length = sequence.length(Metric::Obtm);
            assert_eq!(length, sequence.tokens().len(), "{recipe:?}: {sequence}");
            let text = sequence.to_string();
            let is_padded = text.starts_with("R' U' F ") && text.ends_with(" R' U' F");
            assert!(is_padded || recipe != Recipe::Padded, "{text}");
        }
    }
    assert!(tried_again > 0);
}

#[test]
fn scrambles_of_five_stage_lead_to_the_exact_states() {
    check(scrambler(), 10);
}

#[test]
fn scrambles_of_reduction_lead_to_the_exact_states() {
    check(
        &Scrambler::new(solver_of(Method::REDUCTION, Metric::Obtm)),
        10,
    );
}

#[test]
fn recipes_respect_deadlines_and_cancellation() {
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    let past_deadline = Limits::within(Duration::ZERO);
    let cancelled = [Limits::default(), Limits::within(Duration::ZERO)];
    let beams = scrambler().solver().beams(Effort::MIN);
    for recipe in recipes().chain([Recipe::Standard]) {
        let state = recipe.draw(&mut rng);
        let mut make = |limits| {
            let find = |state: &Cube, exactly| {
                scrambler().find_scramble(state, exactly, Effort::MAX, limits)
            };
            recipe.scramble_to(&state, &mut rng, find)
        };
        assert!(make(&past_deadline).unwrap().hurried);
        for limits in &cancelled {
            limits.cancel.cancel();
            let error = make(limits).err();
            assert_eq!(error, Some(SearchError::Cancelled.into()));
            let error = scrambler().solver().solve(&state, beams, limits).err();
            assert_eq!(error, Some(SearchError::Cancelled));
        }
    }
}

/// After the deadline, an ending in a wrong orientation is no result.
#[test]
fn hurried_scrambles_lead_to_the_exact_states() {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let reduction = Scrambler::new(solver_of(Method::REDUCTION, Metric::Obtm));
    for scrambler in [scrambler(), &reduction] {
        let scrambler = scrambler.with(Effort::MAX).within(Duration::ZERO);
        for _ in 0..20 {
            let state = Cube::random(&mut rng);
            let scramble = scrambler.scramble_exactly_to(&state).unwrap();
            assert!(scramble.hurried && scramble.state == state);
        }
    }
}

/// States for which the first turns of scrambles merge with the padding again and again if retries differ in
/// one turn only.
#[test]
fn padded_scrambles_end() {
    let reduction = Scrambler::new(solver_of(Method::REDUCTION, Metric::Obtm));
    for (scrambler, number) in [(scrambler(), 890), (&reduction, 1072)] {
        let mut states = ChaCha20Rng::seed_from_u64(7);
        let mut states = std::iter::repeat_with(|| Recipe::Padded.draw(&mut states));
        let state = states.nth(number).unwrap();
        for seed in 0..10 {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let find = |state: &Cube, exactly| {
                scrambler.find_scramble(state, exactly, Effort::MIN, &Limits::default())
            };
            let scramble = Recipe::Padded.scramble_to(&state, &mut rng, find);
            assert!(scramble.unwrap().state == state);
        }
    }
}

/// Classifies a case of the last layer: whether an odd number of edges is flipped, whether the parities of
/// edges and corners differ, and whether the case is easy, with fewer than ten unsolved pieces.
fn cases(cube: &Cube) -> [bool; 3] {
    let wings: Vec<usize> = cube.wings().into_iter().collect();
    let corners: Vec<usize> = (0..8).map(|slot| cube.corners()[slot].0).collect();
    let partner = |slot: usize| slot ^ 1 << (slot >> 3);
    let firsts = (0..24).filter(|&slot| slot < partner(slot));
    let edge = |slot: usize| cube.wings()[slot].min(partner(cube.wings()[slot]));
    let edges: Vec<usize> = firsts.map(edge).collect();
    let unsolved = (0..24).filter(|&slot| wings[slot] != slot).count()
        + (0..8)
            .filter(|&slot| cube.corners()[slot] != (slot, 0))
            .count();
    [
        is_odd(&wings),
        is_odd(&edges) != is_odd(&corners),
        unsolved < 10,
    ]
}

/// Statistics of the difference of two samples: the difference of the means in standard errors, and the
/// Kolmogorov-Smirnov statistic times the root of the effective size. If the distributions are equal, the
/// first exceeds 4 with a probability of 1/16,000, and the second exceeds 2.2 with a lower one.
fn difference(a: &[f64], b: &[f64]) -> (f64, f64) {
    let moments = |sample: &[f64]| {
        let size = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / size;
        let squares: f64 = sample.iter().map(|x| (x - mean).powi(2)).sum();
        (mean, squares / (size - 1.0) / size)
    };
    let ((mean_a, error_a), (mean_b, error_b)) = (moments(a), moments(b));
    let share = |sample: &[f64], x: f64| {
        sample.iter().filter(|&&y| y <= x).count() as f64 / sample.len() as f64
    };
    let differences = a.iter().map(|&x| (share(a, x) - share(b, x)).abs());
    let (size_a, size_b) = (a.len() as f64, b.len() as f64);
    (
        ((mean_a - mean_b) / (error_a + error_b).sqrt()).abs(),
        differences.fold(0.0, f64::max) * (size_a * size_b / (size_a + size_b)).sqrt(),
    )
}

fn wide_turns(scramble: &Scramble) -> usize {
    let tokens = scramble.sequence.tokens().iter();
    tokens
        .filter(|token| matches!(token.block(), Block::Wide(_)))
        .count()
}

/// The largest statistics of [`difference`] for lengths and numbers of wide turns over all cases.
fn largest_difference(scrambles: &[(Cube, Scramble)]) -> (f64, f64) {
    let mut largest = (0.0_f64, 0.0_f64);
    for (number, case) in ["flip", "exchange", "easy"].into_iter().enumerate() {
        for (what, measure) in [
            ("length", Scramble::move_count as fn(&Scramble) -> usize),
            ("wide turns", wide_turns),
        ] {
            let sample = |is: bool| -> Vec<f64> {
                let chosen = scrambles
                    .iter()
                    .filter(|(state, _)| cases(state)[number] == is);
                chosen
                    .map(|(_, scramble)| measure(scramble) as f64)
                    .collect()
            };
            let (yes, no) = (sample(true), sample(false));
            let (z, ks) = difference(&yes, &no);
            let mean = |sample: &[f64]| sample.iter().sum::<f64>() / sample.len() as f64;
            println!(
                "{case:8} {what:10} {:.2} of {}, {:.2} of {}: z {z:.2}, KS {ks:.2}",
                mean(&yes),
                yes.len(),
                mean(&no),
                no.len(),
            );
            largest = (largest.0.max(z), largest.1.max(ks));
        }
    }
    largest
}

/// `cargo test --test engine scrambles_do_not_reveal -- --ignored --nocapture`
#[test]
#[ignore = "8,000 scrambles, some minutes"]
fn scrambles_do_not_reveal_their_case() {
    let subset: Subset = "last-layer".parse().unwrap();
    let recipe = Recipe::Subset(subset);
    let (least, limits) = (Effort::MIN, Limits::default());
    let reduction = Scrambler::new(solver_of(Method::REDUCTION, Metric::Obtm));
    for scrambler in [scrambler(), &reduction] {
        println!("{}", Engine::method(scrambler));
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let states: Vec<Cube> = (0..2_000).map(|_| subset.draw(&mut rng)).collect();
        let by = |make: &mut dyn FnMut(&Cube) -> Scramble| -> Vec<(Cube, Scramble)> {
            states.iter().map(|state| (*state, make(state))).collect()
        };
        let find = |state: &Cube, exactly| scrambler.find_scramble(state, exactly, least, &limits);
        let mut make = |state: &Cube| recipe.scramble_to(state, &mut rng, find).unwrap();
        let (z, ks) = largest_difference(&by(&mut make));
        assert!(z < 4.0 && ks < 2.2, "z {z}, KS {ks}");
        println!("control: without the random turns");
        let lowest = scrambler.with(least);
        let mut make = |state: &Cube| lowest.scramble_exactly_to(state).unwrap();
        let (z, ks) = largest_difference(&by(&mut make));
        assert!(z > 4.0 && ks > 2.2, "the test has no power: z {z}, KS {ks}");
    }
}
