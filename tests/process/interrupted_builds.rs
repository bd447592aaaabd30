//! Builds that are killed or interrupted, and concurrent builds.

use std::path::Path;
use std::process::{Child, Command, Stdio};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};

use crate::common::program::program;
use crate::common::tables::alone;
use crate::common::wait::wait_until;

fn with_tables(tables: &Path, arguments: &[&str]) -> Command {
    let mut command = program();
    command
        .env("SCRAMBLE444_TABLES_DIR", tables)
        .args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn build(tables: &Path) -> Child {
    build_of("five-stage", tables)
}

fn build_of(method: &str, tables: &Path) -> Child {
    with_tables(
        tables,
        &[
            "tables",
            "build",
            "--profile",
            "compact",
            "--method",
            method,
        ],
    )
    .spawn()
    .unwrap()
}

/// The number of files whose names end with `ending`.
fn files(tables: &Path, ending: &str) -> usize {
    let entries = std::fs::read_dir(tables).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names
        .filter(|name| name.to_str().unwrap().ends_with(ending))
        .count()
}

fn assert_all_verified(method: &str, count: usize, tables: &Path) {
    let arguments = [
        "tables",
        "verify",
        "--profile",
        "compact",
        "--method",
        method,
    ];
    let output = with_tables(tables, &arguments).output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{report}");
    assert_eq!(
        report.lines().filter(|line| line.starts_with("ok")).count(),
        count,
        "{report}"
    );
    assert_eq!(files(tables, ".partial"), 0);
}

/// Kills a build of a method when each number in `complete` of tables is complete. Asserts that the next
/// build makes the missing tables, `count` in total, and that all are valid.
fn assert_killed_builds_are_resumed(method: &str, complete: &[usize], count: usize) {
    let tables = tempfile::tempdir().unwrap();
    for &complete in complete {
        let mut child = build_of(method, tables.path());
        wait_until("the build has made enough tables", || {
            files(tables.path(), ".lock") == 1 && files(tables.path(), ".table") >= complete
        });
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "the build was complete");
    }
    let output = build_of(method, tables.path()).wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert_all_verified(method, count, tables.path());
}

#[test]
fn killed_builds_are_resumed() {
    let _alone = alone();
    assert_killed_builds_are_resumed("five-stage", &[0, 2, 5], 8);
    assert_killed_builds_are_resumed("reduction", &[1], 5);
}

/// Waits until a table file exists, complete or not, and sends the signal.
#[cfg(unix)]
fn interrupt(child: &Child, signal: Signal, tables: &Path) {
    wait_until("a table file exists", || {
        files(tables, ".partial") + files(tables, ".table") > 0
    });
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[cfg(unix)]
#[test]
fn signals_stop_builds_immediately() {
    let _alone = alone();
    for signal in [Signal::TERM, Signal::INT] {
        let tables = tempfile::tempdir().unwrap();
        let service = ["--listen", "127.0.0.1:0"];
        let mut serving = with_tables(tables.path(), &service).spawn().unwrap();
        interrupt(&serving, signal, tables.path());
        assert_eq!(serving.wait().unwrap().code(), Some(0));

        let tables = tempfile::tempdir().unwrap();
        let mut building = build(tables.path());
        interrupt(&building, signal, tables.path());
        let code = building.wait().unwrap().code();
        assert_eq!(code, Some(if signal == Signal::TERM { 143 } else { 130 }));
    }
}

#[cfg(unix)]
#[test]
fn the_program_handles_signals_during_builds() {
    let _alone = alone();
    // The default action would give no exit code, and would not stop the first process of a container.
    for (signal, expected) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let tables = tempfile::tempdir().unwrap();
        let mut child = with_tables(tables.path(), &["tables", "build", "--profile", "full"])
            .spawn()
            .unwrap();
        wait_until("the build has started", || {
            files(tables.path(), ".lock") == 1
        });
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(expected));
    }
}

#[test]
fn concurrent_builds_build_each_table_once() {
    let _alone = alone();
    let tables = tempfile::tempdir().unwrap();
    let outputs = [build(tables.path()), build(tables.path())].map(|child| {
        let output = child.wait_with_output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{messages}");
        messages
    });
    let built = |messages: &String| messages.matches("built table").count();
    assert_eq!(outputs.iter().map(built).sum::<usize>(), 8, "{outputs:?}");
    assert_eq!(outputs.iter().map(built).max(), Some(8), "{outputs:?}");
    assert_eq!(
        outputs
            .iter()
            .filter(|messages| messages.contains("waiting for it"))
            .count(),
        1
    );
    assert_all_verified("five-stage", 8, tables.path());
}
