//! The figures in documents, compared with `docs/curve.json`.

use serde_json::Value;

const CURVE: &str = include_str!("../../../../docs/curve.json");
const PERFORMANCE: &str = include_str!("../../../../docs/performance.md");
const OPERATIONS: &str = include_str!("../../../../docs/operations.md");

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

#[test]
fn documents_have_the_measured_figures() {
    let points: Vec<Value> = serde_json::from_str(CURVE).unwrap();
    let point = |method: &str, profile: &str, effort: usize| {
        let matches = |point: &&Value| {
            point["method"] == method && point["profile"] == profile && point["effort"] == effort
        };
        let found = points.iter().find(matches).unwrap();
        let number = |key: &str| found[key].as_f64().unwrap();
        (number("obtm"), number("cpu_ms_p50"))
    };
    let mut levels = 0;
    for (row, effort) in rows(PERFORMANCE).zip(1..) {
        assert!(row[0].starts_with(&effort.to_string()), "{row:?}");
        let series = [
            ("five-stage", "full"),
            ("five-stage", "compact"),
            ("reduction", "full"),
            ("reduction", "compact"),
        ];
        for (cell, (method, profile)) in row[1..].iter().zip(series) {
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
        for (cell, method) in row[1..].iter().zip(["five-stage", "reduction"]) {
            let (_, millis) = point(method, "compact", effort);
            let (rate, time) = cell.split_once(" per second, seven in ").unwrap();
            assert!(is_rounded(rate, 1000.0 / millis), "{row:?}");
            assert!(is_rounded(time, 7.0 * millis / 1000.0), "{row:?}");
            levels += 1;
        }
    }
    assert_eq!(levels, 8);
}
