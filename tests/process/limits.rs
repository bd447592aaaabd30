//! The program on a machine that lets it start few threads, or open few files.

use std::io::Write;
use std::process::Command;

use crate::common::program::{program, run_command, words};

const COMMANDS: [&str; 5] = [
    "scramble --method reduction --profile pocket",
    "verify R",
    "tables build --method reduction --tables-dir nowhere",
    "bench --method reduction --profile pocket",
    "serve --method reduction --profile pocket --listen 127.0.0.1:0 --workers 1",
];

/// The command with a limit, by a user without other processes, since root has no limit of these.
fn limited(limit: &str, arguments: &str) -> Command {
    let user = 2_000_000_000 + std::process::id();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &user.to_string(), "--clear-groups"]);
    command.args(["prlimit", limit]);
    command.arg(program().get_program()).args(words(arguments));
    command.current_dir("/").env_remove("RUST_BACKTRACE");
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    command
}

#[test]
fn every_command_names_the_limit_that_it_meets() {
    let possible = limited("--nofile=64", "verify R").output();
    if !possible.is_ok_and(|output| output.status.success()) {
        // Unlike `eprintln`, not captured.
        let why = "limits: left out for want of setpriv, prlimit or the right to be another user";
        writeln!(std::io::stderr(), "{why}").unwrap();
        return;
    }
    // With at most three more files than the process has, no command works. Below, the loader may fail.
    let files = (5..=9).map(|files| (format!("--nofile={files}"), "ulimit -n"));
    let threads = (1..=2).map(|threads| (format!("--nproc={threads}"), "ulimit -u"));
    for (limit, remedy) in files.chain(threads) {
        for arguments in COMMANDS {
            let output = run_command(&mut limited(&limit, arguments), b"");
            let error = String::from_utf8(output.stderr).unwrap();
            let case = format!("{limit} {arguments}: {error}");
            assert_eq!(output.status.code(), Some(1), "{case}");
            assert_eq!(error.lines().count(), 1, "{case}");
            assert!(error.contains(remedy), "{case}");
        }
    }
    // The service needs more.
    let cores = std::thread::available_parallelism().unwrap().get();
    let enough_for_others = format!("--nproc={}", cores + 2);
    let bench = run_command(&mut limited(&enough_for_others, COMMANDS[3]), b"");
    let error = String::from_utf8(bench.stderr).unwrap();
    assert_eq!(
        (bench.status.code(), error.lines().count()),
        (Some(1), 1),
        "{error}"
    );
    for (limit, remedy) in [
        ("--nproc=3", "ulimit -u"),
        ("--nproc=6", "ulimit -u"),
        ("--nofile=12", "ulimit -n"),
    ] {
        let output = run_command(&mut limited(limit, COMMANDS[4]), b"");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{limit}: {error}");
        assert!(
            error.lines().count() == 1 && error.contains(remedy),
            "{limit}: {error}"
        );
    }
}
