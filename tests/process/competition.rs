//! The `wcif` command, which fills competition files.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::common::program::run_with_input;
use crate::common::tables::{ensure_tables, tables_dir};
use crate::common::wcif::{INTERCHANGE, REQUEST, assert_distinct, outline, scrambles};

#[test]
fn the_command_fills_a_competition() {
    ensure_tables();
    let run = |arguments: &[&str], given: &str| {
        let options = ["wcif", "--profile", "compact", "--effort", "1"];
        run_with_input(
            &tables_dir(),
            &[&options, arguments].concat(),
            given.as_bytes(),
        )
    };
    let output = run(&[], REQUEST);
    assert!(output.status.success() && output.stderr.is_empty());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = serde_json::from_str(INTERCHANGE).unwrap();
    assert_eq!(outline(document.clone()), outline(expected));
    assert_distinct(&scrambles(&document["wcif"]));

    let filled = document.to_string();
    let rejected = run(&[], &filled);
    assert_eq!(rejected.status.code(), Some(1));
    assert!(rejected.stdout.is_empty());
    let message = String::from_utf8(rejected.stderr).unwrap();
    assert!(
        message.contains("rounds[0].scrambleSets is not empty"),
        "{message}"
    );
    assert!(message.contains("(--replace)"), "{message}");
    let replaced = run(&["--replace", "--only"], &filled);
    let again: Value = serde_json::from_slice(&replaced.stdout).unwrap();
    assert_ne!(scrambles(&again["wcif"]), scrambles(&document["wcif"]));
}

#[test]
fn blindfolded_scrambles_of_a_competition_end_in_all_orientations() {
    ensure_tables();
    let mut given: Value = serde_json::from_str(REQUEST).unwrap();
    let event = &mut given["wcif"]["events"][1];
    assert_eq!(event["id"], "444bf");
    event["rounds"][0]["scrambleSetCount"] = json!(26);
    let arguments = ["wcif", "--profile", "compact", "--effort", "1"];
    let output = run_with_input(&tables_dir(), &arguments, given.to_string().as_bytes());
    assert!(output.status.success());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sets = &document["wcif"]["events"][1]["rounds"][0]["scrambleSets"];
    for kind in ["scrambles", "extraScrambles"] {
        let sets = sets.as_array().unwrap().iter();
        let scrambles: Vec<&str> = sets
            .flat_map(|set| set[kind].as_array().unwrap())
            .map(|scramble| scramble.as_str().unwrap())
            .collect();
        let rotations: Vec<String> = scrambles
            .iter()
            .map(|scramble| {
                let words = scramble.split(' ');
                let rotations = words.filter(|word| "xyz".contains(&word[..1]));
                rotations.collect::<Vec<&str>>().join(" ")
            })
            .collect();
        // Each of the 24 orientations is expected at least twice.
        let distinct: HashSet<&String> = rotations.iter().collect();
        assert!(
            rotations.len() >= 52 && distinct.len() > 12,
            "{kind}: {distinct:?}"
        );
        let none = rotations.iter().filter(|rotations| rotations.is_empty());
        assert!(none.count() < rotations.len() / 4, "{kind}");
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
        let note = "scramble444: note: 444 round 4 has the format h, which has no fixed number of attempts; its sets have 5 \
                    scrambles\n";
        assert_eq!(message, note, "{arguments:?}");
        output.stdout
    };
    let filled = run(
        &["wcif", "--profile", "compact", "--effort", "1"],
        REQUEST_2.as_bytes(),
    );
    run(&["check", "-"], &filled);
    run(&["sheets"], &filled);
}
