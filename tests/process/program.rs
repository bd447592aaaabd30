//! The commands for scrambles, positions, pictures, benchmarks and tables.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::Output;

use cube444::cube::{Cube, Metric, Sequence};
use cube444::picture::{Scheme, png, svg};
use cube444::scramble::{Event, Recipe, Scramble, Subset};
use cube444::search::{Limits, Solution, StageSolution};
use cube444::{Effort, Method, Scrambler};
use cube444_competition::audit::{Derivation, Seed};
use cube444_competition::{FillOptions, FillPlan, Wcif};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

use crate::common::program::{names, program, run, run_with_input, tables_without, text, words};
use test_support::forged::forge_entry;
use test_support::tables::{ensure_tables, scrambler, solver_of, tables_dir};
use test_support::wcif::scrambles;

/// The first table of `reduction`, which is small.
const FIRST: &str = "reduction-axis-centers-exact-obtm.table";

#[test]
fn prints_scrambles() {
    ensure_tables();
    let output = run(&tables_dir(), &["scramble", "--count", "3"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    assert_eq!(lines.lines().count(), 3);
    assert!(
        lines
            .lines()
            .all(|line| line.parse::<Sequence>().unwrap().tokens().len() > 30)
    );

    let output = run(&tables_dir(), &["scramble", "--count", "2", "--numbered"]);
    let lines = text(&output.stdout);
    let scrambles = ["1. ", "2. "].iter().zip(lines.lines());
    let turns = |(number, line): (&&str, &str)| {
        let turns = line.strip_prefix(*number).unwrap();
        turns.parse::<Sequence>().unwrap().tokens().len()
    };
    assert_eq!(scrambles.map(turns).filter(|&turns| turns > 30).count(), 2);

    let output = run(&tables_dir(), &["scramble", "--json"]);
    let item: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sequence: Sequence = item["scramble"].as_str().unwrap().parse().unwrap();
    let cube = Cube::solved().moved_by(sequence.axis_moves());
    assert_eq!(item["state"], cube.facelets());
}

#[test]
fn each_run_prints_new_scrambles() {
    ensure_tables();
    let lines = || -> HashSet<String> {
        let arguments = ["scramble", "--count", "5", "--effort", "1"];
        let output = run(&tables_dir(), &arguments);
        let lines = text(&output.stdout);
        lines.lines().map(str::to_owned).collect()
    };
    let (first, second) = (lines(), lines());
    assert_eq!((first.len(), second.len()), (5, 5));
    assert!(first.is_disjoint(&second));
}

#[test]
fn blindfolded_scrambles_may_end_in_rotations() {
    ensure_tables();
    let arguments = words("scramble --event 444bf --count 20 --effort 1");
    let output = run(&tables_dir(), &arguments);
    let lines = text(&output.stdout);
    let rotated = lines.lines().filter(|line| line.contains(['x', 'y', 'z']));
    // Fails by chance with probability 24^-20.
    assert!(rotated.count() > 0, "{lines}");
}

/// Scrambles at level 7 have about four turns fewer than at level 1.
#[test]
fn commands_use_the_effort_level() {
    ensure_tables();
    let rounds = json!([{"id": "444-r1", "format": "5", "scrambleSetCount": 3}]);
    let wcif = json!({"events": [{"id": "444", "rounds": rounds}]}).to_string();
    for arguments in [&["scramble", "--count", "21"][..], &["wcif"]] {
        let mean = |level: &str| {
            let arguments = [arguments, &["--effort", level]].concat();
            let output = run_with_input(&tables_dir(), &arguments, wcif.as_bytes());
            let made = match serde_json::from_slice::<Value>(&output.stdout) {
                Ok(file) => scrambles(&file["wcif"]),
                Err(_) => text(&output.stdout).lines().map(str::to_owned).collect(),
            };
            assert_eq!(made.len(), 21);
            let turns = made.iter().map(|made| made.split(' ').count());
            turns.sum::<usize>() as f64 / 21.0
        };
        let (low, high) = (mean("1"), mean("7"));
        assert!(high + 1.0 < low, "{arguments:?}: {low} and {high}");
    }
    // Solutions and scrambles of an audit are the same each time.
    let state = Cube::random(&mut ChaCha20Rng::seed_from_u64(5));
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("root");
    let seed = format!("6700{}", "0".repeat(60));
    fs::write(&root, &seed).unwrap();
    let derivation = Derivation::new(&Seed::root_from_hex(&seed).unwrap(), "x").unwrap();
    let sets = words("audit sets --auditor-salt x --wcif - --root");
    let sets = [&sets[..], &[root.to_str().unwrap()]].concat();
    let plan = FillPlan::new(Wcif::from_json(&*wcif).unwrap(), FillOptions::default()).unwrap();
    let by_default = Scrambler::new(solver_of(Method::default(), Metric::Obtm));
    for level in [1, 6] {
        let effort = ["--effort", &level.to_string()];
        let scrambler = by_default.with(Effort::new(level).unwrap());
        let solve = ["solve", "--json", "--state", &state.facelets()];
        let output = run(&tables_dir(), &[&solve[..], &effort].concat());
        let solution = scrambler.solve(&state).unwrap().sequence;
        assert_eq!(objects(&output)[0]["solution"], solution.to_string());
        let output = run_with_input(
            &tables_dir(),
            &[&sets[..], &effort].concat(),
            wcif.as_bytes(),
        );
        let file: Value = serde_json::from_slice(&output.stdout).unwrap();
        let made = scrambles(&file["wcif"]);
        for (&id, made) in plan.scramble_ids().iter().zip(&made) {
            let scramble = scrambler.scramble_to(&derivation.state(id)).unwrap();
            assert_eq!(*made, scramble.sequence.to_string(), "{id}");
        }
        assert_eq!(made.len(), 21);
    }
}

/// The threads of a process are the main one, that for signals, those of the common pool, and those of `bench`.
#[cfg(target_os = "linux")]
#[test]
fn commands_use_the_number_of_threads() {
    use test_support::wait::wait_until;

    ensure_tables();
    let locked = tempfile::tempdir().unwrap();
    let lock = fs::File::create(locked.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    for (arguments, tables, count) in [
        (&["tables", "build"][..], locked.path(), 2),
        (&["bench", "--count", "1000000"], &tables_dir(), 2 + cores),
    ] {
        let mut command = program();
        command.env("SCRAMBLE444_TABLES_DIR", tables);
        command.args(arguments);
        command.args(["--threads", "7", "--profile", "compact"]);
        let mut child = command.spawn().unwrap();
        let tasks = format!("/proc/{}/task", child.id());
        wait_until("it has these threads", || {
            assert_eq!(child.try_wait().unwrap(), None, "{arguments:?}");
            fs::read_dir(&tasks).unwrap().count() == count + 7
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn scrambles_of_subsets_and_padded_scrambles() {
    ensure_tables();
    let lines = |flags: &[&str]| {
        let arguments = [&["scramble", "--effort", "1", "--count", "2"], flags].concat();
        let output = run(&tables_dir(), &arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    for line in lines(&["--subset", "last-layer"]).lines() {
        let turns: Sequence = line.parse().unwrap();
        let facelets = Cube::solved().moved_by(turns.axis_moves()).facelets();
        assert!(facelets.contains(&"D".repeat(16)), "{line}");
    }
    for line in lines(&["--padded"]).lines() {
        assert!(
            line.starts_with("R' U' F ") && line.ends_with(" R' U' F"),
            "{line}"
        );
    }
}

#[test]
fn solves_and_verifies_positions() {
    ensure_tables();
    let state = {
        let turns: Sequence = "R U Rw' F2".parse().unwrap();
        Cube::solved().moved_by(turns.axis_moves())
    };
    for arguments in [
        vec!["solve", "R U Rw' F2", "--json"],
        vec!["solve", "--json", "--state", &state.facelets()],
    ] {
        let output = run(&tables_dir(), &arguments);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let solution: Sequence = report["solution"].as_str().unwrap().parse().unwrap();
        assert!(state.moved_by(solution.axis_moves()).is_solved());
        assert_eq!(report["state"], state.facelets());
        let stages = report["stages"].as_array().unwrap();
        assert_eq!(stages.len(), 5, "four stages and the premoves");
        let parts = stages.iter().flat_map(|stage| {
            let moves: Sequence = stage["turns"].as_str().unwrap().parse().unwrap();
            moves.tokens().to_vec()
        });
        let together = Sequence::from_iter(parts);
        assert!(state.moved_by(together.axis_moves()).is_solved());
    }
    let output = run(&tables_dir(), &["solve", "R U"]);
    assert!(text(&output.stdout).contains("solved"));
    assert!(text(&output.stdout).contains("solution             2  U' R'"));

    let output = run(&tables_dir(), &["verify", "Rw2 x y"]);
    let report = text(&output.stdout);
    for line in [
        "length        1 outer block turns, 2 slice turns, 1 block turns",
        "WCA notation  yes",
        "solved        no",
        "far enough from solved (two turns or more)  no",
    ] {
        assert!(report.contains(line), "{report}");
    }
    for (turns, facts) in [
        ("r U", ["no", "no", "yes"]),
        ("R R'", ["yes", "yes", "no"]),
        ("Uw R2", ["yes", "no", "yes"]),
    ] {
        let report = text(&run(&tables_dir(), &["verify", turns]).stdout);
        let found = report
            .lines()
            .skip(2)
            .map(|line| line.rsplit("  ").next().unwrap().trim());
        assert_eq!(found.collect::<Vec<_>>(), facts, "{report}");
    }
    // Lengths of parts are in outer block turns, which are words.
    let output = run(&tables_dir(), &["solve", "R2 Uw Rw"]);
    let report = text(&output.stdout);
    let (parts, lengths) = report.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(parts.lines().count(), 6, "{report}");
    for part in parts.lines() {
        let words: Vec<&str> = part.split_whitespace().collect();
        assert_eq!(words[1], (words.len() - 2).to_string(), "{report}");
    }
    assert!(
        lengths.starts_with("3 outer block turns, 5 slice turns, 3 block turns; "),
        "{report}"
    );
}

/// The lines of standard output as JSON.
fn objects(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout);
    let lines = lines.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn reads_positions_from_lines_of_standard_input() {
    ensure_tables();
    let tables = tables_dir();
    let output = run_with_input(
        &tables,
        &["verify", "-", "--json"],
        b"3Rw x'\r\nR Q7\n\nR // U\n\xff\nr2",
    );
    assert_eq!(output.status.code(), Some(1));
    let reports = objects(&output);
    let values: Vec<_> = reports
        .iter()
        .map(|report| (&report["line"], &report["solved"], &report["wca_notation"]))
        .map(|(line, solved, wca)| (line.as_u64(), solved.as_bool(), wca.as_bool()))
        .map(|(line, solved, wca)| (line.unwrap(), solved.unwrap(), wca.unwrap()))
        .collect();
    let expected = [
        (1, false, true),
        (3, true, true),
        (4, false, false),
        (6, false, false),
    ];
    assert_eq!(values, expected);
    let message = text(&output.stderr);
    for reason in [
        "line 2: turn 2 (\"Q7\") is invalid",
        "line 5: invalid utf-8",
        "2 of 6 lines are invalid",
    ] {
        assert!(message.contains(reason), "{message}");
    }

    // With `--state`, lines are facelets, in upper or lower case.
    let turns: Sequence = "R U Rw' F2".parse().unwrap();
    let state = Cube::solved().moved_by(turns.axis_moves());
    let facelets = state.facelets();
    let lines = format!("{facelets}\n{}\n", facelets.to_lowercase());
    let solve = ["solve", "--state", "-", "--json"];
    let output = run_with_input(&tables, &solve, lines.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let reports = objects(&output);
    assert_eq!(reports.len(), 2);
    for (report, line) in reports.iter().zip(1..) {
        assert_eq!(report["line"], line);
        let solution: Sequence = report["solution"].as_str().unwrap().parse().unwrap();
        assert!(state.moved_by(solution.axis_moves()).is_solved());
    }

    // Reports as text start with the number of the line. A position from an argument has no number.
    let output = run_with_input(&tables, &["verify", "-"], b"R\nU\n");
    let reports = text(&output.stdout);
    assert!(reports.starts_with("line 1\nstate "), "{reports}");
    assert!(reports.contains("\nline 2\nstate "), "{reports}");
    let from_argument = objects(&run(&tables, &["verify", "--json", "R"]));
    assert!(from_argument[0].get("line").is_none());
    let empty = run_with_input(&tables, &["verify", "-"], b"");
    assert!(empty.status.success() && empty.stdout.is_empty());
}

#[test]
fn draws_pictures() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let picture = |arguments: &[&str]| {
        let output = run(directory.path(), &[&["picture"], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        output.stdout
    };
    let turns: Sequence = "Rw U2 F'".parse().unwrap();
    let cube = Cube::solved().moved_by(turns.axis_moves());
    let grey: Scheme = "888,ff0,0f0,f80,f00,fff".parse().unwrap();
    let default_svg = svg(&cube, &Scheme::default());
    let grey_png = png(&cube, &grey, 2.try_into().unwrap());

    assert_eq!(text(&picture(&["Rw U2 F'"])), default_svg);
    let default_png = png(&cube, &Scheme::default(), 1.try_into().unwrap());
    assert_eq!(picture(&["Rw U2 F'", "--format", "png"]), default_png);
    assert_eq!(
        text(&picture(&["--state", &cube.facelets(), "--format", "svg"])),
        default_svg
    );
    let arguments = ["Rw U2 F'", "--scheme", &grey.to_string(), "--scale", "2"];
    assert_eq!(
        picture(&[&arguments[..], &["--format", "png"]].concat()),
        grey_png
    );
    for (name, arguments, content) in [
        ("cube.svg", &arguments[..1], default_svg.as_bytes()),
        ("cube.PNG", &arguments, &grey_png),
    ] {
        let printed = picture(&[arguments, &["--output", &path(name)]].concat());
        assert!(printed.is_empty());
        assert_eq!(fs::read(path(name)).unwrap(), content, "{name}");
    }
    // All of standard input is one position.
    let lines = b"1. Rw\nU2 // up\nF'\n\n";
    let output = run_with_input(directory.path(), &["picture", "-"], lines);
    assert_eq!(text(&output.stdout), default_svg);
    // A file without an extension needs `--format`.
    picture(&["Rw U2 F'", "-o", &path("png"), "--format", "svg"]);
    assert_eq!(fs::read_to_string(path("png")).unwrap(), default_svg);
}

#[test]
fn bench_reports_the_statistics_of_the_library() {
    const COUNT: usize = 8;
    let arguments =
        words("bench --method five-stage --seed 7 --effort 1 --profile compact --count 8");
    let search = |state: &Cube, exactly| {
        let limits = Limits::default();
        scrambler().search(state, exactly, Effort::MIN, &limits)
    };
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let states: Vec<Cube> = (0..COUNT).map(|_| Cube::random(&mut rng)).collect();
    let solutions: Vec<Solution> = states
        .iter()
        .map(|state| search(state, false).unwrap())
        .collect();
    let scrambles: Vec<Scramble> = states
        .iter()
        .zip(&solutions)
        .map(|(state, solution)| Scramble::inverse_of(solution, state).unwrap())
        .collect();
    // The mean of eight integers has at most three decimals, so rounding does not change it.
    let mean_of = |sum: f64| Value::from(sum / COUNT as f64);
    let mean = |of: &dyn Fn(&Scramble) -> f64| mean_of(scrambles.iter().map(of).sum());
    let work = |of: &dyn Fn(&Solution) -> u64| {
        mean_of(solutions.iter().map(|solution| of(solution) as f64).sum())
    };
    let turns = |metric| mean(&|scramble| scramble.sequence.length(metric) as f64);
    let json = run(&tables_dir(), &[&arguments[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(report["obtm"]["mean"], turns(Metric::Obtm));
    assert_eq!(report["stm_mean"], turns(Metric::Stm));
    assert_eq!(report["btm_mean"], turns(Metric::Btm));
    assert_eq!(
        report["premoves"],
        work(&|solution| solution.premove_cost as u64)
    );
    for stage in 0..5 {
        let work = |of: fn(&StageSolution) -> u64| work(&|solution| of(&solution.stages[stage]));
        let cost = work(|stage| stage.cost as u64);
        assert_eq!(report["stages"][stage], cost);
        let nodes = work(|stage| stage.statistics.nodes);
        assert_eq!(report["nodes"][stage], nodes);
        let lookups = work(|stage| stage.statistics.lookups);
        assert_eq!(report["lookups"][stage], lookups);
        let endings = work(|stage| stage.statistics.endings);
        assert_eq!(report["endings"][stage], endings);
    }
    for (member, value) in [
        ("count", json!(8)),
        ("seed", json!(7)),
        ("subset", json!(null)),
        ("padded", json!(false)),
        ("effort", json!(1)),
        ("method", json!("five-stage")),
        ("tables", json!("compact")),
        ("metric", json!("obtm")),
        ("threads", json!(1)),
    ] {
        assert_eq!(report[member], value, "{member}");
    }
    let nodes = solutions.iter().map(|solution| solution.statistics.nodes);
    assert_eq!(report["all_nodes"]["max"], nodes.max().unwrap() as f64);
    // Each state has its own random turns, which depend on its number alone.
    for (flags, padded, subset) in [
        (&["--padded"][..], true, None),
        (&["--subset", "pll"], false, Some("pll")),
    ] {
        let of_subset = subset.map(|name| name.parse::<Subset>().unwrap());
        let recipe = Recipe::new(Event::Sighted, of_subset, padded).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let states: Vec<Cube> = (0..COUNT).map(|_| recipe.draw(&mut rng)).collect();
        let mut lengths: BTreeMap<String, u64> = BTreeMap::new();
        let mut nodes = 0;
        for (number, state) in states.iter().enumerate() {
            let mut rng = ChaCha20Rng::seed_from_u64(7);
            rng.set_stream(number as u64 + 1);
            let made = recipe.scramble_to(state, &mut rng, |state, exactly| {
                let solution = search(state, exactly)?;
                nodes += solution.statistics.nodes;
                Scramble::inverse_of(&solution, state)
            });
            *lengths
                .entry(made.unwrap().move_count().to_string())
                .or_default() += 1;
        }
        for threads in ["1", "3"] {
            let others = ["--json", "--threads", threads];
            let json = run(&tables_dir(), &[&arguments[..], flags, &others].concat());
            let longer: Value = serde_json::from_slice(&json.stdout).unwrap();
            assert_eq!(
                (&longer["padded"], &longer["subset"]),
                (&json!(padded), &json!(subset))
            );
            assert_eq!(longer["obtm"]["histogram"], json!(lengths));
            // Searches whose scrambles do not fit the turns around them count.
            assert_eq!(longer["all_nodes"]["mean"], nodes as f64 / COUNT as f64);
        }
    }
    let lengths = || scrambles.iter().map(Scramble::move_count);
    assert_eq!(report["obtm"]["min"], lengths().min().unwrap());
    assert_eq!(report["obtm"]["max"], lengths().max().unwrap());
    let histogram = report["obtm"]["histogram"].as_object().unwrap();
    for (length, count) in histogram {
        let found = lengths().filter(|other| other.to_string() == *length);
        assert_eq!(*count, found.count(), "{length}");
    }
    let average = turns(Metric::Obtm).as_f64().unwrap();
    let variance = mean(&|scramble| (scramble.move_count() as f64 - average).powi(2));
    let sd = variance.as_f64().unwrap().sqrt();
    assert!((report["obtm"]["sd"].as_f64().unwrap() - sd).abs() < 0.001);

    // The report as text has the same figures, except those of time.
    let printed = text(&run(&tables_dir(), &arguments).stdout);
    let [obtm, nodes] = [&report["obtm"], &report["all_nodes"]];
    let lengths = format!(
        "OBTM  mean {}, sd {}, min {}, max {}; STM mean {}, BTM mean {}",
        obtm["mean"], obtm["sd"], obtm["min"], obtm["max"], report["stm_mean"], report["btm_mean"],
    );
    let nodes = format!(
        "NODES p50 {}, mean {}, p99 {}, max {}",
        nodes["p50"], nodes["mean"], nodes["p99"], nodes["max"]
    );
    let costs = format!(
        " a second; mean cost of the stages {}, premoves {}",
        report["stages"], report["premoves"]
    );
    let work = format!(
        "WORK  by stage: nodes {}, lookups {}, endings {}",
        report["nodes"], report["lookups"], report["endings"]
    );
    let counts = histogram
        .iter()
        .map(|(length, count)| format!("      {length}: {count}\n"));
    let counts = format!("\n{}", counts.collect::<String>());
    let times = printed
        .lines()
        .find(|line| line.starts_with("CPU "))
        .unwrap();
    let times: Vec<f64> = times
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [median, mean, p99, max] = times[..] else {
        panic!("{printed}");
    };
    assert!(median <= p99 && p99 <= max && mean < max, "{printed}");
    for expected in [lengths, nodes, costs, work, counts] {
        assert!(
            printed.contains(&expected),
            "{expected} is not in {printed}"
        );
    }
}

#[test]
fn bench_reports_the_median_and_the_99th_percentile_with_any_number_of_threads() {
    // Of so many states the 99th percentile is not the maximum.
    const COUNT: usize = 60;
    let mut rng = ChaCha20Rng::seed_from_u64(8);
    let mut nodes: Vec<u64> = (0..COUNT)
        .map(|_| {
            let state = Cube::random(&mut rng);
            let limits = Limits::default();
            let solution = scrambler().search(&state, false, Effort::MIN, &limits);
            solution.unwrap().statistics.nodes
        })
        .collect();
    nodes.sort_unstable();
    let mean = nodes.iter().sum::<u64>() as f64 / COUNT as f64;
    let quantiles = json!({
        "p50": nodes[30] as f64, "mean": (mean * 1000.0).round() / 1000.0,
        "p99": nodes[58] as f64, "max": nodes[59] as f64,
    });
    for threads in [1, 2] {
        let (count, number) = (COUNT.to_string(), threads.to_string());
        let began = std::time::Instant::now();
        let arguments =
            words("bench --method five-stage --seed 8 --effort 1 --profile compact --json");
        let numbers = ["--count", &count, "--threads", &number];
        let output = run(&tables_dir(), &[&arguments[..], &numbers].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["all_nodes"], quantiles);
        assert_eq!(report["threads"], threads);
        let lengths = report["obtm"]["histogram"].as_object().unwrap().values();
        assert_eq!(lengths.filter_map(Value::as_u64).sum::<u64>(), COUNT as u64);
        let millis = ["p50", "p99", "max"].map(|part| report["cpu_ms"][part].as_f64().unwrap());
        assert!(millis.is_sorted(), "{millis:?}");
        // The states are solved within the time of the process.
        let seconds = COUNT as f64 / report["per_second"].as_f64().unwrap();
        assert!(seconds < began.elapsed().as_secs_f64() + 0.1, "{seconds}");
    }
}

#[test]
fn without_a_method_tables_are_those_of_a_service() {
    let damaged = "reduction-pairings";
    let tables = tables_without(&[damaged]);
    let file = format!("{damaged}-obtm.table");
    // A method is not left out if it lacks only a file.
    assert_rejected_by(&["tables", "info"], tables.path(), &[&file, "is missing"]);
    fs::write(tables.path().join(&file), "").unwrap();
    assert_rejected_by(&["tables", "info"], tables.path(), &[&file]);
    assert_rejected_by(&["tables", "verify"], tables.path(), &[&file, "BAD "]);
    let built = run(tables.path(), &["tables", "build", "--force"]);
    let message = text(&built.stderr);
    assert!(built.status.success(), "{message}");
    let named = message.contains(&format!("built table {damaged}"));
    assert!(named && message.lines().count() == 1, "{message}");
    let assert_count = |command, count| {
        let output = run(tables.path(), &["tables", command, "--json"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let listed = report["tables"].as_array().unwrap().len();
        assert_eq!(listed, count, "{command}: {report}");
    };
    assert_count("info", 13);
    // A method without files is left out.
    for name in names(tables.path()) {
        if name.starts_with("five-stage-") {
            fs::remove_file(tables.path().join(name)).unwrap();
        }
    }
    assert_count("info", 5);
    assert_count("verify", 5);
}

/// Asserts that no command accepts the tables, and that each error contains all `words`.
fn assert_rejected(tables: &Path, words: &[&str]) {
    for arguments in [
        &["--listen", "127.0.0.1:0"][..],
        &["scramble", "--method", "five-stage"],
        &["tables", "verify"],
    ] {
        assert_rejected_by(arguments, tables, words);
    }
}

fn assert_rejected_by(arguments: &[&str], tables: &Path, words: &[&str]) {
    let output = run(tables, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    let printed = text(&output.stderr) + &text(&output.stdout);
    for word in words {
        assert!(
            printed.contains(word),
            "{arguments:?}: {word:?} not in {printed}"
        );
    }
}

#[test]
fn tables_verify_finds_wrong_entries() {
    let [missing, forged] = ["five-stage-lr-centers-first", "five-stage-solved-first"];
    let tables = tables_without(&[missing]);
    let of_tables = |command: &[&str]| {
        let method = ["--method", "five-stage"];
        run(tables.path(), &[&["tables"], command, &method].concat())
    };
    let path = |table: &str| tables.path().join(format!("{table}-obtm.table"));
    let text_of = |path: &Path| path.to_str().unwrap().to_owned();
    let assert_bad = |output: &Output, count: usize| {
        let message = format!("scramble444: error: {count} of 8 tables are missing or bad\n");
        assert_eq!(text(&output.stderr), message);
        assert_eq!(output.status.code(), Some(1));
    };
    let build = |flags: &[&str]| {
        let output = of_tables(&[&["build"], flags].concat());
        let message = text(&output.stderr);
        assert!(output.status.success(), "{message}");
        assert_eq!(message.matches("built table").count(), 1, "{message}");
    };
    // A table that opens, with a correct checksum.
    forge_entry(&path(forged));
    let output = of_tables(&["verify"]);
    assert_bad(&output, 2);
    let lines = text(&output.stdout);
    let (bad, good): (Vec<_>, Vec<_>) = lines.lines().partition(|it| it.starts_with("BAD  "));
    assert_eq!((good.len(), bad.len()), (6, 2), "{lines}");
    for line in good {
        let path = Path::new(line.strip_prefix("ok   ").unwrap());
        assert!(path.starts_with(tables.path()) && path.exists(), "{line}");
    }
    for (line, table, advice) in [
        (
            bad[0],
            missing,
            "is missing; build it with `scramble444 tables build ",
        ),
        (bad[1], forged, "`scramble444 tables build --force "),
    ] {
        let path = text_of(&path(table));
        assert!(line.contains(&path) && line.contains(advice), "{line}");
    }
    // Without --force, only missing tables are built.
    build(&[]);
    let output = of_tables(&["verify", "--json"]);
    assert_bad(&output, 1);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let head = (&report["ok"], &report["profile"]);
    assert_eq!(head, (&json!(false), &json!("compact")));
    let found = report["tables"].as_array().unwrap();
    assert_eq!(found.len(), 8);
    for table in found {
        let is_good = table["file"] != text_of(&path(forged));
        assert_eq!(
            (&table["ok"], table["error"].is_null()),
            (&json!(is_good), is_good)
        );
    }
    fs::remove_file(path(missing)).unwrap();
    fs::write(path(missing), "").unwrap();
    let output = of_tables(&["build", "--force"]);
    let message = text(&output.stderr);
    assert_eq!(message.matches("built table").count(), 2, "{message}");
    let output = of_tables(&["verify", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &report["ok"]),
        (Some(0), &json!(true))
    );
}

#[test]
fn tables_build_keeps_files_of_others() {
    let tables = tempfile::tempdir().unwrap();
    let build = |flag: &str| {
        let arguments = ["tables", "build", "--method", "reduction", flag];
        let output = run(tables.path(), &arguments);
        (output.status.code(), text(&output.stderr))
    };
    let unfinished = tables.path().join("users.table.partial");
    fs::write(&unfinished, "id,name").unwrap();
    let table = tables.path().join(FIRST);
    // All are checked before one is removed.
    let foreign = tables.path().join("reduction-near-goal-obtm.table");
    fs::write(&table, "").unwrap();
    fs::write(&foreign, "notes").unwrap();
    assert_eq!(build("--force").0, Some(1));
    assert!(table.exists());
    fs::remove_file(&foreign).unwrap();
    fs::write(&table, "notes").unwrap();
    let (code, message) = build("--force");
    assert_eq!(code, Some(1), "{message}");
    let advice = "it is not a table file; move it away, then build the table ";
    assert!(message.contains(advice), "{message}");
    assert_eq!(fs::read(&table).unwrap(), b"notes");
    fs::remove_file(&table).unwrap();
    fs::create_dir(&table).unwrap();
    for (flag, advice) in [
        (
            "--force",
            "it is not a regular file; move it away, then build the table ",
        ),
        ("--all", "; stop the programs that use it, "),
    ] {
        let (code, message) = build(flag);
        assert_eq!(code, Some(1), "{message}");
        assert!(message.contains(advice), "{message}");
        assert!(table.is_dir() && fs::read(&unfinished).unwrap() == b"id,name");
    }
}

#[test]
fn tables_info_describes_the_files() {
    ensure_tables();
    let of_tables = |command: &[&str]| {
        let flags = ["--method", "five-stage"];
        let output = run(&tables_dir(), &[&["tables"], command, &flags].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let built: Value = of_tables(&["build", "--json"]).parse().unwrap();
    let info: Value = of_tables(&["info", "--json"]).parse().unwrap();
    assert_eq!(built["tables"], info["tables"]);
    assert_eq!(
        (&info["profile"], &info["metric"]),
        (&json!("compact"), &json!("obtm"))
    );
    let printed = of_tables(&["info"]);
    let mut sum = 0;
    for table in info["tables"].as_array().unwrap() {
        let (file, bytes) = (
            table["file"].as_str().unwrap(),
            table["bytes"].as_u64().unwrap(),
        );
        assert_eq!(bytes, fs::metadata(file).unwrap().len());
        sum += bytes;
        let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        let label = table["label"].as_str().unwrap();
        let heading = format!(
            "{label} (obtm): {} entries, {}, ",
            table["entries"],
            megabytes(bytes)
        );
        assert!(printed.contains(&heading), "{heading} is not in {printed}");
        assert!(
            printed.contains(&format!(" s\n{file}\n\ndistance ")),
            "{printed}"
        );
    }
    assert_eq!(info["bytes"], sum);
    assert!(
        printed.starts_with("profile compact, 99.8 MB in all\n\n"),
        "{printed}"
    );
}

/// Runs the command that an error message suggests between its last backticks.
fn run_suggested(message: &str) -> Output {
    let command = message.rsplit('`').nth(1).expect("a command is suggested");
    let mut words = command.split(' ');
    assert_eq!(words.next(), Some("scramble444"), "{message}");
    program().args(words).output().unwrap()
}

#[test]
fn bad_table_files_are_rejected_and_the_suggested_command_rebuilds_them() {
    let table = "five-stage-solved-first";
    let tables = tables_without(&[table]);
    let name = format!("{table}-obtm.table");
    let path = tables.path().join(&name);
    let good = fs::read(tables_dir().join(&name)).unwrap();

    let mut header = good.clone();
    header[40] ^= 1;
    fs::write(&path, &header).unwrap();
    let advice = "tables build --force";
    assert_rejected(tables.path(), &[&name, "header is damaged", advice]);

    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    fs::write(&path, &flipped).unwrap();
    let directory = format!("--tables-dir {}", tables.path().display());
    let advice = ["tables build --force", &directory, "--profile compact"];
    assert_rejected(tables.path(), &[&[&name, "checksum"], &advice[..]].concat());

    // The suggested command rebuilds only the damaged table.
    let error = text(&run(tables.path(), &["scramble", "--method", "five-stage"]).stderr);
    let built = run_suggested(&error);
    let message = text(&built.stderr);
    assert!(built.status.success(), "{message}");
    assert_eq!(message.matches("built table").count(), 1, "{message}");
    assert!(
        message.contains(&format!("built table {table}")),
        "{message}"
    );
    assert!(run(tables.path(), &["tables", "verify"]).status.success());
    assert_eq!(fs::read(&path).unwrap().len(), good.len());
}

#[test]
fn the_suggested_command_names_the_requested_tables() {
    let tables = tempfile::tempdir().unwrap();
    let directory = format!("--tables-dir '{}/my tables'", tables.path().display());
    let arguments = ["tables", "info", "--profile", "full"];
    let output = run(&tables.path().join("my tables"), &arguments);
    let message = text(&output.stderr);
    assert!(
        message.contains(&format!(
            "build it with `scramble444 tables build {directory} --method five-stage --profile full`"
        )),
        "{message}"
    );
}

#[test]
fn every_line_of_a_json_log_is_json() {
    let table = "five-stage-solved-second";
    let tables = tables_without(&[table]);
    let serve = ["--listen", "127.0.0.1:0", "--log-format", "json"];
    let logged = |arguments: &[&str]| -> Vec<Value> {
        let output = run(tables.path(), &[&serve[..], arguments].concat());
        assert_eq!(output.status.code(), Some(1));
        let log = text(&output.stderr);
        let lines = log.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().expect(&log)
    };
    let error = |line: &Value| {
        line["fields"]["error"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let lines = logged(&["--max-effort", "1"]);
    assert!(
        error(lines.last().unwrap()).contains("--effort"),
        "{lines:?}"
    );
    fs::write(tables.path().join(format!("{table}-obtm.table")), "x").unwrap();
    let lines = logged(&[]);
    assert!(error(lines.last().unwrap()).contains(table), "{lines:?}");
}

#[test]
fn tables_build_all_rebuilds_all_tables() {
    let tables = tables_without(&["five-stage-lr-centers-first"]);
    for (flags, built) in [(&[][..], 1), (&["--force"], 0), (&["--all"], 8)] {
        let build = ["tables", "build", "--method", "five-stage"];
        let output = run(tables.path(), &[&build[..], flags].concat());
        let message = text(&output.stderr);
        assert_eq!(message.matches("built table").count(), built, "{message}");
        assert_eq!(message.lines().count(), built, "{message}");
    }
}

#[test]
fn a_tables_directory_that_cannot_be_written_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a-file");
    fs::write(&file, "").unwrap();
    // Even root cannot make directories below a file, or in /proc.
    for (tables, name) in [(&*file, "a-file"), (Path::new("/proc/none"), "/proc/none")] {
        for arguments in [
            &["--listen", "127.0.0.1:0"][..],
            &["scramble", "--profile", "compact"],
            &["tables", "build"],
        ] {
            let output = run(tables, arguments);
            assert_eq!(output.status.code(), Some(1), "{arguments:?}");
            let message = text(&output.stderr);
            assert!(
                message.contains("cannot write tables") && message.contains(name),
                "{message}"
            );
            assert!(message.contains("--tables-dir"), "{message}");
        }
    }
}

#[test]
fn an_address_in_use_is_an_error() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = run(&tables_dir(), &["--listen", &address]);
    assert_eq!(output.status.code(), Some(1));
    let reason = format!("cannot listen on {address} (--listen)");
    assert!(text(&output.stderr).contains(&reason));
    // No address is served if one of them is taken.
    let output = run(
        &tables_dir(),
        &["--listen", &format!("127.0.0.1:0,{address}")],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(&reason));
    assert!(!text(&output.stderr).contains("listening"));
}

#[cfg(unix)]
#[test]
fn tables_that_cannot_be_read_are_not_removed() {
    let tables = tempfile::tempdir().unwrap();
    let path = tables.path().join(FIRST);
    // Reading a link to itself is an error even for root.
    std::os::unix::fs::symlink(FIRST, &path).unwrap();
    let arguments = ["tables", "build", "--force", "--method", "reduction"];
    let output = run(tables.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("it cannot be read"));
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
}
