//! Scrambles of subsets and padded scrambles with the solvers.

use std::time::Duration;

use cube444::cube::Cube;
use cube444::cube::notation::Block;
use cube444::scramble::{Engine, Recipe, Scramble, Subset};
use cube444::search::{Limits, SearchError};
use cube444::{Effort, Scrambler};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use super::solving::assert_is_canonical;
use test_support::cubes::{cube, parities, states};
use test_support::tables::{reduction, scrambler};

fn recipes() -> impl Iterator<Item = Recipe> {
    let subsets = Subset::ALL.into_iter().map(Recipe::Subset);
    subsets.chain([Recipe::Padded])
}

/// A search at the lowest level.
fn find(scrambler: &Scrambler) -> impl Fn(&Cube, bool) -> Result<Scramble, cube444::ScrambleError> {
    |state, exactly| scrambler.find_scramble(state, exactly, Effort::MIN, &Limits::default())
}

#[test]
fn scrambles_lead_to_the_exact_states() {
    for scrambler in [scrambler(), reduction()] {
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let mut tried_again = 0;
        for recipe in recipes() {
            for _ in 0..8 {
                let state = recipe.draw(&mut rng);
                let mut searches = 0;
                let scramble = recipe.scramble_to(&state, &mut rng, |state, exactly| {
                    searches += 1;
                    find(scrambler)(state, exactly)
                });
                let scramble = scramble.unwrap();
                tried_again += usize::from(searches > 1);
                let text = scramble.sequence.to_string();
                assert!(cube(&text) == state && scramble.state == state);
                assert_is_canonical(&scramble.sequence);
                let is_padded = text.starts_with("R' U' F ") && text.ends_with(" R' U' F");
                assert!(is_padded || recipe != Recipe::Padded, "{text}");
            }
        }
        assert!(tried_again > 0);
    }
}

#[test]
fn recipes_respect_deadlines_and_cancellation() {
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    for recipe in recipes().chain([Recipe::Standard]) {
        let state = recipe.draw(&mut rng);
        let mut make = |limits: &Limits| {
            let find = |state: &Cube, exactly| {
                scrambler().find_scramble(state, exactly, Effort::MAX, limits)
            };
            recipe.scramble_to(&state, &mut rng, find)
        };
        let past_deadline = Limits::within(Duration::ZERO);
        assert!(make(&past_deadline).unwrap().hurried);
        for limits in [Limits::default(), past_deadline] {
            limits.cancel.cancel();
            let error = make(&limits).err();
            assert_eq!(error, Some(SearchError::Cancelled.into()));
        }
    }
}

/// After the deadline, an ending in a wrong orientation is no result.
#[test]
fn hurried_scrambles_lead_to_the_exact_states() {
    for scrambler in [scrambler(), reduction()] {
        let scrambler = scrambler.with(Effort::MAX).within(Duration::ZERO);
        for state in states(5).take(20) {
            let scramble = scrambler.scramble_exactly_to(&state).unwrap();
            assert!(scramble.hurried && scramble.state == state);
        }
    }
}

/// States for which the first turns of scrambles merge with the padding again and again if retries differ in
/// one turn only.
#[test]
fn padded_scrambles_end() {
    for (scrambler, number) in [(scrambler(), 890), (reduction(), 1072)] {
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let mut states = std::iter::repeat_with(|| Recipe::Padded.draw(&mut rng));
        let state = states.nth(number).unwrap();
        for seed in 0..10 {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let scramble = Recipe::Padded.scramble_to(&state, &mut rng, find(scrambler));
            assert!(scramble.unwrap().state == state);
        }
    }
}

/// Classifies a case of the last layer: its two parities, and whether it is easy, with fewer than ten unsolved pieces.
fn cases(cube: &Cube) -> [bool; 3] {
    let solved = Cube::solved();
    let wings = std::iter::zip(cube.wings(), solved.wings()).filter(|(wing, home)| wing != home);
    let corners = std::iter::zip(cube.corners(), solved.corners());
    let corners = corners.filter(|(corner, home)| corner != home);
    let [flip, exchange] = parities(cube);
    [flip, exchange, wings.count() + corners.count() < 10]
}

/// Statistics of the difference of two samples: the difference of the means in standard errors, and the
/// Kolmogorov-Smirnov statistic times the root of the effective size. If the distributions are equal, the
/// first exceeds 4 with a probability of 1/16,000, and the second exceeds 2.2 with a lower one.
fn difference([a, b]: &[Vec<f64>; 2]) -> [f64; 2] {
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
    let root = (size_a * size_b / (size_a + size_b)).sqrt();
    let z = ((mean_a - mean_b) / (error_a + error_b).sqrt()).abs();
    [z, differences.fold(0.0, f64::max) * root]
}

/// The largest statistics of [`difference`] for lengths and numbers of wide turns over all cases.
fn largest_difference(scrambles: &[(Cube, Scramble)]) -> [f64; 2] {
    let wide_turns = |scramble: &Scramble| {
        let tokens = scramble.sequence.tokens().iter();
        tokens
            .filter(|token| matches!(token.block(), Block::Wide(_)))
            .count()
    };
    let mut largest = [0.0_f64; 2];
    for (number, case) in ["flip", "exchange", "easy"].into_iter().enumerate() {
        for (what, measure) in [
            (
                "length",
                &Scramble::move_count as &dyn Fn(&Scramble) -> usize,
            ),
            ("wide turns", &wide_turns),
        ] {
            let samples = [true, false].map(|is| {
                let chosen = scrambles
                    .iter()
                    .filter(|(state, _)| cases(state)[number] == is);
                chosen
                    .map(|(_, scramble)| measure(scramble) as f64)
                    .collect()
            });
            let found = difference(&samples);
            println!("{case:8} {what:10} z, KS: {found:.2?}");
            largest = [0, 1].map(|at| largest[at].max(found[at]));
        }
    }
    largest
}

/// `cargo test --test engine scrambles_do_not_reveal -- --ignored --nocapture`
#[test]
#[ignore = "8,000 scrambles, some minutes"]
fn scrambles_do_not_reveal_their_case() {
    let subset: Subset = "last-layer".parse().unwrap();
    for scrambler in [scrambler(), reduction()] {
        println!("{}", Engine::method(scrambler));
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let states: Vec<Cube> = (0..2_000).map(|_| subset.draw(&mut rng)).collect();
        let by = |make: &mut dyn FnMut(&Cube) -> Scramble| {
            let scrambles: Vec<_> = states.iter().map(|state| (*state, make(state))).collect();
            largest_difference(&scrambles)
        };
        let recipe = Recipe::Subset(subset);
        let [z, ks] = by(&mut |state| {
            recipe
                .scramble_to(state, &mut rng, find(scrambler))
                .unwrap()
        });
        assert!(z < 4.0 && ks < 2.2, "z {z}, KS {ks}");
        println!("control: without the random turns");
        let lowest = scrambler.with(Effort::MIN);
        let [z, ks] = by(&mut |state| lowest.scramble_exactly_to(state).unwrap());
        assert!(z > 4.0 && ks > 2.2, "the test has no power: z {z}, KS {ks}");
    }
}
