//! What commands print, in the sessions of `tests/cmd`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use snapbox::{Assert, Data};
use tempfile::TempDir;

use crate::common::program::{run_command, tables_without, text};
use test_support::forged::forge_entry;
use test_support::tables::{ensure_tables, tables_dir};

/// Runs the commands of a document in one shell, and compares what each prints with the document, to which
/// `SNAPSHOTS=overwrite` writes it. A status other than 0 follows in brackets. `[..]` stands for anything.
#[track_caller]
fn assert_session(name: &str, directory: &TempDir) {
    /// Separates what commands print from their statuses.
    const SEPARATOR: char = '\u{1e}';

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(format!("tests/cmd/{name}.trycmd"));
    let document = fs::read_to_string(&path).unwrap();
    let status = "printf '\\036%s\\036' $?\n";
    let mut script = "exec 2>&1\n".to_owned();
    for line in document.lines() {
        match (line.strip_prefix("$ "), line.strip_prefix("> ")) {
            (Some(first), _) => script += &format!("{status}{first}\n"),
            (_, Some(next)) => script += &format!("{next}\n"),
            _ => {}
        }
    }
    let programs = Path::new(env!("CARGO_BIN_EXE_scramble444"))
        .parent()
        .unwrap();
    let mut shell = Command::new("sh");
    shell
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    shell
        .env("DATA", root.join("tests/data/input/wcif"))
        .current_dir(directory);
    shell
        .args(["-c", &(script + status)])
        .stdout(Stdio::piped());
    let printed = text(&run_command(&mut shell, b"").stdout);

    let mut parts = printed.split(SEPARATOR).skip(2);
    let mut lines = document.lines().peekable();
    let mut actual = String::new();
    while let Some(line) = lines.next() {
        actual += &format!("{line}\n");
        if !line.starts_with("$ ") {
            continue;
        }
        while let Some(next) = lines.next_if(|line| line.starts_with("> ")) {
            actual += &format!("{next}\n");
        }
        while lines
            .next_if(|line| !line.starts_with("$ ") && *line != "```")
            .is_some()
        {}
        let printed = parts.next().unwrap_or_default();
        // Every error of arguments ends with these.
        let ends = ["\n\nUsage: ", "\n\nFor more information"].map(|end| printed.find(end));
        let end = ends.into_iter().flatten().min().unwrap_or(printed.len());
        actual += printed[..end].trim_end_matches('\n');
        if end > 0 {
            actual += "\n";
        }
        match parts.next() {
            Some("0") => {}
            status => actual += &format!("[{}]\n", status.unwrap_or("no status")),
        }
    }
    let assert = Assert::new().action_env("SNAPSHOTS").normalize_paths(false);
    assert.eq(actual, Data::read_from(&path, None));
}

/// Runs a document in a directory with all tables.
#[track_caller]
fn assert_session_with_tables(name: &str) {
    ensure_tables();
    let directory = tempfile::tempdir().unwrap();
    symlink(tables_dir(), directory.path().join("tables")).unwrap();
    assert_session(name, &directory);
}

#[test]
fn arguments() {
    assert_session("arguments", &tempfile::tempdir().unwrap());
}

#[test]
fn audits() {
    assert_session_with_tables("audits");
}

#[test]
fn checks() {
    assert_session("checks", &tempfile::tempdir().unwrap());
}

#[test]
fn competitions() {
    assert_session_with_tables("competitions");
}

#[test]
fn failures() {
    assert_session_with_tables("failures");
}

#[test]
fn input() {
    assert_session_with_tables("input");
}

#[test]
fn organiser() {
    assert_session_with_tables("organiser");
}

#[test]
fn output() {
    assert_session_with_tables("output");
}

#[test]
fn positions() {
    assert_session_with_tables("positions");
}

#[test]
fn scrambles() {
    assert_session_with_tables("scrambles");
}

#[test]
fn tables() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |name: &str| directory.path().join(name);
    let [good, forged] = ["five-stage-lr-centers-first", "five-stage-solved-first"];
    fs::rename(tables_without(&[good]).keep(), path("tables")).unwrap();
    fs::create_dir(path("few")).unwrap();
    for name in [good, forged] {
        let file = format!("{name}-obtm.table");
        fs::copy(tables_dir().join(&file), path("few").join(file)).unwrap();
    }
    forge_entry(&path("few").join(format!("{forged}-obtm.table")));
    assert_session("tables", &directory);
}
