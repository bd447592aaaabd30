//! The figures in documents, compared with `docs/curve.json`.

use serde_json::Value;

const CURVE: &str = include_str!("../../../../docs/curve.json");
const PERFORMANCE: &str = include_str!("../../../../docs/performance.md");
const OPERATIONS: &str = include_str!("../../../../docs/operations.md");
const README: &str = include_str!("../../../../README.md");
const SOLVER: &str = include_str!("../../../../docs/solver.md");

const METHODS: [&str; 2] = ["five-stage", "reduction"];

/// The rows of the table that `benches/curve.py` writes into a document.
fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
    let (_, rest) = page.split_once("<!-- benches/curve.py -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- end -->").unwrap();
    let rows = table.lines().skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
}

/// Whether the first number in `cell` is `value`, rounded to two digits or more.
fn is_rounded(cell: &str, value: f64) -> bool {
    let number = cell.split(' ').next().unwrap().replace(',', "");
    let rounded: f64 = number.parse().unwrap();
    (rounded - value).abs() <= value * 0.05
}

/// Whether a document has a phrase, whatever its lines and links are.
fn says(document: &str, phrase: &str) -> bool {
    let words = document.split(|it: char| it.is_whitespace() || "[]".contains(it));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").contains(phrase)
}

/// The mean length and the median time in milliseconds of a level.
fn point(method: &str, profile: &str, effort: usize) -> (f64, f64) {
    let points: Vec<Value> = serde_json::from_str(CURVE).unwrap();
    let matches = |point: &&Value| {
        point["method"] == method && point["profile"] == profile && point["effort"] == effort
    };
    let found = points.iter().find(matches).unwrap();
    let number = |key: &str| found[key].as_f64().unwrap();
    (number("obtm"), number("cpu_ms_p50"))
}

#[test]
fn documents_have_the_measured_figures() {
    let mut levels = 0;
    for (row, effort) in rows(PERFORMANCE).zip(1..) {
        assert!(row[0].starts_with(&effort.to_string()), "{row:?}");
        for (at, cell) in row[1..].iter().enumerate() {
            let (method, profile) = (METHODS[at / 2], ["full", "compact"][at % 2]);
            let (moves, millis) = point(method, profile, effort);
            assert!(cell.starts_with(&format!("{moves:.2} moves, ")), "{cell}");
            assert!(is_rounded(&cell[13..], millis), "{cell}");
        }
        levels += 1;
    }
    assert_eq!(levels, 10);
    let mut levels = 0;
    for (row, effort) in rows(OPERATIONS).zip([1, 4, 7, 10]) {
        assert!(row[0].starts_with(&effort.to_string()), "{row:?}");
        for (cell, method) in row[1..].iter().zip(METHODS) {
            let (_, millis) = point(method, "compact", effort);
            let (rate, time) = cell.split_once(" per second, seven in ").unwrap();
            assert!(is_rounded(rate, 1000.0 / millis), "{row:?}");
            assert!(is_rounded(time, 7.0 * millis / 1000.0), "{row:?}");
            levels += 1;
        }
    }
    assert_eq!(levels, 8);
}

/// README's figures were measured beside TNoodle, in another run than those of the curve.
#[test]
fn the_comparison_of_the_read_me_agrees_with_the_curve() {
    let (_, table) = README
        .split_once("| solver | mean moves | median time |")
        .unwrap();
    let rows = table.lines().skip(2).take_while(|row| row.starts_with('|'));
    let figures = rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let millis = cells[2].strip_suffix(" ms").unwrap().parse().unwrap();
        (cells[0], cells[1].parse().unwrap(), millis)
    });
    let figures: Vec<(&str, f64, f64)> = figures.collect();
    let (_, ours) = figures.split_first().unwrap();
    for (solver, moves, millis) in ours {
        let (method, effort) = solver.split_once(", effort ").unwrap();
        let effort = effort.trim_end_matches(" (default)");
        let effort = effort.parse().unwrap();
        let (expected, time) = point(method.trim_matches('`'), "compact", effort);
        assert!((moves - expected).abs() < 0.3, "{solver}");
        assert!((millis / time - 1.0).abs() < 0.3, "{solver}");
    }
    let (tnoodle, reduction) = (figures[0], figures[1]);
    assert_eq!(
        [tnoodle.0, reduction.0],
        ["TNoodle", "`reduction`, effort 4 (default)"]
    );
    let phrase = "shorter scrambles than TNoodle in a twentieth of the time";
    assert!(says(README, phrase));
    assert!(reduction.1 < tnoodle.1 && (18.0..22.0).contains(&(tnoodle.2 / reduction.2)));
}

#[test]
fn reduction_gives_four_moves_fewer_in_the_same_time() {
    for effort in 2..=10 {
        let (moves, millis) = point("five-stage", "full", effort);
        let levels = (1..=10).map(|effort| point("reduction", "full", effort));
        let in_time = levels.take_while(|&(_, time)| time <= millis);
        let saved = moves - in_time.last().unwrap().0;
        assert!((3.5..5.0).contains(&saved), "{effort}: {saved}");
    }
    assert!(says(SOLVER, "four moves fewer"));
}
