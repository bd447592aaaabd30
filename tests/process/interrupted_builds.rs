//! Builds that are killed or interrupted, and concurrent builds.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command};

use cube444::Method;
use cube444::cube::Metric;
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};

#[cfg(unix)]
use crate::common::program::{exit_status, restore_default_signals};
use crate::common::program::{program, tables_without, words};
use test_support::tables::solver_of;
use test_support::wait::wait_until;

fn with_tables(tables: &Path, arguments: &[&str]) -> Command {
    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables);
    command.args(arguments);
    command
}

fn build(method: &str, tables: &Path) -> Child {
    let arguments = ["tables", "build", "--profile", "compact", "--method"];
    with_tables(tables, &[&arguments[..], &[method]].concat())
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
    let arguments = words("tables verify --profile compact --method");
    let arguments = [&arguments[..], &[method]].concat();
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

/// Two tables of five-stage. The first takes less time to build than the second.
const TWO: [&str; 2] = [
    "five-stage-fb-centers-first",
    "five-stage-half-turn-group-exact",
];

/// Kills builds of two missing tables: the first build at its start, the second when it has made one of them.
/// Asserts that the next build makes the other, and that all `count` tables are valid.
fn assert_killed_builds_are_resumed(method: &str, missing: [&str; 2], count: usize) {
    let tables = tables_without(&missing);
    let found = files(tables.path(), ".table");
    for made in [0, 1] {
        let mut child = build(method, tables.path());
        wait_until("the build has made enough tables", || {
            files(tables.path(), ".lock") == 1 && files(tables.path(), ".table") >= found + made
        });
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "the build was complete");
    }
    let output = build(method, tables.path()).wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert_eq!(message.matches("built table").count(), 1, "{message}");
    assert_all_verified(method, count, tables.path());
}

#[test]
fn killed_builds_are_resumed() {
    assert_killed_builds_are_resumed("five-stage", TWO, 8);
    // Builds missing tables.
    drop(solver_of(Method::REDUCTION, Metric::Obtm));
    let missing = ["reduction-axis-centers-exact", "reduction-phase-two-exact"];
    assert_killed_builds_are_resumed("reduction", missing, 5);
}

#[cfg(unix)]
#[test]
fn signals_stop_builds_immediately() {
    restore_default_signals();
    for signal in [Signal::TERM, Signal::INT] {
        let build_code = if signal == Signal::TERM { 143 } else { 130 };
        let arguments = [&["--listen", "127.0.0.1:0"][..], &["tables", "build"]];
        for (arguments, code) in arguments.into_iter().zip([0, build_code]) {
            let tables = tables_without(&TWO);
            let found = files(tables.path(), ".table");
            let mut child = with_tables(tables.path(), arguments).spawn().unwrap();
            wait_until("a table has been built", || {
                files(tables.path(), ".table") > found
            });
            kill_process(Pid::from_child(&child), signal).unwrap();
            assert_eq!(exit_status(&mut child, signal).code(), Some(code));
            assert_eq!(files(tables.path(), ".table"), found + 1);
        }
    }
}

#[cfg(unix)]
#[test]
fn the_program_handles_signals_during_builds() {
    restore_default_signals();
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
        assert_eq!(exit_status(&mut child, signal).code(), Some(expected));
    }
}

#[test]
fn concurrent_builds_build_each_table_once() {
    let tables = tables_without(&TWO);
    // Both builds wait until the test releases the lock.
    let lock = std::fs::File::create(tables.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    let waiting = [(), ()].map(|()| {
        let mut child = build("five-stage", tables.path());
        let mut messages = BufReader::new(child.stderr.take().unwrap());
        let mut first = String::new();
        messages.read_line(&mut first).unwrap();
        assert!(first.contains("waiting for it"), "{first}");
        (child, messages)
    });
    drop(lock);
    let mut built = waiting.map(|(child, mut messages)| {
        let mut rest = String::new();
        messages.read_to_string(&mut rest).unwrap();
        assert!(child.wait_with_output().unwrap().status.success(), "{rest}");
        rest.matches("built table").count()
    });
    built.sort_unstable();
    assert_eq!(built, [0, 2]);
    assert_all_verified("five-stage", 8, tables.path());
}
