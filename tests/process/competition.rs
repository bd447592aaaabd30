//! The `wcif` command, which fills competition files.

use serde_json::{Value, json};

use crate::common::program::run_with_input;
use test_support::tables::{ensure_tables, tables_dir};
use test_support::wcif::{INTERCHANGE, REQUEST, assert_distinct, outline, scrambles};

const WCIF: [&str; 5] = ["wcif", "--profile", "compact", "--effort", "1"];

#[test]
fn the_command_fills_a_competition() {
    ensure_tables();
    let run = |arguments: &[&str], given: &str| {
        let arguments = [&WCIF, arguments].concat();
        run_with_input(&tables_dir(), &arguments, given.as_bytes())
    };
    let output = run(&[], REQUEST);
    assert!(output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    let note = "scramble444: note: new sets: 444 round 1 sets A to B; 444 round 2 set A; 444bf round 1 set A\n";
    assert_eq!(message, note);
    // The note is true: the sets are written before it.
    #[cfg(target_os = "linux")]
    {
        let output = run(&["--output", "/dev/full"], REQUEST);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        let expected = "cannot write /dev/full (--output): No space left";
        assert!(
            message.contains(expected) && !message.contains("new sets"),
            "{message}"
        );
    }
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = serde_json::from_str(INTERCHANGE).unwrap();
    assert_eq!(outline(document.clone()), outline(expected));
    assert_distinct(&scrambles(&document["wcif"]));

    // No tables are needed, so those that cannot be opened do not matter.
    let unchanged = run(&["--tables-dir", "/dev/null"], &document.to_string());
    assert!(unchanged.status.success());
    assert_eq!(unchanged.stdout, document.to_string().as_bytes());
    let message = String::from_utf8(unchanged.stderr).unwrap();
    let note = "scramble444: note: no scramble sets are missing, so none are made; --replace makes new ones\n";
    assert_eq!(message, note);
    let replaced = run(&["--replace", "--only"], &document.to_string());
    let again: Value = serde_json::from_slice(&replaced.stdout).unwrap();
    let [old, new] = [&document, &again].map(|document| scrambles(&document["wcif"]));
    assert_distinct(&[old.clone(), new].concat());
    let replaced = run(&["--replace", "444-r2,444bf"], &document.to_string());
    let message = String::from_utf8(replaced.stderr).unwrap();
    let note = "scramble444: note: new sets: 444 round 2 set A; 444bf round 1 set A\n";
    assert_eq!(message, note);
    let again: Value = serde_json::from_slice(&replaced.stdout).unwrap();
    let new = scrambles(&again["wcif"]);
    assert_eq!(old[..14], new[..14]);
    assert_distinct(&[&old[..], &new[14..]].concat());
}

#[test]
fn the_value_of_replace_may_be_left_out_before_a_file() {
    ensure_tables();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("comp.json");
    std::fs::write(&file, INTERCHANGE).unwrap();
    let file = file.to_str().unwrap();
    let first = ": new sets: 444 round 1 sets A to B\n";
    let all = ": new sets: 444 round 1 sets A to B; 444 round 2 set A; 444bf round 1 set A\n";
    for (arguments, code, message) in [
        (&["--replace", file][..], 0, all),
        (&["--replace", "444-r1", file], 0, first),
        (&["--replace=444-r1", file], 0, first),
        (&[file, "--replace"], 0, all),
        (&["--replace", "444-r3", file], 1, "has no rounds of 444-r3"),
        (
            &["--replace", "333", file],
            2,
            "name events or rounds, such",
        ),
        (
            &["--replace", "444-r9", file],
            2,
            "has at most 4 rounds, and",
        ),
    ] {
        let output = run_with_input(&tables_dir(), &[&WCIF, arguments].concat(), b"");
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {printed}");
        assert!(printed.contains(message), "{printed}");
    }
}

#[test]
fn a_round_that_asks_for_no_sets_and_a_set_without_scrambles_are_noted() {
    ensure_tables();
    let mut given: Value = serde_json::from_str(INTERCHANGE).unwrap();
    let round = &mut given["wcif"]["events"][0]["rounds"][1];
    round["scrambleSetCount"] = json!(0);
    given["wcif"]["events"][0]["rounds"][0]["scrambleSets"][1] = json!({});
    let output = run_with_input(&tables_dir(), &WCIF, given.to_string().as_bytes());
    assert_eq!(output.stdout, given.to_string().as_bytes());
    let notes = String::from_utf8(output.stderr).unwrap();
    let none =
        "scramble444: note: 444 round 2 has a scrambleSetCount of 0, so it gets no scramble sets\n";
    let empty = "444 round 1 set B has no scrambles; to get them, replace the sets of its round\n";
    assert!(notes.contains(none) && notes.contains(empty), "{notes}");
}

#[test]
fn zip_files_are_to_be_unpacked() {
    for arguments in [&["wcif"][..], &["sheets"], &["check", "-"]] {
        let output = run_with_input(&tables_dir(), arguments, b"PK\x03\x04\x14\0\0\0\x08\0\xff");
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.contains("is a zip file; unpack it first"),
            "{message}"
        );
    }
}

/// A competition with a round of Head-to-Head.
const REQUEST_2: &str = include_str!("../data/input/wcif/request-2.1.json");

#[test]
fn commands_print_a_note_about_formats_without_a_fixed_number_of_attempts() {
    ensure_tables();
    let run = |arguments: &[&str], given: &[u8]| {
        let output = run_with_input(&tables_dir(), arguments, given);
        assert!(output.status.success(), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        let notes = message.split_inclusive('\n');
        let message: String = notes.filter(|note| !note.contains("new sets")).collect();
        let note = "scramble444: note: 444 round 4 has the format h, which has no fixed number of attempts; its sets have 5 \
                    scrambles\n";
        assert_eq!(message, note, "{arguments:?}");
        output.stdout
    };
    let filled = run(&WCIF, REQUEST_2.as_bytes());
    run(&["check", "-"], &filled);
    run(&["sheets"], &filled);
}
