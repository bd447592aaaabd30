//! Tsai's eight steps, against what Weed prints of them and against a search on whole cubes that knows
//! neither coordinates nor tables.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use scramble444::cube::{Axis, AxisMove, Cube, Face, Metric, Sequence};
use scramble444::method::Method;
use scramble444::search::{Effort, Limits, Solution, Solver};

use crate::common::exact::distances;
use crate::common::naive::{edge, reachable};
use crate::common::parity::is_odd;
use crate::common::tables::solver_of;

/// Weed's scramble; lower-case letters are inner layers.
const SCRAMBLE: &str =
    "F d2 u B' F' u U L2 r2 f' R D U l2 u' r2 R' B' f' l2 b L b u' f l b d U2 B D' d2";

/// Weed's solution, step by step: 67 slice turns.
const STEPS: [&str; 8] = [
    "B2 u F2 D r' f",
    "R2 D2 r B2 L F' U' l",
    "R2 B U' r2 b2 d2 D' F r2 B",
    "F2 l2 U2 R2 B2 U2 r2 U f2",
    "L B L F' R",
    "U F D L2 B' F' U B",
    "R2 F2 U F2 U' L2 U R2 U",
    "R2 D2 R2 U2 R2 B2 D2 R2 F2 L2 B2 D2",
];

fn solver(metric: Metric) -> Solver {
    solver_of(Method::EIGHT_STEP, metric)
}

/// Takes the first shortest way through each step, as Weed's planner does.
fn planned(solver: &Solver, cube: &Cube) -> Solution {
    let solution = solver.solve(cube, &Effort::least(), &Limits::default());
    let solution = solution.unwrap();
    assert!(cube.moved_by(solution.joined_moves()).is_solved());
    solution
}

fn costs(solution: &Solution) -> Vec<usize> {
    solution.stages.iter().map(|stage| stage.cost).collect()
}

fn parse(text: &str) -> Sequence {
    text.parse().unwrap()
}

fn length(moves: &[AxisMove], metric: Metric) -> usize {
    let costs = moves
        .iter()
        .map(|mv| usize::from(metric.cost(mv.amounts())));
    costs.sum()
}

#[test]
fn the_published_scramble_takes_no_more_than_the_published_length() {
    let published = parse(&STEPS.join(" "));
    assert_eq!(published.length(Metric::Stm), 67);
    let cube = Cube::solved().moved_by(parse(SCRAMBLE).axis_moves());
    let solution = planned(&solver(Metric::Stm), &cube);
    let joined = solution.joined_moves();
    assert!(length(&joined, Metric::Stm) <= 67);
    // What is printed is no solution of what is printed; see docs/maths.md.
    assert!(!cube.moved_by(published.axis_moves()).is_solved());
}

/// The printed solution solves the state that its inverse makes of the solved cube. On its way there,
/// each printed step but the third is as long as the shortest that does what ours must, so the goals
/// are the same; the third is longer than it must be.
#[test]
fn steps_are_as_long_as_the_published_ones_where_those_are_shortest() {
    let solver = solver(Metric::Stm);
    let printed = STEPS.map(|step| parse(step).length(Metric::Stm));
    assert_eq!(printed, [6, 8, 10, 9, 5, 8, 9, 12]);
    let mut shortest = printed;
    shortest[2] = 7;
    for step in 0..STEPS.len() {
        let rest = parse(&STEPS[step..].join(" ")).inverse();
        let before = Cube::solved().moved_by(rest.axis_moves());
        let costs = costs(&planned(&solver, &before));
        assert!(costs[..step].iter().all(|&cost| cost == 0), "{costs:?}");
        assert_eq!(costs[step], shortest[step], "step {}", step + 1);
    }
}

/// Two moves at a border may join into one, or vanish.
#[test]
fn moves_are_joined_at_the_borders() {
    let mut rng = ChaCha20Rng::seed_from_u64(31);
    let solver = solver(Metric::Stm);
    for _ in 0..5 {
        let solution = planned(&solver, &Cube::random(&mut rng));
        assert!(solution.premoves.is_empty());
        let whole = solution.joined_moves();
        let neighbours = whole.windows(2);
        assert!(
            neighbours
                .clone()
                .all(|pair| pair[0].axis() != pair[1].axis())
        );
        let total: usize = costs(&solution).iter().sum();
        assert!(length(&whole, Metric::Stm) <= total);
    }
}

/// By which multiples of a quarter turn outer and inner layers may turn, about x, y and z; 4 is not at
/// all.
type Steps = [(u8, u8); 3];

const TURNS: [Steps; 5] = [
    [(1, 1), (1, 1), (1, 1)],
    [(1, 1), (1, 2), (1, 2)],
    [(2, 2), (1, 2), (1, 2)],
    [(2, 2), (1, 4), (2, 2)],
    [(1, 4), (1, 4), (1, 4)],
];

/// All turns of single layers that a step allows.
fn turns(steps: Steps) -> Vec<AxisMove> {
    let mut turns = Vec::new();
    for (axis, (outer, inner)) in Axis::ALL.into_iter().zip(steps) {
        for (layer, step) in [outer, inner, inner, outer].into_iter().enumerate() {
            for quarters in (step..4).step_by(step as usize) {
                let mut amounts = [0; 4];
                amounts[layer] = quarters;
                turns.push(AxisMove::new(axis, amounts));
            }
        }
    }
    turns
}

/// What the naive search asks of a cube after each step.
struct Naive {
    /// The centers' faces that the turns of step 3, and those of step 4, make of the solved ones.
    centers: [HashSet<Vec<Face>>; 2],
    /// The wing places that the turns of step 3 lead to from the first one.
    orbit: HashSet<usize>,
}

fn centers(cube: &Cube) -> Vec<Face> {
    (0..24).map(|slot| cube.center(slot)).collect()
}

impl Naive {
    fn new() -> Naive {
        let place_of_first = |cube: &Cube| (0..24).find(|&place| cube.wing(place) == 0).unwrap();
        Naive {
            centers: [TURNS[2], TURNS[3]].map(|steps| reachable(&turns(steps), centers)),
            orbit: reachable(&turns(TURNS[2]), place_of_first),
        }
    }

    /// Whether the second step's goal is reached, the U and D centers being on U and D or F and B.
    fn is_second(&self, cube: &Cube) -> bool {
        let turned = cube.moved_by(parse("x").axis_moves());
        let on_axes = [cube, &turned]
            .into_iter()
            .any(|cube| self.centers[0].contains(&centers(cube)));
        let homes: Vec<usize> = (0..24).map(|place| cube.wing(place)).collect();
        let in_orbit: Vec<usize> = self.orbit.iter().map(|&place| homes[place]).collect();
        let edges: HashSet<usize> = in_orbit.iter().map(|&home| edge(home)).collect();
        let exchanged = in_orbit
            .iter()
            .filter(|home| !self.orbit.contains(home))
            .count();
        on_axes && !is_odd(&homes) && edges.len() == 12 && exchanged % 2 == 0
    }

    /// Whether the third step's goal is reached.
    fn is_third(&self, cube: &Cube) -> bool {
        let paired = |a: usize, b: usize| edge(cube.wing(a)) == edge(cube.wing(b));
        let middle = [8, 9, 12, 13]
            .into_iter()
            .all(|place| paired(place, place + 2));
        middle && self.centers[1].contains(&centers(cube))
    }

    /// The least number of turns to a goal, up to 3.
    fn distance(turns: &[AxisMove], cube: &Cube, is_goal: &dyn Fn(&Cube) -> bool) -> Option<usize> {
        let mut level = vec![*cube];
        for distance in 0..3 {
            if level.iter().any(is_goal) {
                return Some(distance);
            }
            level = level
                .iter()
                .flat_map(|cube| turns.iter().map(|&turn| cube.moved(turn)))
                .collect();
        }
        level.iter().any(is_goal).then_some(3)
    }
}

/// The second and third step have parts of their goals that no table knows; their ways must be
/// shortest all the same.
#[test]
fn steps_with_conditions_are_as_short_as_a_naive_search_finds() {
    let naive = Naive::new();
    assert_eq!(
        (naive.centers[0].len(), naive.centers[1].len()),
        (58_800, 2_520)
    );
    assert_eq!(naive.orbit.len(), 12);
    let solver = solver(Metric::Stm);
    let mut rng = ChaCha20Rng::seed_from_u64(32);
    let mut walk = |cube: Cube, turns: &[AxisMove], count: usize| {
        (0..count).fold(cube, |cube, _| {
            cube.moved(turns[rng.random_range(0..turns.len())])
        })
    };
    let mut found = [[0; 4]; 2];
    for round in 0..160 {
        // Any edges at all, reduced; then as far from that as the step begins.
        let cube = walk(Cube::solved(), &turns(TURNS[4]), 40);
        let step = round % 2 + 1;
        let own = turns(TURNS[step]);
        let cube = walk(cube, &turns(TURNS[step + 1]), 40);
        let cube = walk(cube, &own, 3);
        let is_goal = |cube: &Cube| match step {
            1 => naive.is_second(cube),
            _ => naive.is_third(cube),
        };
        let distance = Naive::distance(&own, &cube, &is_goal);
        let costs = costs(&planned(&solver, &cube));
        assert_eq!(costs[..step].iter().sum::<usize>(), 0, "{costs:?}");
        assert_eq!(Some(costs[step]), distance, "step {}", step + 1);
        found[step - 1][costs[step]] += 1;
    }
    assert!(found.iter().flatten().all(|&count| count > 0), "{found:?}");
}

/// Numbers of pictures at each distance up to `depth` from the goal, which is what `goal` makes of the
/// solved cube.
fn beginning<P: std::hash::Hash + Eq>(
    steps: Steps,
    goal: &[AxisMove],
    picture: impl Fn(&Cube) -> P,
    depth: usize,
) -> Vec<u64> {
    let spread = |seen: &mut HashSet<P>, from: Vec<Cube>, turns: &[AxisMove]| {
        let moved = from
            .iter()
            .flat_map(|cube| turns.iter().map(|&turn| cube.moved(turn)));
        let new: Vec<Cube> = moved.filter(|cube| seen.insert(picture(cube))).collect();
        new
    };
    let mut seen = HashSet::from([picture(&Cube::solved())]);
    let mut level = vec![Cube::solved()];
    let mut last = level.clone();
    while !last.is_empty() {
        last = spread(&mut seen, last, goal);
        level.extend(&last);
    }
    let mut counts = vec![level.len() as u64];
    for _ in 0..depth {
        level = spread(&mut seen, level, &turns(steps));
        counts.push(level.len() as u64);
    }
    counts
}

fn rotations(text: &str) -> Vec<AxisMove> {
    parse(text).axis_moves().collect()
}

#[test]
fn exact_distributions_begin_as_a_naive_search_finds() {
    let marked = |cube: &Cube| -> Vec<bool> {
        let is_marked = |face: &Face| matches!(face.letter(), 'L' | 'R');
        centers(cube).iter().map(is_marked).collect()
    };
    // The turns of the second step do not show in this picture.
    let found = beginning(TURNS[0], &rotations("x y"), marked, 4);
    assert_eq!(found, exact(1, Metric::Stm)[..5]);

    let orbit = Naive::new().orbit;
    let wings_and_parities = |cube: &Cube| {
        let edges: Vec<usize> = (0..24).map(|place| edge(cube.wing(place))).collect();
        // The other place of the same edge.
        let partner = |place: usize| (0..24).find(|&p| p != place && edges[p] == edges[place]);
        let matching: Vec<Option<usize>> = (0..24).map(partner).collect();
        let own: Vec<usize> = (0..24)
            .filter(|p| orbit.contains(p))
            .map(|p| edges[p])
            .collect();
        let corners: Vec<usize> = (0..8).map(|place| cube.corner(place).0).collect();
        (centers(cube), matching, is_odd(&own), is_odd(&corners))
    };
    let mut goal = turns(TURNS[4]);
    goal.extend(rotations("x2 y2"));
    let found = beginning(TURNS[3], &goal, wings_and_parities, 5);
    assert_eq!(found, exact(4, Metric::Stm)[..6]);
}

/// A step's distribution as the builder finds it, in its coordinates.
fn exact(number: usize, metric: Metric) -> Vec<u64> {
    distances(Method::EIGHT_STEP, number, metric)
        .distribution
        .positions
}

/// Greatest distances and numbers of positions; of the second and third step, those of the centers
/// (and the wings' parity) alone.
#[test]
fn steps_have_the_distances_that_the_documentation_says() {
    let known = [
        (735_471, 8, 8),
        (900_900, 10, 9),
        (210, 5, 5),
        (203_212_800, 12, 13),
        (2_048, 7, 7),
        (1_082_565, 10, 10),
        (29_400, 13, 13),
        (663_552, 15, 15),
    ];
    let exact = [true, false, false, true, true, true, true, true];
    for (number, ((positions, stm, obtm), is_exact)) in (1..).zip(known.into_iter().zip(exact)) {
        for (metric, greatest) in [(Metric::Stm, stm), (Metric::Obtm, obtm)] {
            let step = distances(Method::EIGHT_STEP, number, metric);
            let distribution = step.distribution.positions;
            assert_eq!(distribution.iter().sum::<u64>(), positions);
            assert_eq!(
                distribution.len() - 1,
                greatest,
                "step {number} in {metric}"
            );
            assert_eq!(step.is_exact, is_exact, "step {number} in {metric}");
        }
    }
}

/// Prints the table of `docs/maths.md`: mean and greatest lengths of solutions with the first shortest way
/// through each stage.
///
/// `cargo test --release --test engine eight_step -- --ignored --nocapture`
#[test]
#[ignore = "takes a minute"]
fn fewer_stages_give_shorter_solutions() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let states: Vec<Cube> = (0..300).map(|_| Cube::random(&mut rng)).collect();
    for metric in [Metric::Obtm, Metric::Stm] {
        let mean = |method: Method| {
            let solver = solver_of(method, metric);
            let plans = states.iter().map(|cube| planned(&solver, cube));
            let plans: Vec<Solution> = plans.collect();
            let mean = |total: usize| total as f64 / plans.len() as f64;
            for (number, stage) in solver.chain().stages().iter().enumerate() {
                let name = stage.name();
                let own = || plans.iter().map(|plan| plan.stages[number].cost);
                let (sum, greatest) = (own().sum(), own().max().unwrap());
                println!("{metric} {method} {name}: {:.2}, {greatest}", mean(sum));
            }
            let whole = |plan: &Solution| length(&plan.joined_moves(), metric);
            let whole = mean(plans.iter().map(whole).sum());
            println!("{metric} {method}: {whole:.2}");
            whole
        };
        let five_stages = mean(Method::FIVE_STAGE);
        assert!(five_stages < mean(Method::EIGHT_STEP));
        if metric == Metric::Obtm {
            assert!(mean(Method::REDUCTION) < five_stages);
        }
    }
}
