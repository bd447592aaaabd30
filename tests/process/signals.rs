//! Commands that are ended by signals, builds at the same time, and the number of threads.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command};
use std::thread::available_parallelism;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::program::{
    exit_status, names, program, restore_default_signals, run, tables_without, text, words,
};
use test_support::tables::{ensure_tables, tables_dir};
use test_support::wait::wait_until;

fn start(line: &str, tables: &Path) -> Child {
    let mut command = program();
    command
        .env("SCRAMBLE444_TABLES_DIR", tables)
        .args(words(line));
    command.spawn().unwrap()
}

/// Builds two tables, of which the first takes less time.
const BUILD: &str = "tables build --method five-stage";
const TABLES: [&str; 2] = ["five-stage-fb-centers-first", "five-stage-solved-second"];

/// The number of tables.
fn count(tables: &Path) -> usize {
    names(tables)
        .iter()
        .filter(|name| name.ends_with(".table"))
        .count()
}

fn assert_complete(tables: &Path) {
    let output = run(tables, &words("tables info --method five-stage"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!names(tables).iter().any(|name| name.ends_with(".partial")));
}

#[test]
fn killed_builds_are_resumed() {
    let tables = tables_without(&TABLES);
    let tables = tables.path();
    let found = count(tables);
    for made in [0, 1] {
        let mut child = start(BUILD, tables);
        wait_until("the build has made enough tables", || {
            tables.join(".lock").exists() && count(tables) >= found + made
        });
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "the build was complete");
    }
    let message = text(&run(tables, &words(BUILD)).stderr);
    assert_eq!(message.matches("built table").count(), 1, "{message}");
    assert_complete(tables);
}

/// The default action would give no exit code, and would not stop the first process of a container.
#[test]
fn signals_stop_builds_immediately() {
    restore_default_signals();
    for (line, signal, code) in [
        (BUILD, Signal::TERM, 143),
        (BUILD, Signal::INT, 130),
        ("--listen 127.0.0.1:0", Signal::TERM, 0),
        ("--listen 127.0.0.1:0", Signal::INT, 0),
    ] {
        let tables = tables_without(&TABLES);
        let found = count(tables.path());
        let mut child = start(line, tables.path());
        wait_until("a table has been built", || count(tables.path()) > found);
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(exit_status(&mut child, signal).code(), Some(code));
        assert_eq!(count(tables.path()), found + 1);
    }
}

#[test]
fn concurrent_builds_build_each_table_once() {
    let tables = tables_without(&TABLES);
    // Both builds wait until the test releases the lock.
    let lock = File::create(tables.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    let waiting = [(), ()].map(|()| {
        let mut child = start(BUILD, tables.path());
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
    assert_complete(tables.path());
}

/// The threads of a process are the main one, that for signals, those of the common pool, and those of `bench`.
#[cfg(target_os = "linux")]
#[test]
fn commands_use_the_number_of_threads() {
    ensure_tables();
    let locked = tempfile::tempdir().unwrap();
    let lock = File::create(locked.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    let cores = available_parallelism().unwrap().get();
    for (line, tables, others) in [
        (
            "tables build --threads 7 --profile compact",
            locked.path(),
            2,
        ),
        (
            "bench --threads 7 --count 1000 --effort 7",
            &*tables_dir(),
            2 + cores,
        ),
    ] {
        let mut child = start(line, tables);
        let tasks = format!("/proc/{}/task", child.id());
        wait_until("it has these threads", || {
            assert_eq!(child.try_wait().unwrap(), None, "{line}");
            fs::read_dir(&tasks).unwrap().count() == others + 7
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Starts a command that makes a file, with `setup` in a shell before it, and waits until the file has content.
fn start_writing(setup: &str, directory: &Path) -> Child {
    let options = "--tables-dir \"$1\" --profile compact --effort 1 --output file";
    let script = format!("{setup} exec \"$0\" scramble --count 1000000 {options}");
    let mut shell = Command::new("/bin/sh");
    shell.env_clear().current_dir(directory);
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_scramble444")]);
    let child = shell.arg(tables_dir()).spawn().unwrap();
    wait_until("a file has content", || length(directory) > 0);
    child
}

/// The length of the only file in a directory, which may not exist yet.
fn length(directory: &Path) -> u64 {
    let mut entries = fs::read_dir(directory).unwrap();
    let length = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().metadata().unwrap().len();
    entries.next().map_or(0, length)
}

#[test]
fn signals_remove_the_unfinished_file() {
    ensure_tables();
    restore_default_signals();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for signal in [
        Signal::HUP,
        Signal::INT,
        Signal::QUIT,
        Signal::TERM,
        Signal::USR1,
        Signal::USR2,
        Signal::ALARM,
        Signal::XCPU,
    ] {
        let mut child = start_writing("", directory);
        // The name shows which program made the file, in case a power failure leaves it behind.
        let [unfinished] = &names(directory)[..] else {
            panic!("{:?}", names(directory));
        };
        assert!(unfinished.starts_with(".scramble444-"), "{unfinished}");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let code = exit_status(&mut child, signal).code();
        assert_eq!(code, Some(128 + signal.as_raw()), "{signal:?}");
        assert_eq!(names(directory), [""; 0], "{signal:?}");
    }
}

/// As with `nohup`.
#[cfg(target_os = "linux")]
#[test]
fn ignored_signals_stay_ignored() {
    ensure_tables();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut child = start_writing("trap '' HUP INT;", directory);
    for signal in [Signal::HUP, Signal::INT] {
        kill_process(Pid::from_child(&child), signal).unwrap();
        let before = length(directory);
        wait_until("the file has grown", || {
            assert_eq!(child.try_wait().unwrap(), None, "{signal:?} ended it");
            length(directory) > before + 10_000
        });
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(exit_status(&mut child, Signal::TERM).code(), Some(143));
    assert_eq!(names(directory), [""; 0]);
}
