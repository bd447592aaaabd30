//! The `sheets` command.

use std::process::Stdio;

use cube444_competition::{Layout, Paper};
use serde_json::json;

use crate::common::program::program;
use test_support::turns::{competition, interchange};
use test_support::wcif::html;

/// The options without values, and what they stand for.
fn options() -> [(&'static str, Layout); 3] {
    let none = Layout::default();
    [
        (
            "--letters",
            Layout {
                letters: true,
                ..none
            },
        ),
        (
            "--cover",
            Layout {
                cover: true,
                ..none
            },
        ),
        (
            "--set-numbers",
            Layout {
                set_numbers: true,
                ..none
            },
        ),
    ]
}

#[test]
fn the_command_prints_the_sheets_of_the_library() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("competition.json");
    let document = interchange(&competition(&[1], 0), 7);
    std::fs::write(&file, document.to_string()).unwrap();
    let run = |arguments: &[&str], stdin: Stdio| {
        let mut command = program();
        command.arg("sheets").args(arguments).stdin(stdin);
        command.output().unwrap()
    };
    let name = file.to_str().unwrap();
    let output = run(&[name], Stdio::null());
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        html(&document, Layout::default())
    );
    let input = std::fs::File::open(&file).unwrap();
    let output = run(&["--paper", "letter"], input.into());
    let letter = Layout {
        paper: Paper::Letter,
        ..Layout::default()
    };
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        html(&document, letter)
    );
    for (option, layout) in options() {
        let output = run(&[option, name], Stdio::null());
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, html(&document, layout), "{option}");
    }
    let rejected = run(&["--paper", "a5", name], Stdio::null());
    let message = String::from_utf8(rejected.stderr).unwrap();
    assert!(
        message.contains("[possible values: a4, letter]"),
        "{message}"
    );
}

#[test]
fn a_bad_number_of_copies_is_an_error_only_for_sheets() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("competition.json");
    let mut document = interchange(&competition(&[1], 0), 7);
    document["wcif"]["events"][0]["rounds"][0]["extensions"] = json!([
        {"id": "org.worldcubeassociation.tnoodle.SheetCopyCount", "data": {"numCopies": 0}}
    ]);
    std::fs::write(&file, document.to_string()).unwrap();
    let run = |command: &str| program().arg(command).arg(&file).output().unwrap();
    let sheets = run("sheets");
    assert_eq!(sheets.status.code(), Some(1));
    let path = "wcif.events[0].rounds[0].extensions[0].data.numCopies";
    let message = String::from_utf8(sheets.stderr).unwrap();
    assert!(
        message.contains(&format!("{path} must be from 1 to 100")),
        "{message}"
    );
    assert!(run("check").status.success());
}
