//! The `sheets` command.

use std::process::Stdio;

use scramble444::competition::{Document, Paper, Sheets};
use serde_json::Value;

use crate::common::program::program;
use crate::common::turns::{competition, interchange};

fn html(document: &Value, paper: Paper) -> String {
    let document = Document::from_json(document.to_string()).unwrap();
    Sheets::from_document(&document)
        .unwrap()
        .into_pages(paper)
        .collect()
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
        html(&document, Paper::A4)
    );
    let input = std::fs::File::open(&file).unwrap();
    let output = run(&["--paper", "letter"], input.into());
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        html(&document, Paper::Letter)
    );
    let rejected = run(&["--paper", "a5", name], Stdio::null());
    let message = String::from_utf8(rejected.stderr).unwrap();
    assert!(
        message.contains("[possible values: a4, letter]"),
        "{message}"
    );
}
