//! The program `cube444-lab` as a process.

use std::process::{Command, Output};

use cube444::cube::{Cube, Metric, Sequence};
use cube444::search::{Limits, Solution, StageSolution};
use cube444::{Effort, Scramble, Scrambler};
use cube444_lab::EIGHT_STEP;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

test_support::watchdog!();

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cube444-lab"));
    command.args(arguments).output().unwrap()
}

/// What the program prints. Fails unless it succeeds.
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {message}");
    String::from_utf8(output.stdout).unwrap()
}

fn printed_json(arguments: &[&str]) -> Value {
    printed(arguments).parse().unwrap()
}

fn assert_error(arguments: &[&str], expected: &str) {
    let output = run(arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{arguments:?}");
    assert!(message.contains(expected), "{expected:?} not in {message}");
}

#[test]
fn analyze_prints_the_distances_of_a_stage() {
    let analyze = ["analyze", "--method", "thistlethwaite", "--stage"];
    let stage = |number| [&analyze[..], &[number]].concat();
    let analysis = printed_json(&[&stage("1")[..], &["--json"]].concat());
    assert_eq!(analysis["stage"], 1);
    assert_eq!(analysis["name"], "oriented-edges");
    let positions = analysis["positions"].as_array().unwrap();
    let positions: u64 = positions.iter().filter_map(Value::as_u64).sum();
    // The flips of twelve edges, of which the last is determined by the others.
    assert_eq!(positions, 1 << 11);
    let unique = json!([1, 1, 3, 18, 51, 72, 37, 3]);
    assert_eq!(
        (&analysis["unique"], &analysis["max"]),
        (&unique, &json!(7))
    );
    for metric in ["obtm", "stm"] {
        let of_metric = [&stage("1")[..], &["--metric", metric]].concat();
        let table = printed(&of_metric);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], format!("Stage 1 ({metric}): edges not flipped"));
        for (number, columns) in [
            (2, ["distance", "positions", "unique"]),
            (4, ["1", "2", "1"]),
            (10, ["7", "13", "3"]),
            (11, ["total", "2,048", "186"]),
        ] {
            assert_eq!(
                lines[number].split_whitespace().collect::<Vec<_>>(),
                columns
            );
        }
        let json = printed_json(&[&of_metric[..], &["--json"]].concat());
        assert_eq!(json["metric"], metric);
    }
    let last = printed(&stage("4"));
    assert!(last.starts_with("Stage 4 (obtm): "), "{last}");
    assert!(!last.contains("Any state can be solved"), "{last}");
    let missing = "--stage 5: method thistlethwaite has stages 1 to 4";
    assert_error(&stage("5"), missing);
    assert_error(&stage("0"), "--stage");
    assert_error(&stage("256"), "--stage");
}

/// A stage with several components has an object for each, and no bound follows from lower bounds.
#[test]
fn distances_of_a_component_are_lower_bounds() {
    let analyze = ["analyze", "--method", "reduction", "--stage", "2"];
    let json = printed_json(&[&analyze[..], &["--json"]].concat());
    assert_eq!(json["exact"], false);
    let names = (&json["name"], &json["component"]);
    assert_eq!(names, (&json!("all-axes"), &json!("centers-and-parity")));
    let printed = printed(&analyze);
    let heading = "\nComponent centers-and-parity, whose distances are lower bounds:\n\n";
    assert!(printed.contains(heading), "{printed}");

    let components = |method_and_stage: &str| {
        let arguments = format!("analyze --json --method {method_and_stage}");
        let report = printed_json(&arguments.split(' ').collect::<Vec<_>>());
        let stages = report["stages"].as_array().unwrap().iter();
        let stages = stages.map(|stage| json!([stage["stage"], stage["component"]]));
        (stages.collect::<Value>(), report.get("bound").cloned())
    };
    let (all, bound) = components("eight-step");
    let names = (1..9).map(|number| json!([number, (number == 2 || number == 3).then_some("all")]));
    assert_eq!((all, bound), (names.collect(), Some(Value::Null)));
    let of_one = json!([[4, "phase-one"], [4, "phase-two"]]);
    assert_eq!(components("reduction --stage 4"), (of_one, None));
}

#[test]
fn analyze_adds_up_the_greatest_distances_of_all_stages() {
    let analyze = ["analyze", "--method", "thistlethwaite"];
    let text = printed(&analyze);
    for stage in 1..=4 {
        assert!(text.contains(&format!("Stage {stage} (obtm): ")));
    }
    let sum = "\nAny state can be solved in 7 + 10 + 13 + 15 = 45 (obtm).\n";
    assert!(text.ends_with(sum), "{text}");
    let json = printed_json(&[&analyze[..], &["--json"]].concat());
    assert_eq!(json["bound"], 45);
    let stages = json["stages"].as_array().unwrap();
    let numbers: Vec<&Value> = stages.iter().map(|stage| &stage["stage"]).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    // No distances are those of a component, which are only lower bounds.
    assert!(!text.contains("lower bounds"), "{text}");
    for stage in stages {
        assert_eq!(stage["exact"], true);
        assert!(stage.get("component").is_none());
    }
}

#[test]
fn bench_reports_the_statistics_of_the_library() {
    const COUNT: usize = 4;
    for metric in [Metric::Obtm, Metric::Stm] {
        let builder = Scrambler::builder();
        let scrambler = builder.method(EIGHT_STEP).metric(metric).open().unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let samples: [(Scramble, Solution); COUNT] = std::array::from_fn(|_| {
            let state = Cube::random(&mut rng);
            let solution = scrambler.search(&state, false, Effort::MIN, &Limits::default());
            let solution = solution.unwrap();
            (Scramble::inverse_of(&solution, &state).unwrap(), solution)
        });
        // The mean of four integers has at most two decimals, so rounding does not change it.
        let mean = |value: &dyn Fn(&(Scramble, Solution)) -> f64| {
            samples.iter().map(value).sum::<f64>() / COUNT as f64
        };
        let by_stage = |value: fn(&StageSolution) -> f64| -> Vec<f64> {
            let means = (0..8).map(|stage| mean(&|it| value(&it.1.stages[stage])));
            means.collect()
        };
        let name = metric.name();
        let bench = "bench --count 4 --seed 7 --effort 1 --method eight-step --metric";
        let bench: Vec<&str> = bench.split(' ').chain([name]).collect();
        let report = printed_json(&bench);
        let moves = || samples.iter().map(|it| it.0.move_count());
        let average = mean(&|it| it.0.move_count() as f64);
        let sd = mean(&|it| (it.0.move_count() as f64 - average).powi(2)).sqrt();
        assert!((report["obtm"]["sd"].as_f64().unwrap() - sd).abs() < 0.001);
        let length = |metric| mean(&|it| it.0.sequence.length(metric) as f64);
        let premoves = mean(&|it| it.1.premove_cost as f64);
        let lookups = by_stage(|it| it.statistics.lookups as f64);
        let endings = by_stage(|it| it.statistics.endings as f64);
        for (member, expected) in [
            ("/obtm/mean", json!(average)),
            ("/obtm/min", json!(moves().min())),
            ("/obtm/max", json!(moves().max())),
            ("/stm_mean", json!(length(Metric::Stm))),
            ("/btm_mean", json!(length(Metric::Btm))),
            ("/premoves", json!(premoves)),
            ("/stages", json!(by_stage(|it| it.cost as f64))),
            ("/nodes", json!(by_stage(|it| it.statistics.nodes as f64))),
            ("/lookups", json!(lookups)),
            ("/endings", json!(endings)),
        ] {
            let found = report.pointer(member);
            assert_eq!(found, Some(&expected), "{member} in {name}");
        }
    }
}

#[test]
fn invalid_arguments_are_reported_before_any_work() {
    let methods = "[possible values: five-stage, reduction, norskog, eight-step, thistlethwaite]";
    let analysis = "bench --profile=compact --tables-dir=/nowhere/tables --method=thistlethwaite";
    for (line, expected) in [
        ("analyze --method five", methods),
        ("bench --metric htm", "use obtm, stm or btm"),
        (analysis, "method thistlethwaite supports analysis only"),
        (
            "bench --method reduction --metric stm",
            "support the metric stm",
        ),
    ] {
        assert_error(&line.split(' ').collect::<Vec<_>>(), expected);
    }
}

/// The scramble of Weed's paper on Tsai's eight steps, which solves it in 67 slice turns.
#[test]
fn solve_prints_the_turns_of_each_stage() {
    let turns = "F d2 u B' F' u U L2 r2 f' R D U l2 u' r2 R' B' f' l2 b L b u' f l b d U2 B D' d2";
    let position: Sequence = turns.parse().unwrap();
    let position = Cube::solved().moved_by(position.axis_moves());
    let facelets = position.facelets();
    for (method, metric, stages) in [("eight-step", "stm", 8), ("reduction", "obtm", 4)] {
        let solve = [
            "solve", "--method", method, "--metric", metric, "--effort", "1",
        ];
        let report = printed_json(&[&solve[..], &[turns, "--json"]].concat());
        // Premoves have a row of their own.
        assert_eq!(report["stages"].as_array().unwrap().len(), stages + 1);
        assert!(report["length"]["stm"].as_u64().unwrap() <= 67, "{report}");
        let solution = report["solution"].as_str().unwrap();
        let sequence: Sequence = solution.parse().unwrap();
        assert!(position.moved_by(sequence.axis_moves()).is_solved());
        let text = printed(&[&solve[..], &["--state", &facelets]].concat());
        assert!(text.contains(solution), "{text}");
    }
    // The effort and the tables are those of the flags.
    let scrambler = Scrambler::in_memory().unwrap();
    for effort in [Effort::MIN, "6".parse().unwrap()] {
        let expected = scrambler.clone().with(effort).solve(&position).unwrap();
        let level = effort.to_string();
        let solve = [
            "solve",
            "--method",
            "reduction",
            "--json",
            "--effort",
            &level,
            turns,
        ];
        let found = &printed_json(&solve)["solution"];
        assert_eq!(*found, json!(expected.sequence.to_string()), "{effort}");
    }
    let unwritable = "solve --method reduction --profile compact --tables-dir Cargo.toml/tables R";
    let unwritable: Vec<&str> = unwritable.split(' ').collect();
    assert_error(&unwritable, "cannot write tables to the directory");
    assert_error(&["solve"], "<TURNS>");
    assert_error(&["solve", "R", "--state", &facelets], "--state");
    assert_error(&["solve", "R", "--metric", "htm"], "htm");
    assert_error(&["solve", "--state", "U"], "96");
    let unpaired = ["solve", "--method", "thistlethwaite", turns];
    assert_error(&unpaired, "supports analysis only");
}
