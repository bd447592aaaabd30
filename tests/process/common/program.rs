//! The program as a process.

use std::fmt::Debug;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use test_support::tables::{ensure_tables, tables_dir};
use test_support::wait::PATIENCE;

/// The program, without variables. Its default directory of tables is [`tables_dir`]. Its output goes to pipes.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scramble444"));
    command.env_clear();
    command.current_dir(tables_dir().parent().unwrap());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The arguments in a line, none of which has a space.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Runs the program and waits until it exits.
pub(crate) fn run(tables: &Path, arguments: &[&str]) -> Output {
    run_with_input(tables, arguments, b"")
}

/// As [`run`], with `input` on standard input, which must fit into a pipe.
pub(crate) fn run_with_input(tables: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables);
    run_command(command.args(arguments), input)
}

/// Runs a command with `input` on standard input and waits until it exits, for [`PATIENCE`] at most. Reads
/// the output that goes to pipes.
pub(crate) fn run_command(command: &mut Command, input: &[u8]) -> Output {
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    // A program that does not read its input may have exited already.
    let _ = process.stdin.take().unwrap().write_all(input);
    let stdout = read_in_background(process.stdout.take());
    let stderr = read_in_background(process.stderr.take());
    Output {
        status: exit_status(&mut process, command),
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

/// Waits until a process exits, for [`PATIENCE`] at most. `what` is for the message if it does not.
pub(crate) fn exit_status(process: &mut Child, what: impl Debug) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return status;
        }
        if began.elapsed() > PATIENCE {
            process.kill().unwrap();
            panic!("still running: {what:?}");
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Gives programs that are started from now on the default actions of SIGHUP, SIGINT and SIGQUIT, which this process
/// may have been started with ignored: by `nohup`, or in the background of a script.
#[cfg(unix)]
pub(crate) fn restore_default_signals() {
    use tokio::signal::unix::{SignalKind, signal};

    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_io().build().unwrap();
    let _entered = runtime.enter();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map(|mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    for kind in [
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::quit(),
    ] {
        // A signal with a handler gets its default action in other programs. The handler stays, so it is only for
        // signals that would not have ended this process.
        if ignored.unwrap_or_default() >> (kind.as_raw_value() - 1) & 1 == 1 {
            drop(signal(kind).unwrap());
        }
    }
}

fn read_in_background(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).unwrap();
        }
        bytes
    })
}

/// A directory with links to the shared tables, except those named. Files of other names may be written there.
pub(crate) fn tables_without(names: &[&str]) -> TempDir {
    ensure_tables();
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let is_wanted = |file: &str| {
        let table = file.strip_suffix("-obtm.table");
        table.is_some_and(|table| !names.contains(&table))
    };
    for entry in fs::read_dir(tables_dir()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if is_wanted(&name) {
            fs::hard_link(entry.path(), directory.path().join(name)).unwrap();
        }
    }
    directory
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The sorted names of the files in a directory.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
