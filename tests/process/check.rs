//! The `check` command.

use std::process::Output;

use cube444::scramble::Event;
use data_encoding::HEXLOWER;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common::program::{program, run as run_in, run_command, words};
use test_support::tables::{ensure_tables, tables_dir};
use test_support::turns::turns;

fn run(arguments: &[&str], input: &[u8]) -> Output {
    run_command(program().args(arguments), input)
}

#[test]
fn the_command_prints_findings_and_a_digest() {
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    let lines = (0..3).map(|_| turns(&mut rng, Event::Sighted));
    let mut lines: Vec<String> = lines.collect();
    let file = lines.join("\r\n");
    let digest = |file: &str| HEXLOWER.encode(&Sha256::digest(file));
    let output = run(&["check", "-"], file.as_bytes());
    assert!(output.status.success() && output.stderr.is_empty());
    let expected = format!("scrambles 3, findings 0, SHA-256 {}\n", digest(&file));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);

    lines[1] = "R R".to_owned();
    let file = lines.join("\n");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scrambles.txt");
    std::fs::write(&path, &file).unwrap();
    let path = path.to_str().unwrap();
    let output = run(&["check", path], b"");
    assert_eq!(output.status.code(), Some(1));
    let message = format!("scramble444: error: findings in {path}: 2\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), message);
    let report = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = report.lines().collect();
    assert!(
        lines[0].starts_with("line 2: turns 1 to 2 (R R)"),
        "{report}"
    );
    assert!(
        lines[1].starts_with("line 2: leads to a state less than two"),
        "{report}"
    );
    assert_eq!(
        lines[2..],
        [format!(
            "scrambles 3, findings 2, SHA-256 {}",
            digest(&file)
        )]
    );

    let output = run(&["check", path, "--json"], b"");
    assert_eq!(output.status.code(), Some(1));
    let report = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = report
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["place"], "line 2");
    assert_eq!(lines[0]["kind"], "mergeable");
    let description = lines[0]["text"].as_str().unwrap();
    assert!(description.starts_with("turns 1 to 2"), "{description}");
    assert_eq!(lines[1]["kind"], "too-near");
    assert_eq!(
        lines[2],
        json!({"scrambles": 3, "findings": 2, "sha256": digest(&file)})
    );

    // The rotation of a blindfolded scramble does not count as a turn.
    let blindfolded = br#"{"event":"444bf","scrambles":[{"scramble":"R x"}]}"#;
    let output = run(&["check", "-", "--json"], blindfolded);
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("\"kind\":\"too-near\""), "{report}");

    let output = run(&["check", "/nowhere/scrambles.txt"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("cannot read /nowhere")
    );
}

#[test]
fn a_root_seed_in_place_of_scrambles_is_not_printed() {
    // Nor is a seed of a later level.
    for level in ["6700", "6702"] {
        let seed = format!("{level}{}\n", "0123456789abcdef".repeat(4).split_off(4));
        let output = run(&["check", "-"], seed.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(message.contains("has a seed, not scrambles"), "{message}");
        assert!(!message.contains(level), "{message}");
    }
}

#[test]
fn generated_scrambles_have_no_findings() {
    ensure_tables();
    let scramble = words("scramble --count 20 --effort 1 --json --event");
    for event in ["444", "444bf"] {
        let scrambles = run_in(&tables_dir(), &[&scramble[..], &[event]].concat());
        assert!(scrambles.status.success());
        let output = run(&["check", "-"], &scrambles.stdout);
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(report.starts_with("scrambles 20, findings 0, "), "{report}");
    }
}
